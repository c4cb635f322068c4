"""Measure how long remem takes to start: imports, help, lists and a run of one question."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import partial

from measure.beside import beside
from measure.line import Goal, MeasuredLine

HEAVY = ("torch", "evaluate")
MODULES = {"remem": 1.25, "remem.cli.main": None}
"""Imported modules, and the maximum ratio of the process to one that imports nothing."""

MOST_OF_IMPORTS = 2.0
"""Maximum ratio of a command's CPU seconds to those of the bare imports."""
TYPER, HYDRA = "import typer", "import hydra, numpy, pydantic"
ONE_QUESTION = (
    *("run", "dataset=generated_dialogues", "dataset.build.conversations=1"),
    *("dataset.build.sessions=2", "method=no_memory", "run.histories=1", "run.limit=1"),
)
STARTS = {
    ("--help",): TYPER,
    ("list",): TYPER,
    ("list", "method"): TYPER,
    ONE_QUESTION: HYDRA,
}
"""Commands, and the imports that each is compared with."""


def measure(*, quick: bool) -> Iterator[MeasuredLine]:
    """Time imports, then commands; a quick run repeats the commands less often."""
    yield from measure_imports(5)
    yield from measure_starts(5 if quick else 15)


def measure_imports(repeats: int) -> Iterator[MeasuredLine]:
    """Time imports in new processes, alternating with a process that imports nothing."""
    for module, most in MODULES.items():
        ours, peer = beside(
            partial(import_alone, module),
            partial(_python, "-c", "pass"),
            repeats,
            time.perf_counter,
        )
        yield MeasuredLine(
            name=f"import {module}",
            unit="s",
            ours=ours,
            against="python -c pass",
            peer=peer,
            goal=Goal(most) if most else None,
            note=f"the whole process; neither {' nor '.join(HEAVY)} is imported",
        )


def measure_starts(repeats: int) -> Iterator[MeasuredLine]:
    """Time commands, alternating with bare imports, in CPU seconds of the whole process."""
    for arguments, imports in STARTS.items():
        ours, peer = beside(
            partial(start, arguments),
            partial(_python, "-c", imports),
            repeats,
            children_seconds,
        )
        yield MeasuredLine(
            name="remem run, one question" if arguments is ONE_QUESTION else _named(arguments),
            unit="s",
            ours=ours,
            against=f"python -c '{imports}'",
            peer=peer,
            goal=Goal(MOST_OF_IMPORTS),
            note="user and system CPU seconds of the whole process",
        )


def import_alone(module: str) -> None:
    """Import a module in its own process.

    Raises:
        subprocess.CalledProcessError: The module imports something heavy, or its import fails.
    """
    _python("-c", f"import sys, {module}; sys.exit(bool(set({HEAVY!r}) & set(sys.modules)))")


def start(arguments: tuple[str, ...]) -> None:
    """Run a command in its own process; its output is discarded."""
    if arguments[0] != "run":
        _python("-m", "remem", *arguments)
        return
    with tempfile.TemporaryDirectory(prefix="bench-start-") as results:
        _python("-m", "remem", *arguments, f"paths.results={results}")


def children_seconds() -> float:
    """Return the CPU seconds, user and system, of all finished child processes."""
    times = os.times()
    return times.children_user + times.children_system


def _python(*arguments: str) -> None:
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True)


def _named(arguments: tuple[str, ...]) -> str:
    return f"remem {' '.join(arguments)}"
