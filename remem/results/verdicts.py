"""The verdicts of judges on a run, in append-only files next to its records.

Each verdict is stored with its question, repeat number, gold answers and answer. If the gold
answers or the answer change, the question is judged again. Errors are not verdicts.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Annotated, Literal, Protocol

from pydantic import Field

from remem.config.conf_files import judge_kinds
from remem.config.run_config import RunConfig
from remem.config.suggestions import either
from remem.errors import UsageError
from remem.files.adapters import adapter, is_json_of, parse_line
from remem.files.line_log import LineLog, has_sums, open_log, read_lines
from remem.llm.http_client import check_same_server
from remem.metrics.refusal import RefusalGold, gold_answers
from remem.run.store import run_of
from remem.types import Record, Usage

PUBLISHED = "published-"
"""The beginning of the name of a judge whose verdicts were imported with the answers."""


@dataclass(frozen=True, slots=True)
class JudgedCase:
    """The texts that a judge is shown, and the number of the repeat, counted from 0."""

    query_id: str
    repeat: int
    question: str
    golds: tuple[str, ...]
    answer: str


@dataclass(frozen=True, slots=True)
class Judgment:
    """One attempt to judge a case; `correct` has no meaning if the status is "error".

    `correct` is True or False, or a share from 0 to 1 from a judge that accepts partly correct
    answers.

    `judge_prompt` names the prompt of the judge: "own", or the checksum of another prompt. `server`
    is the address of the server of the judge's model, if there is one.
    """

    case: JudgedCase
    status: Literal["ok", "error"]
    correct: bool | Annotated[float, Field(ge=0, le=1)] = False
    error: str = ""
    usage: Usage = field(default_factory=Usage)
    judge_prompt: str = "none"
    server: str = ""


class JudgmentLog:
    """The open file of a judge's judgments on a run; only one process at a time can open it."""

    def __init__(self, judged: set[JudgedCase], log: LineLog) -> None:
        self._judged = judged
        self._log = log

    def pending(self, cases: Iterable[JudgedCase]) -> list[JudgedCase]:
        """Return the cases without a verdict."""
        return [case for case in cases if case not in self._judged]

    def append(self, judgment: Judgment) -> None:
        """Append a judgment to the file and flush it to disk."""
        self._log.append(adapter(Judgment).dump_json(judgment))


@contextmanager
def open_judgments(path: Path, server: str = "") -> Iterator[JudgmentLog]:
    """Open or create the file of a judge for appending; altered lines are set aside.

    Args:
        path: The file.
        server: The address of the server of the judge's model; "" for any.

    Raises:
        OtherServerError: The verdicts in the file came from another server.
        RunInUseError: Another process has the file open.
        DiskError: The file cannot be written.
        ValueError: A complete line is not a judgment.
    """
    with open_log(path, run_of(path.parent), partial(is_json_of, Judgment)) as log:
        yield JudgmentLog(set(verdicts_by_case(path, server)), log)


def judgment_files(folder: Path) -> list[Path]:
    """Return the files of all judges of a run."""
    return sorted(folder.glob("judgments.*.jsonl"))


def judge_name(path: Path) -> str:
    """Return the name of a judge, with its fingerprint, from the path of its file."""
    return path.name.removeprefix("judgments.").removesuffix(".jsonl")


def judge_kind(file: str) -> str:
    """Return the kind of a judge, given a file name such as judgments.llm-0123456789ab.jsonl.

    The kind is "llm_judge" unless `conf/judge` configures another kind or the verdicts were
    imported.
    """
    judge, _, _ = file.removeprefix("judgments.").rpartition("-")
    if judge.startswith(PUBLISHED):
        return "published verdict"
    return judge_kinds().get(judge, "llm_judge")


def verdicts_by_case(path: Path, server: str = "") -> dict[JudgedCase, float]:
    """Return the verdicts in the file of a judge, by case.

    Raises:
        OtherServerError: A verdict came from a server other than `server`, unless `server` is
            empty.
    """
    judgments = [line for line in read_judgments(path) if line.status == "ok"]
    for line in judgments:
        check_same_server(line.server, server, f"the verdicts in {path}")
    return {line.case: line.correct for line in judgments}


