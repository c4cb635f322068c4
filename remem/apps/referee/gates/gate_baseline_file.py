"""Read and write a baseline: a line of JSON about the run, then a line for each question."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from remem.apps.referee.gates.gate_baseline import Baseline, BaselineRun, FrozenQuestion
from remem.errors import UsageError
from remem.files.adapters import first_fault, parsed_once
from remem.files.disk import write_whole
from remem.files.opened import opened

LARGEST_LINE = 2**20
MOST_BYTES = 256 * 2**20
FREEZE = "write it again with remem referee gate RUN --freeze FILE"
"""What to do about a file that cannot be used."""

Kind = TypeVar("Kind")


def write_baseline(path: Path, baseline: Baseline) -> None:
    """Write a baseline; the same baseline gives the same bytes."""
    parts: list[Any] = [baseline.run, *baseline.questions]
    lines = (json.dumps(asdict(part), separators=(",", ":"), allow_nan=False) for part in parts)
    write_whole(path, "".join(f"{line}\n" for line in lines).encode())


def read_baseline(path: Path) -> Baseline:
    """Read a baseline, which may be untrusted.

    Raises:
        UsageError: The file is not a baseline, or is damaged or incomplete.
    """
    if path.stat().st_size > MOST_BYTES:
        raise UsageError(f"{path} has more than {MOST_BYTES} bytes: {FREEZE}")
    lines = _lines(path)
    run = _parsed(next(lines, b""), BaselineRun, f"{path}:1")
    questions = tuple(
        _parsed(line, FrozenQuestion, f"{path}:{number}")
        for number, line in enumerate(lines, start=2)
    )
    _check(path, run, questions)
    return Baseline(run, questions)


def _lines(path: Path) -> Iterator[bytes]:
    with opened(path) as file:
        yield from iter(lambda: file.readline(LARGEST_LINE), b"")


def _parsed(line: bytes, kind: type[Kind], where: str) -> Kind:
    try:
        return parsed_once(kind, line, strict=True)
    except ValidationError as error:
        raise UsageError(
            f"{where} is not a line of a gate's baseline ({first_fault(error)}): {FREEZE}"
        ) from error


def _check(path: Path, run: BaselineRun, questions: tuple[FrozenQuestion, ...]) -> None:
    """Raise UsageError unless the number, the ids and the scores of the questions are valid."""
    if len(questions) != run.questions:
        raise UsageError(
            f"{path} has {len(questions)} questions, expected {run.questions} as line 1 says: "
            f"{FREEZE}"
        )
    counts = Counter(question.id for question in questions)
    twice = next((name for name, count in counts.items() if count > 1), None)
    if twice is not None:
        raise UsageError(f"{path} has question {twice!r} twice: {FREEZE}")
    for number, question in enumerate(questions, start=2):
        if len(question.scores) != len(run.scores):
            raise UsageError(
                f"{path}:{number} has {len(question.scores)} scores, expected {len(run.scores)} "
                f"({', '.join(run.scores)}): {FREEZE}"
            )
