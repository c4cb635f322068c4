"""The parts of `make trust`: suites and scripts that measure what docs/trust.md promises.

Each part writes figures into a file; they are kept with the command that gave them.
"""

import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from pydantic import TypeAdapter

from measure.figures import VARIABLE, read_figures

FOLDER = "FOLDER"
"""In a command, an empty folder that is removed afterwards."""


@dataclass(frozen=True, slots=True)
class Part:
    """What is run, in full and for a quick pass, None where there is none; arguments of Python."""

    full: str
    quick: str | None
    environment: Mapping[str, str] = field(default_factory=dict)
    """Of the full command alone."""


PARTS: Mapping[str, Part] = {
    "faults": Part("-m pytest tests/faults", "-m pytest tests/faults", {"REMEM_FAULTS": "10"}),
    "flips": Part("scripts/flip_bits.py", "scripts/flip_bits.py --flips 64"),
    "fuzz": Part("scripts/fuzz.py", "scripts/fuzz.py --quick"),
    "security": Part("-m pytest tests/security", "-m pytest tests/security"),
    "determinism": Part(
        "-m pytest tests/determinism",
        "-m pytest tests/determinism",
        {"REMEM_PYTHONS": "3.11 3.12 3.13"},
    ),
    "bundle": Part(f"scripts/bench_bundle.py {FOLDER}", None),
    "soak": Part("scripts/soak.py", "scripts/soak.py --questions 5000"),
}


@dataclass(frozen=True, slots=True)
class Measured:
    """The figures of a part, and how they were come by."""

    command: str
    quick: bool
    date: str
    seconds: int
    figures: Mapping[str, float]


def parts(named: Sequence[str], *, quick: bool) -> list[str]:
    """Return the parts that are to be run: those named, else all that there are."""
    return [*named] or [name for name, part in PARTS.items() if not quick or part.quick]


def measure(name: str, *, quick: bool) -> Measured:
    """Run a part and return its figures; where it has no quick form, in full.

    Raises:
        ValueError: It failed, or gave no figure.
    """
    part = PARTS[name]
    quick = quick and part.quick is not None
    command = part.quick if quick and part.quick else part.full
    settings = {} if quick else dict(part.environment)
    with tempfile.TemporaryDirectory(prefix="trust-") as folder:
        file = Path(folder) / "figures.jsonl"
        file.touch()
        (Path(folder) / "empty").mkdir()
        words = [word.replace(FOLDER, f"{folder}/empty") for word in shlex.split(command)]
        begun = time.monotonic()
        environment = {**os.environ, **settings, VARIABLE: str(file)}
        done = subprocess.run([sys.executable, *words], check=False, env=environment)
        seconds, figures = round(time.monotonic() - begun), read_figures(file)
    if done.returncode or not figures:
        raise ValueError(
            f"{name}: `python {command}` ended with {done.returncode} and {len(figures)} figures, "
            f"expected 0 and at least one; nothing of it is written"
        )
    said = " ".join([*(f"{key}={value}" for key, value in settings.items()), f"python {command}"])
    return Measured(said, quick, datetime.now(UTC).date().isoformat(), seconds, figures)


def read_measured(file: Path) -> dict[str, Measured]:
    """Return what was measured before, by part."""
    if not file.exists():
        return {}
    return TypeAdapter(dict[str, Measured]).validate_json(file.read_bytes())


def write_measured(file: Path, measured: Mapping[str, Measured]) -> None:
    """Write down what was measured."""
    content = {name: asdict(area) for name, area in measured.items()}
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(content, indent=2, sort_keys=True) + "\n", encoding="utf-8")
