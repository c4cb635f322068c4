"""The verdicts of a judge on a run: an append-only file beside the records.

A verdict is keyed by question and repeat, and holds for the golds and the answer that it was given
on: an answer that has changed since is to be judged again. An error is no verdict.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Literal

from pydantic import TypeAdapter, ValidationError

from remem.config.conf_files import judge_kinds
from remem.files.line_log import LineLog, has_sums, open_log, read_lines
from remem.run.store import run_of
from remem.types import Usage


@dataclass(frozen=True, slots=True)
class Case:
    """What a judge is shown, and the how-manieth time."""

    query_id: str
    repeat: int
    question: str
    golds: tuple[str, ...]
    answer: str


@dataclass(frozen=True, slots=True)
class Judgment:
    """One attempt at a case; `correct` says nothing where the status is error.

    `judge_prompt` says whose prompt was asked with: "own", or the sum of another.
    """

    case: Case
    status: Literal["ok", "error"]
    correct: bool = False
    error: str = ""
    usage: Usage = field(default_factory=Usage)
    judge_prompt: str = "none"


class JudgmentLog:
    """The judgments of one judge on one run, opened for writing by one process at a time."""

    def __init__(self, judged: set[Case], log: LineLog) -> None:
        self._judged = judged
        self._log = log

    def pending(self, cases: Iterable[Case]) -> list[Case]:
        """Return the cases that have no verdict yet."""
        return [case for case in cases if case not in self._judged]

    def append(self, judgment: Judgment) -> None:
        """Write a judgment, so that a kill right after loses nothing."""
        self._log.append(_adapter().dump_json(judgment))


@contextmanager
def open_judgments(path: Path) -> Iterator[JudgmentLog]:
    """Open a judge's file for writing, new or to be resumed; set aside what was altered.

    Raises:
        RunInUseError: Another process has it open.
        DiskError: It cannot be written.
        ValueError: A line is whole, but no judgment.
    """
    with open_log(path, run_of(path.parent), _is_judgment) as log:
        yield JudgmentLog({line.case for line in _lines(path) if line.status == "ok"}, log)


def judgment_files(folder: Path) -> list[Path]:
    """Return the files of all judges that a run was shown to."""
    return sorted(folder.glob("judgments.*.jsonl"))


def judge_kind(file: str) -> str:
    """Return what to call the verdicts in a judge's file, such as judgments.llm-0123456789ab.jsonl.

    It is "llm_judge" unless `conf/judge` says that the judge is of another kind.
    """
    judge, _, _ = file.removeprefix("judgments.").rpartition("-")
    return judge_kinds().get(judge, "llm_judge")


def judged(path: Path) -> dict[Case, bool]:
    """Return the verdict on every case that has one."""
    return {line.case: line.correct for line in _lines(path) if line.status == "ok"}


def verdicts(path: Path, cases: Iterable[Case]) -> Mapping[str, float]:
    """Return the share of "correct" among the verdicts on each question's cases."""
    return mean_verdicts(judged(path), cases)


def mean_verdicts(correct: Mapping[Case, bool], cases: Iterable[Case]) -> Mapping[str, float]:
    """Return the share of "correct" among the verdicts that there are on each question's cases."""
    shares: defaultdict[str, list[bool]] = defaultdict(list)
    for case in cases:
        if case in correct:
            shares[case.query_id].append(correct[case])
    return {query_id: fmean(found) for query_id, found in shares.items()}


def usages(path: Path) -> list[Usage]:
    """Return what each judgment took, errors included; nothing where there is no such file."""
    return [line.usage for line in _lines(path)]


def _lines(path: Path) -> Iterator[Judgment]:
    if not path.exists():
        return
    for number, content in read_lines(path, run_of(path.parent) if has_sums(path) else None):
        try:
            yield _adapter().validate_json(content)
        except ValidationError as error:
            raise ValueError(
                f"{path}:{number}: not a judgment ({error.errors()[0]['msg']}); remove the "
                f"line to have its answer judged again"
            ) from error


def _is_judgment(line: bytes) -> bool:
    try:
        _adapter().validate_json(line)
    except ValidationError:
        return False
    return True


@cache
def _adapter() -> TypeAdapter[Judgment]:
    return TypeAdapter(Judgment)
