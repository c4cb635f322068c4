"""Compute one number of a paper's table from run records, scored under a given convention."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from remem.metrics.convention import ScoreConvention
from remem.metrics.intervals import Interval, mean_interval, refusal_interval
from remem.metrics.question_scores import QuestionScores
from remem.results.temporal_classes import in_category, is_temporal
from remem.tables.paper.runs import TableRuns
from remem.tables.rows import RowOutcome
from remem.tables.table import Value, scaled

FIELDS = {"f1": "f1", "bleu_1": "bleu1", "llm_j": "llm_judge", "em": "tot_em"}
"""The paper's metrics and our scores of a question."""

REFUSALS = ("refusals", "refusal_precision", "refusal_recall", "refusal_f1")

ALL = "all"

Classifier = Literal["model", "rules"]
"""What classifies a question into a temporal class."""


@dataclass(frozen=True, slots=True)
class WantedMean:
    """The mean that a cell shows: a metric over the questions of a category, in percent."""

    metric: str
    category: str
    classifier: Classifier = "model"

    @property
    def is_score(self) -> bool:
        """Whether the number is a mean of question scores."""
        return self.metric in FIELDS or self.metric in REFUSALS


@dataclass(frozen=True, slots=True)
class Scored:
    """The runs behind a cell, and the questions of each run that count in this cell."""

    runs: tuple[RowOutcome, ...]
    questions: tuple[tuple[QuestionScores, ...], ...]
    convention: ScoreConvention

    @property
    def pooled(self) -> list[QuestionScores]:
        """Return the questions of all runs."""
        return [question for questions in self.questions for question in questions]


def scored(
    runs: TableRuns, of: Sequence[RowOutcome], wanted: WantedMean, convention: ScoreConvention
) -> Scored:
    """Collect the questions of a cell: those in the wanted category that have the wanted score."""
    questions = tuple(
        tuple(
            score
            for score in runs.scores(run, convention)
            if _is_wanted(score, runs, run, wanted) and value(score, wanted.metric) is not None
        )
        for run in of
    )
    return Scored(tuple(of), questions, convention)


def _is_wanted(
    question: QuestionScores, runs: TableRuns, run: RowOutcome, wanted: WantedMean
) -> bool:
    if not is_temporal(wanted.category):
        return wanted.category in (ALL, question.category)
    name = runs.classes(run, by_rules=wanted.classifier == "rules").get(question.query_id)
    return name is not None and in_category(wanted.category, name)


def value(question: QuestionScores, metric: str) -> float | None:
    """Return the score of a question; for a metric of refusals, 1 if it was refused, else 0."""
    score = question.refused if metric in REFUSALS else question.value(FIELDS[metric])
    return None if score is None else float(score)


def measured(scored: Scored, wanted: WantedMean) -> Value | None:
    """Return the mean with its interval, or the number of refusals; None if no question counts."""
    questions = scored.pooled
    if not questions:
        return None
    interval = _interval(questions, wanted.metric, scored.convention)
    if interval is None:
        return None
    scale = len(questions) if wanted.metric == "refusals" else 100
    number = scaled(interval, scale, wanted.metric != "refusals")
    return replace(number, n=len(questions))


def _interval(
    questions: Sequence[QuestionScores], metric: str, convention: ScoreConvention
) -> Interval | None:
    by_question = convention.bootstrap_unit == "questions"
    clusters = None if by_question else [question.cluster for question in questions]
    drawn = {"resamples": convention.resamples, "seed": convention.seed}
    if metric in FIELDS or metric == "refusals":
        values = np.array([value(question, metric) for question in questions], dtype=np.float64)
        return mean_interval(values, **drawn, clusters=clusters)
    refusals = refusal_interval(
        [question.refused for question in questions],
        [question.unanswerable for question in questions],
        **drawn,
        clusters=clusters,
    )
    interval: Interval | None = getattr(refusals, metric.removeprefix("refusal_"))
    return interval
