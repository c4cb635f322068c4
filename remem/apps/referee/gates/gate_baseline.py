"""The baseline of a gate: the ids, checksums and scores of a run's questions, without any text.

A baseline is small enough for a repository: it has about 100 bytes per question, in the order of
the run.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from pydantic import Field

from remem.errors import QUESTIONS_IN_ERROR, UsageError
from remem.files.adapters import adapter
from remem.files.shipped import scoring_sum
from remem.metrics.convention import Score, ScoreConvention
from remem.metrics.scores import score_questions
from remem.results.run import Run
from remem.types import Record

DIGITS = 16
"""The length of the checksum of a question: it finds a change, but does not prevent forgery."""
DECIMALS = 6
"""The number of decimals of a stored score; CPUs round further ones differently."""
SUMMED = (
    *("answers", "category", "answerable", "items"),
    *("evidence", "unresolved", "group", "separator"),
)
"""The fields of a gold that scores depend on."""
LONGEST = 1_000
"""The largest number of characters of an id or a category."""

Name = Annotated[str, Field(max_length=LONGEST)]
Value = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class FailedQuestionsError(RuntimeError):
    """A run has questions without an answer, so a gate cannot decide."""

    exit_code = QUESTIONS_IN_ERROR


MOST_QUESTIONS = 1_000_000
"""Maximum number of questions of a baseline."""


@dataclass(frozen=True, slots=True)
class FrozenQuestion:
    """A question by its id and checksum, with the scores of its answer in the baseline.

    `cluster` is the number of the question's history, or of another unit that the convention
    resamples. `scores` has a value for each score of the baseline, in order; None for a score that
    the question does not have.
    """

    id: Name
    sha256: Name
    category: Name
    cluster: Annotated[int, Field(ge=0)]
    scores: tuple[Value | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineRun:
    """The run of a baseline, and how it was scored.

    `convention` has the choices of `conf/convention`. `judge` is the file name of the judge whose
    verdicts are scored; "" if no score needs a judge. `data` has the sha256 of each data file.
    `records` is the sha256 of the records, which shows whether the answers are equal. `questions`
    is the number of questions. `code` is the checksum of the code that computes the scores, and
    `verdicts` is the checksum of the judge's verdicts; each is "" if unknown.
    """

    gate_baseline: Literal[1] = 1
    label: Name
    dataset: Name
    fingerprint: Name
    convention: Mapping[str, str | int]
    judge: Name
    scores: Annotated[tuple[Name, ...], Field(min_length=1)]
    data: Mapping[Name, Name]
    records: Name
    questions: Annotated[int, Field(ge=1, le=MOST_QUESTIONS)]
    code: Name = ""
    verdicts: Name = ""


@dataclass(frozen=True, slots=True)
class Baseline:
    """A frozen run: how it was scored, and its questions with their scores."""

    run: BaselineRun
    questions: tuple[FrozenQuestion, ...]


def frozen(
    run: Run, convention: ScoreConvention, judge: str, verdicts: Mapping[str, float] | None
) -> Baseline:
    """Return a baseline made from a run.

    Args:
        run: The run.
        convention: How to score the run, with only the scores of the gate.
        judge: The file name of the judge; "" if no score needs a judge.
        verdicts: The share of "correct" among the judge's verdicts, by query id.

    Raises:
        FailedQuestionsError: A question of the run failed.
        UsageError: A gate cannot test one of the scores, or no question has that score.
    """
    check_answered(run.folder.as_posix(), run.records)
    check_shares(convention)
    questions = score_questions(run.records, convention, verdicts)
    records = {record.query_id: record for record in run.records}
    clusters = {name: at for at, name in enumerate(dict.fromkeys(q.cluster for q in questions))}
    baseline_questions = tuple(
        FrozenQuestion(
            id=question.query_id,
            sha256=question_sum(records[question.query_id]),
            category=question.category,
            cluster=clusters[question.cluster],
            scores=rounded(question.scores, convention.score_names),
        )
        for question in questions
    )
    for at, name in enumerate(convention.score_names):
        if all(question.scores[at] is None for question in baseline_questions):
            raise UsageError(
                f"no question of {run.folder} has a value for {name}; choose another --score"
            )
    about = BaselineRun(
        label=run.config.label,
        dataset=run.config.dataset,
        fingerprint=run.manifest.fingerprint,
        convention=convention.chosen,
        judge=judge,
        scores=convention.score_names,
        data={file.name: file.sha256 for file in run.manifest.data},
        records=records_sum(run.records),
        questions=len(baseline_questions),
        code=scoring_sum(),
        verdicts=verdicts_sum(verdicts or {}, records),
    )
    return Baseline(about, baseline_questions)


def check_answered(run: str, records: Sequence[Record]) -> None:
    """Raise FailedQuestionsError if a question of a run failed."""
    failed = [record for record in records if record.status != "ok"]
    if failed:
        raise FailedQuestionsError(
            f"{run}: {len(failed)} of {len(records)} questions failed (first: "
            f"{failed[0].query_id!r}); repeat the command of the run to ask them again"
        )


def check_shares(convention: ScoreConvention) -> None:
    """Raise UsageError if a score is a count: a margin in points needs scores that are shares."""
    counts = [score.name for score in convention.scores if score.unit != "share"]
    if counts:
        raise UsageError(
            f"{counts[0]} is a count, but a gate compares only shares; choose "
            f"a score that is a share"
        )


def with_scores(convention: ScoreConvention, scores: Iterable[Score]) -> ScoreConvention:
    """Return a convention with only the given scores, so that no others are computed."""
    return replace(convention, scores=tuple(scores))


def question_sum(record: Record) -> str:
    """Return the checksum of a question with its gold answers, category and evidence."""
    gold = [getattr(record.gold, name) for name in SUMMED]
    summed = [record.history_id, record.question, gold]
    return hashlib.sha256(json.dumps(summed).encode()).hexdigest()[:DIGITS]


def records_sum(records: Iterable[Record]) -> str:
    """Return the sha256 of records, written as in records.canonical.jsonl."""
    total = hashlib.sha256()
    for record in records:
        total.update(adapter(Record).dump_json(record) + b"\n")
    return total.hexdigest()


def verdicts_sum(verdicts: Mapping[str, float], queries: Iterable[str]) -> str:
    """Return the checksum of the verdicts on these questions."""
    judged = [(query, verdicts[query]) for query in queries if query in verdicts]
    return hashlib.sha256(json.dumps(sorted(judged)).encode()).hexdigest()


def rounded(scores: Mapping[str, float | None], names: Sequence[str]) -> tuple[float | None, ...]:
    """Return the named scores of a question, rounded as in a baseline.

    Raises:
        UsageError: A score is not between 0 and 1.
    """
    named_scores = ((name, scores[name]) for name in names)
    return tuple(None if value is None else _share(name, value) for name, value in named_scores)


def _share(name: str, value: float) -> float:
    if not 0 <= value <= 1:
        raise UsageError(f"score {name} is {value}, expected a share from 0 to 1")
    return round(float(value), DECIMALS)
