"""Compute all scores of one answered question under a convention."""

from collections.abc import Mapping
from dataclasses import dataclass

from remem.files.adapters import adapter
from remem.metrics.convention import ScoreConvention
from remem.metrics.refusal import is_refusal, is_unanswerable
from remem.types import Record

REFUSALS = ("refused", "unanswerable")
NAMED = ("query_id", "category", "cluster", *REFUSALS)


@dataclass(frozen=True, slots=True)
class QuestionScores:
    """All scores of one answered question.

    A score is None if the question does not have it: a retrieval score without gold evidence, the
    score of a judge that was not asked, or LoCoMo's F1 of a category that LoCoMo does not have.
    """

    query_id: str
    category: str
    cluster: str
    refused: bool
    unanswerable: bool
    scores: Mapping[str, float | None]

    def value(self, name: str) -> float | None:
        """Return the score of this name, or "refused" or "unanswerable" as 1 or 0."""
        return float(getattr(self, name)) if name in REFUSALS else self.scores[name]


def question_scores(
    record: Record, convention: ScoreConvention, llm_judge: float | None = None
) -> QuestionScores:
    """Score one answered question; a question without a group forms its own cluster.

    Raises:
        ValueError: The question failed or has no gold answer.
    """
    gold = record.gold
    if record.status != "ok":
        raise ValueError(f"question {record.query_id} failed, and only answers can be scored")
    if not gold.answers:
        raise ValueError(f"question {record.query_id} has no gold answer, expected at least one")
    return QuestionScores(
        query_id=record.query_id,
        category=gold.category,
        cluster=gold.group or f"{record.history_id}/{record.query_id}",
        refused=is_refusal(record.answer, convention.refusal_detection),
        unanswerable=is_unanswerable(gold, convention.refusal_gold),
        scores={score.name: score.of(record, convention, llm_judge) for score in convention.scores},
    )


def score_row(question: QuestionScores) -> dict[str, object]:
    """Return the scores of a question as the content of a line of questions.jsonl."""
    named = {name: getattr(question, name) for name in NAMED}
    return {**named, **question.scores}


def read_score_row(row: Mapping[str, object]) -> QuestionScores:
    """Return the scores of a question from a line that `score_row` made.

    Raises:
        ValueError: The line is malformed.
    """
    scores = {name: value for name, value in row.items() if name not in NAMED}
    named = {name: row[name] for name in NAMED if name in row}
    return adapter(QuestionScores).validate_python({**named, "scores": scores})
