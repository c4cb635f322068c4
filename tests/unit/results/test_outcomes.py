"""The outcome of a question, and why a wrong answer is wrong, for hand-made records."""

import pytest

from remem.config.run_config import configure
from remem.metrics.question_scores import QuestionScores
from remem.results.outcomes import outcome_of, scores_answers


def scores(value: float | None, *, refused: bool = False, unanswerable: bool = False):
    return QuestionScores("q", "1", "c", refused, unanswerable, {"f1": value})


@pytest.mark.parametrize(
    ("scored", "outcome"),
    [
        (None, "error"),
        (scores(None), "not scored"),
        (scores(1.0), "right"),
        (scores(0.4), "partly"),
        (scores(0.0), "wrong"),
        (scores(0.0, refused=True), "refused"),
        (scores(0.4, refused=True), "refused"),  # a refusal that shares a word with the gold
        (scores(1.0, refused=True, unanswerable=True), "right"),
        (scores(0.4, refused=True, unanswerable=True), "partly"),
        (scores(0.0, unanswerable=True), "wrong"),
    ],
)
def test_an_answer_has_one_outcome(scored: QuestionScores | None, outcome: str) -> None:
    assert outcome_of(scored, "f1", of_answer=True) == outcome


def test_a_score_of_the_evidence_knows_no_refusal() -> None:
    assert outcome_of(scores(0.0, refused=True), "f1", of_answer=False) == "wrong"
    convention = configure().score_convention()
    assert scores_answers(convention, "f1") and not scores_answers(convention, "recall_at_10")
