"""Decide whether answers are right.

An answer is right if its score is at least one half, wrong if its score is 0, and partly right
otherwise.
"""

from typing import Literal, get_args

from remem.metrics.convention import ScoreConvention
from remem.metrics.question_scores import QuestionScores
from remem.results.run import Run

RIGHT = 0.5
"""The lowest score of a right answer."""

Outcome = Literal["right", "partly", "wrong", "refused", "error", "not scored"]
"""The outcome of a question. "refused" is a refusal that the score does not accept."""

OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)


def scores_answers(convention: ScoreConvention, name: str) -> bool:
    """Return whether a score rates the answer rather than the retrieved evidence."""
    return all("evidence" not in score.needs for score in convention.scores if score.name == name)


def outcome_of(scores: QuestionScores | None, name: str, *, of_answer: bool) -> Outcome:
    """Return the outcome of a question.

    Args:
        scores: The scores of the question; None if it ended in an error.
        name: The score that decides.
        of_answer: Whether the score rates the answer; if so, refusals are a separate outcome.
    """
    if scores is None:
        return "error"
    value = scores.value(name)
    if value is None:
        return "not scored"
    if value >= RIGHT:
        return "right"
    if of_answer and scores.refused and not (scores.unanswerable and value):
        return "refused"
    return "partly" if value > 0 else "wrong"


def outcomes_of(run: Run) -> dict[str, Outcome]:
    """Return the outcome of each question by the main score of a run, by query id."""
    name = run.main_score
    of_answer = scores_answers(run.convention, name)
    return {
        record.query_id: outcome_of(run.scores.get(record.query_id), name, of_answer=of_answer)
        for record in run.records
    }
