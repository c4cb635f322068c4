"""The outcome of a question, and why a wrong answer is wrong, for hand-made records."""

import pytest

from remem.metrics.question_scores import QuestionScores
from remem.results.outcomes import outcome_of, scores_answers
from remem.results.run import Run
from remem.types import Gold, Record, Retrieved

REFUSAL = "no information available"
BOTH = (Retrieved("g1", ("m1", "m9")), Retrieved("g2", ("m2",)))


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


def record(answer: str = "blue", *, retrieved=BOTH, evidence=("m1", "m2"), answerable=True):
    gold = Gold(("red",), "1", answerable=answerable, evidence=evidence)
    return Record("q", "h", 0, "What?", gold, "ok", answer=answer, retrieved=retrieved)


def test_recall_is_no_score_of_the_answer(make_run) -> None:
    convention = Run.open(make_run([record()])).convention
    assert scores_answers(convention, "f1") and not scores_answers(convention, "recall_at_10")
