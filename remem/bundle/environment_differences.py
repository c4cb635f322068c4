"""What is another here than where a run was answered: data, prompts, releases of packages."""

import platform

from remem.bundle.layout import RunNotes
from remem.bundle.run_parts import RunParts, malformed_config
from remem.config.fingerprint import data_sums
from remem.config.run_config import RunConfig
from remem.protocols import Benchmark
from remem.run.manifest import NOT_INSTALLED, installed_packages

OTHER_DATA = "the data differ here"


def other_data(notes: RunNotes, benchmark: Benchmark) -> str:
    """Say which data file is the first to be another than the packer's; "" where none is.

    It need not matter: the same file may be packed otherwise.
    """
    before, now = data_sums(notes.data), data_sums(benchmark.files())
    if before == now:
        return ""
    told = next(([*pair] for pair in before if pair not in now), before[0] if before else ["none"])
    return f"{OTHER_DATA}: the run read {' with sha256 '.join(told)}"


def other_packages(notes: RunNotes) -> str:
    """Say which releases of Python and packages are others here than where the run was answered."""
    there = {"python": notes.environment.python, **notes.environment.packages}
    here = {"python": platform.python_version(), **installed_packages()}
    told = [
        f"{name} {here[name]}, not {release}"
        for name, release in there.items()
        if release
        and here.get(name, release) != release
        and NOT_INSTALLED not in (release, here[name])
    ]
    return f"answered here with {', '.join(told)}" if told else ""


def other_prompts(parts: RunParts, config: RunConfig) -> str:
    """Say which prompt is the first to be another than the packer's; "" where none is."""
    with malformed_config(parts.name):
        here = config.prompts
    for before, now in zip(parts.notes.prompts, here, strict=False):
        if before != now:
            told = f"{before.library}:{before.name} had sha256 {before.sha256}"
            return f"the prompt {told}, here it has {now.sha256}"
    same = len(parts.notes.prompts) == len(here)
    return "" if same else f"{len(here)} prompts, not {len(parts.notes.prompts)}"
