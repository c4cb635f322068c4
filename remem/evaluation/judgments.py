"""Store the verdicts of a judge on a run in an append-only file next to the records.

A verdict belongs to a question, a repeat, the golds and the answer: if the answer or a gold
changes, it is judged again. Errors are not verdicts.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter, ValidationError

from remem.config.conf_files import judge_kinds
from remem.files.line_log import LineLog, has_sums, open_log, read_lines
from remem.llm.other_server import check_same_server
from remem.run.store import run_of
from remem.types import Usage

PUBLISHED = "published-"
"""The beginning of the name of a judge whose verdicts were imported with the answers."""


@dataclass(frozen=True, slots=True)
class Case:
    """What a judge is shown, and the number of the repeat, counted from 0."""

    query_id: str
    repeat: int
    question: str
    golds: tuple[str, ...]
    answer: str


@dataclass(frozen=True, slots=True)
class Judgment:
    """One attempt at a case; `correct` has no meaning if the status is "error".

    `correct` is True or False, or a share from 0 to 1 of a judge that knows partly correct answers.

    `judge_prompt` names the prompt of the judge: "own", or the checksum of another prompt. `server`
    is the address that its model was asked at, if there is one.
    """

    case: Case
    status: Literal["ok", "error"]
    correct: bool | Annotated[float, Field(ge=0, le=1)] = False
    error: str = ""
    usage: Usage = field(default_factory=Usage)
    judge_prompt: str = "none"
    server: str = ""


class JudgmentLog:
    """The open file of a judge's judgments on a run; only one process can open it."""

    def __init__(self, judged: set[Case], log: LineLog) -> None:
        self._judged = judged
        self._log = log

    def pending(self, cases: Iterable[Case]) -> list[Case]:
        """Return the cases without a verdict."""
        return [case for case in cases if case not in self._judged]

    def append(self, judgment: Judgment) -> None:
        """Append a judgment to the file and flush it to disk."""
        self._log.append(_adapter().dump_json(judgment))


@contextmanager
def open_judgments(path: Path, server: str = "") -> Iterator[JudgmentLog]:
    """Open or create the file of a judge for appending; altered lines are set aside.

    Args:
        path: The file.
        server: The address that the judge's model is asked at; "" for any.

    Raises:
        OtherServerError: Its verdicts came from another server.
        RunInUseError: Another process has the file open.
        DiskError: The file cannot be written.
        ValueError: A complete line is not a judgment.
    """
    with open_log(path, run_of(path.parent), _is_judgment) as log:
        yield JudgmentLog(set(judged(path, server)), log)


def judgment_files(folder: Path) -> list[Path]:
    """Return the files of all judges of a run."""
    return sorted(folder.glob("judgments.*.jsonl"))


def judge_name(path: Path) -> str:
    """Return the name of a judge, with its fingerprint, from the path of its file."""
    return path.name.removeprefix("judgments.").removesuffix(".jsonl")


def judge_kind(file: str) -> str:
    """Return the kind of the judge with this file, such as judgments.llm-0123456789ab.jsonl.

    It is "llm_judge" unless `conf/judge` configures another kind, or the verdicts were imported.
    """
    judge, _, _ = file.removeprefix("judgments.").rpartition("-")
    if judge.startswith(PUBLISHED):
        return "published verdict"
    return judge_kinds().get(judge, "llm_judge")


def judged(path: Path, server: str = "") -> dict[Case, float]:
    """Return the verdicts in the file of a judge, by case.

    Raises:
        OtherServerError: A verdict came from another server than `server`, if one is named.
    """
    given = [line for line in _lines(path) if line.status == "ok"]
    for line in given:
        check_same_server(line.server, server, f"the verdicts in {path}")
    return {line.case: line.correct for line in given}


def verdicts(path: Path, cases: Iterable[Case], server: str = "") -> Mapping[str, float]:
    """Return the share of "correct" among the verdicts of a server in a file, by query id."""
    return mean_verdicts(judged(path, server), cases)


def mean_verdicts(correct: Mapping[Case, float], cases: Iterable[Case]) -> Mapping[str, float]:
    """Return the share of "correct" among verdicts, by query id; cases may lack a verdict."""
    shares: defaultdict[str, list[float]] = defaultdict(list)
    for case in cases:
        if case in correct:
            shares[case.query_id].append(correct[case])
    return {query_id: fmean(found) for query_id, found in shares.items()}


def usages(path: Path) -> list[Usage]:
    """Return the usage of each judgment in a file, including errors; empty without the file."""
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