def mean_verdicts(
    path: Path,
    records: Sequence[Record],
    refusal_gold: RefusalGold,
    *,
    repeats: int | None = None,
    server: str = "",
) -> Mapping[str, float]:
    """Return the share of "correct" verdicts in the file of a judge, by query id.

    Args:
        path: The file.
        records: The records whose answers were judged; some may have no verdict.
        refusal_gold: Which gold answers the judge was shown.
        repeats: The number of verdicts to use for each answer; None for all.
        server: The address of the server of the judge's model; "" for any.
    """
    correct = verdicts_by_case(path, server)
    return mean_of_cases(correct, cases_of(records, refusal_gold, repeats or repeats_of(correct)))


def mean_of_cases(
    correct: Mapping[JudgedCase, float], cases: Iterable[JudgedCase]
) -> Mapping[str, float]:
    """Return the share of "correct" verdicts by query id; cases without a verdict are ignored."""
    return mean_by_query((case.query_id, correct[case]) for case in cases if case in correct)


def mean_by_query(verdicts: Iterable[tuple[str, float]]) -> Mapping[str, float]:
    """Return the mean verdict on each question, by query id."""
    shares: defaultdict[str, list[float]] = defaultdict(list)
    for query_id, correct in verdicts:
        shares[query_id].append(correct)
    return {query_id: fmean(of_query) for query_id, of_query in shares.items()}


class Repeated(Protocol):
    """An object that has a repeat number, such as a judged case."""

    @property
    def repeat(self) -> int:
        """Return the number of the repeat, counted from 0."""


def repeats_of(cases: Iterable[Repeated]) -> int:
    """Return how many verdicts a judge was asked to give on each answer."""
    return 1 + max((case.repeat for case in cases), default=0)


def cases_of(
    records: Sequence[Record], refusal_gold: RefusalGold, repeats: int
) -> list[JudgedCase]:
    """Return the cases to show to a judge: each answer of a run, `repeats` times."""
    return [
        JudgedCase(
            query_id=record.query_id,
            repeat=repeat,
            question=record.question,
            golds=tuple(gold_answers(record.gold, refusal_gold)),
            answer=record.answer,
        )
        for record in records
        if record.status == "ok"
        for repeat in range(repeats)
    ]


def configured_verdicts(
    config: RunConfig, folder: Path, records: Sequence[Record]
) -> Mapping[str, float]:
    """Return the configured judge's verdicts on a run by query id; empty without a judge.

    Raises:
        OtherServerError: A verdict came from a server other than the configured one.
    """
    if config.judgments is None:
        return {}
    return mean_verdicts(
        folder / config.judgments,
        records,
        config.score_convention().refusal_gold,
        repeats=config.judge_repeats,
        server=judge_server(config),
    )


def judge_server(config: RunConfig) -> str:
    """Return the address of the server of the judge's model; "" without such a model."""
    chat_model = config.settings.judge.chat_model
    return "" if chat_model is None else chat_model.endpoint.address


def stored_verdicts(
    folder: Path, judge: str, records: Sequence[Record], refusal_gold: RefusalGold
) -> Mapping[str, float]:
    """Return the stored verdicts of a run's judge by query id, without asking the judge.

    Args:
        folder: The folder of the run.
        judge: The part of the file name between "judgments." and ".jsonl"; the fingerprint at the
            end may be left out.
        records: The records of the run.
        refusal_gold: Which gold answers the judge was shown.

    Raises:
        UsageError: The name fits no judge of the run, or several.
    """
    files = {judge_name(path): path for path in judgment_files(folder)}
    fitting = [name for name in files if name == judge or name.startswith(f"{judge}-")]
    if len(fitting) != 1:
        judges = either(files) if files else "none; ask a judge with remem judge run"
        raise UsageError(
            f"found {len(fitting)} judges of {folder} with a name that begins with {judge!r}, "
            f"expected exactly one; all judges: {judges}"
        )
    return mean_verdicts(files[fitting[0]], records, refusal_gold)


def judgment_usages(path: Path) -> list[Usage]:
    """Return the usage of each judgment in a file, including errors; empty if there is no file."""
    return [line.usage for line in read_judgments(path)]


def read_judgments(path: Path) -> Iterator[Judgment]:
    """Yield the judgments in the file of a judge, including errors, if there is such a file."""
    if not path.exists():
        return
    remedy = "remove the line to judge its answer again"
    for number, content in read_lines(path, run_of(path.parent) if has_sums(path) else None):
        yield parse_line(Judgment, content, f"{path}:{number}", "a judgment", remedy)
