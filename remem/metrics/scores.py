"""Average the scores of records over all questions and per category, with intervals.

All functions depend only on the records, so scores can be computed again without a new run.
Questions that failed are counted but not scored.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from remem.files.adapters import adapter
from remem.metrics.convention import BootstrapUnit, ScoreConvention
from remem.metrics.intervals import (
    Interval,
    Ratio,
    RefusalIntervals,
    mean_ratio,
    ratio_intervals,
    refusal_interval,
)
from remem.metrics.question_scores import QuestionScores, question_scores
from remem.metrics.refusal import RefusalScores, refusal_scores
from remem.types import Record


@dataclass(frozen=True, slots=True)
class MetricSummary:
    """The means over a category, or over all questions if `category` is None.

    `n` of `total` questions were answered; the others failed. A mean covers only the questions that
    have the score, and is None if no question has it.
    """

    category: str | None
    n: int
    total: int
    means: Mapping[str, Interval | None]


@dataclass(frozen=True, slots=True)
class Summary:
    """The scores of a run: over all questions, per category (sorted by name), and of refusals."""

    overall: MetricSummary
    categories: tuple[MetricSummary, ...]
    refusal: RefusalScores
    refusal_intervals: RefusalIntervals
    convention: ScoreConvention

    @property
    def means(self) -> Iterator[Interval]:
        """Iterate over all means with their intervals."""
        for part in (self.overall, *self.categories):
            yield from (interval for interval in part.means.values() if interval is not None)


def scored(records: Sequence[Record]) -> tuple[Record, ...]:
    """Return the records with an answer, sorted by history and index."""
    answered = (record for record in records if record.status == "ok")
    return tuple(sorted(answered, key=lambda record: (record.history_id, record.index)))


def summarise(
    records: Sequence[Record],
    convention: ScoreConvention,
    verdicts: Mapping[str, float] | None = None,
) -> Summary:
    """Average the scores of all answered questions; the order of the records does not matter.

    Args:
        records: The records of a run.
        convention: How to score them.
        verdicts: The share of "correct" among a judge's verdicts, by query id; None without a
            judge.
    """
    questions = score_questions(records, convention, verdicts)
    return summarise_questions(questions, [record.gold.category for record in records], convention)


def score_questions(
    records: Sequence[Record],
    convention: ScoreConvention,
    verdicts: Mapping[str, float] | None = None,
) -> list[QuestionScores]:
    """Return the scores of each answered question, sorted by history and index."""
    judged = verdicts or {}
    return [
        question_scores(record, convention, judged.get(record.query_id))
        for record in scored(records)
    ]


def summarise_questions(
    questions: Sequence[QuestionScores], asked: Sequence[str], convention: ScoreConvention
) -> Summary:
    """Average the scores of questions.

    Args:
        questions: The scored questions.
        asked: The category of every question that was asked, including those that ended in an
            error.
        convention: How to resample the questions for the intervals.
    """
    refused = [question.refused for question in questions]
    unanswerable = [question.unanswerable for question in questions]
    return Summary(
        overall=_metric_summary(None, questions, len(asked), convention),
        categories=tuple(
            _metric_summary(
                category,
                [question for question in questions if question.category == category],
                asked.count(category),
                convention,
            )
            for category in sorted(set(asked))
        ),
        refusal=refusal_scores(refused, unanswerable),
        refusal_intervals=refusal_interval(
            refused,
            unanswerable,
            resamples=convention.resamples,
            seed=convention.seed,
            clusters=_clusters(questions, convention.bootstrap_unit),
        ),
        convention=convention,
    )


def summary_json(summary: Summary) -> bytes:
    """Return a summary as the content of scores.json."""

    def part(metric: MetricSummary) -> dict[str, object]:
        counts = {"category": metric.category, "n": metric.n, "total": metric.total}
        return {**counts, **metric.means}

    content = {
        "overall": part(summary.overall),
        "categories": [part(category) for category in summary.categories],
        "refusal": summary.refusal,
        "refusal_intervals": summary.refusal_intervals,
    }
    return adapter(dict[str, object]).dump_json(content, indent=2) + b"\n"


def _metric_summary(
    category: str | None,
    questions: Sequence[QuestionScores],
    total: int,
    convention: ScoreConvention,
) -> MetricSummary:
    ratios = {
        name: ratio
        for name in convention.score_names
        if (ratio := mean_score(questions, name, convention.bootstrap_unit)) is not None
    }
    intervals = ratio_intervals(
        list(ratios.values()), resamples=convention.resamples, seed=convention.seed
    )
    means = dict.fromkeys(convention.score_names)
    return MetricSummary(
        category, len(questions), total, means | dict(zip(ratios, intervals, strict=True))
    )


def mean_score(questions: Sequence[QuestionScores], name: str, unit: BootstrapUnit) -> Ratio | None:
    """Return the mean over the questions that have the score; None if no question has it."""
    rows = [question for question in questions if question.value(name) is not None]
    if not rows:
        return None
    values = np.array([question.value(name) for question in rows], dtype=np.float64)
    return mean_ratio(values, _clusters(rows, unit))


def _clusters(questions: Sequence[QuestionScores], unit: BootstrapUnit) -> list[str] | None:
    return None if unit == "questions" else [question.cluster for question in questions]
