"""Compare the data, prompts and package releases of this machine with those of a packed run."""

import platform

from remem.bundle.layout import RunNotes
from remem.bundle.run_parts import RunParts, malformed_config
from remem.config.fingerprint import data_sums
from remem.config.run_config import RunConfig
from remem.protocols import Benchmark
from remem.run.manifest import NOT_INSTALLED, installed_packages

OTHER_DATA = "the data differ here"


def other_data(notes: RunNotes, benchmark: Benchmark) -> str:
    """Describe the first data file of the run that is different here; "" if all are the same.

    A difference need not change the result: the same content may be compressed differently.
    """
    before, now = data_sums(notes.data), data_sums(benchmark.files())
    if before == now:
        return ""
    told = next(([*pair] for pair in before if pair not in now), before[0] if before else ["none"])
    return f"{OTHER_DATA}: the run read {' with sha256 '.join(told)}"


def other_packages(notes: RunNotes) -> str:
    """List the releases of Python and packages that differ from those of the run, as text."""
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
    """Describe the first prompt of the run that is different here; "" if all are the same."""
    with malformed_config(parts.name):
        here = config.prompts
    for before, now in zip(parts.notes.prompts, here, strict=False):
        if before != now:
            told = f"{before.library}:{before.name} had sha256 {before.sha256}"
            return f"the prompt {told}, here it has {now.sha256}"
    same = len(parts.notes.prompts) == len(here)
    return "" if same else f"{len(here)} prompts, not {len(parts.notes.prompts)}"
