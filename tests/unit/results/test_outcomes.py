"""What became of a question, and why a wrong answer is wrong, for hand-made records."""

from dataclasses import replace

import pytest

from remem.metrics.question_scores import QuestionScores
from remem.results.outcomes import causes_if_wrong, outcome_of, scores_answers
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


@pytest.mark.parametrize(
    ("changed", "cause"),
    [
        (record(), "found but wrong"),
        (record(retrieved=BOTH[:1]), "found in part"),
        (record(retrieved=(Retrieved("g9", ("m9",)),)), "not found"),
        (record(retrieved=()), "not found"),  # another question of the run has items
        (record(evidence=()), "evidence not known"),
        (record(retrieved=(Retrieved("g1", ("s1_(not stated)",)),)), "evidence not known"),
        (record(REFUSAL), "refused"),
        (record(answerable=False), "answered although unanswerable"),
    ],
)
def test_a_wrong_answer_has_one_cause(make_run, changed: Record, cause: str) -> None:
    other = replace(record(), query_id="q2", index=1)
    run = Run.open(make_run([changed, other]))
    assert causes_if_wrong(run.records, run.scores)["q"] == cause


def test_a_run_that_retrieves_nothing_does_not_guess(make_run) -> None:
    run = Run.open(make_run([record(retrieved=())]))
    assert causes_if_wrong(run.records, run.scores) == {"q": "evidence not known"}


def test_recall_is_no_score_of_the_answer(make_run) -> None:
    convention = Run.open(make_run([record()])).convention
    assert scores_answers(convention, "f1") and not scores_answers(convention, "recall_at_10")
