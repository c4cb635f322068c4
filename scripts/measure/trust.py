"""The parts of `make trust`: test suites and scripts that measure the promises of docs/trust.md.

Each part writes figures to a file, where they are stored with their command.
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
"""Placeholder in a command for an empty folder that is removed afterwards."""


@dataclass(frozen=True, slots=True)
class Part:
    """The Python arguments of a part, in full and quick; None if it has no quick form."""

    full: str
    quick: str | None
    environment: Mapping[str, str] = field(default_factory=dict)
    """Environment variables of the full command only."""


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
    """The figures of a part, with their command and date."""

    command: str
    quick: bool
    date: str
    seconds: int
    figures: Mapping[str, float]


def parts(named: Sequence[str], *, quick: bool) -> list[str]:
    """Return the parts to run: the named ones, or all."""
    return [*named] or [name for name, part in PARTS.items() if not quick or part.quick]


def measure(name: str, *, quick: bool) -> Measured:
    """Run a part, quickly if it has a quick form, and return its figures.

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
    """Return the earlier measurements, by part."""
    if not file.exists():
        return {}
    return TypeAdapter(dict[str, Measured]).validate_json(file.read_bytes())


def write_measured(file: Path, measured: Mapping[str, Measured]) -> None:
    """Write the measurements."""
    content = {name: asdict(area) for name, area in measured.items()}
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(content, indent=2, sort_keys=True) + "\n", encoding="utf-8")
