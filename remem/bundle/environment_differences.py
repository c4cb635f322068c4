"""Compare the data, prompts and package releases of this machine with those of a packed run."""

import platform
from collections.abc import Sequence
from dataclasses import dataclass

from remem.bundle.layout import PackageName, Release, RunNotes
from remem.bundle.run_parts import RunParts, malformed_config
from remem.config.fingerprint import data_sums
from remem.config.run_config import RunConfig
from remem.protocols import Benchmark, DataFile
from remem.run.manifest import NOT_INSTALLED, installed_packages


@dataclass(frozen=True, slots=True)
class OtherRelease:
    """The release of a package on this machine, and the one that answered the run."""

    package: PackageName
    here: Release
    there: Release


@dataclass(frozen=True, slots=True)
class EnvironmentDifferences:
    """What is different on this machine: files that the run read, None for none, and releases."""

    data: tuple[DataFile, ...] | None = None
    releases: tuple[OtherRelease, ...] = ()

    def __str__(self) -> str:
        return "; ".join(filter(None, (_format_data(self.data), _format_releases(self.releases))))


def environment_differences(notes: RunNotes, benchmark: Benchmark) -> EnvironmentDifferences:
    """Return which data and releases of packages differ from those of a packed run.

    A difference need not change the result: the same content may be compressed differently.
    """
    before, now = data_sums(notes.data), data_sums(benchmark.files())
    other = tuple(file for file in notes.data if [file.name, file.sha256] not in now)
    there = {"python": notes.environment.python, **notes.environment.packages}
    here = {"python": platform.python_version(), **installed_packages()}
    releases = tuple(
        OtherRelease(name, here[name], release)
        for name, release in there.items()
        if release
        and here.get(name, release) != release
        and NOT_INSTALLED not in (release, here[name])
    )
    return EnvironmentDifferences(None if before == now else other or notes.data, releases)


def _format_data(data: Sequence[DataFile] | None) -> str:
    if data is None:
        return ""
    files = ", ".join(" with sha256 ".join(pair) for pair in data_sums(data))
    return f"the data differ here: the run read {files or 'none'}"


def _format_releases(releases: Sequence[OtherRelease]) -> str:
    names = ", ".join(f"{other.package} {other.here}, not {other.there}" for other in releases)
    return f"answered here with {names}" if releases else ""


def other_prompts(parts: RunParts, config: RunConfig) -> str:
    """Describe the first prompt of the run that is different here; "" if all are the same."""
    with malformed_config(parts.name):
        here = config.prompts
    for before, now in zip(parts.notes.prompts, here, strict=False):
        if before != now:
            told = f"{before.library}:{before.name} had sha256 {before.sha256}"
            return f"the prompt {told}, here it has {now.sha256}"
    same = len(parts.notes.prompts) == len(here)
    return "" if same else f"{len(here)} prompts, not {len(parts.notes.prompts)}"
