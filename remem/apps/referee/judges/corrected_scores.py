"""Correct the score of each answer; the mean over a system is the corrected score of the system."""

from collections import Counter
from collections.abc import Sequence

from remem.apps.referee.judges.judge_calibration import Labels, error_of
from remem.apps.referee.judges.judge_error import JudgeError
from remem.apps.referee.judges.judge_rankings import scores_by
from remem.apps.referee.judges.judged_answers import JudgedAnswer, JudgeRule

Scored = dict[tuple[str, str], float]

LEAST_TOLD_APART = 0.5
"""How much more often right answers must be accepted than wrong ones, for a category's own errors
to be used: less would divide by nearly nothing."""


def by_category(answers: Sequence[JudgedAnswer], labels: Labels, rule: JudgeRule) -> Scored | None:
    """Correct each verdict for the judge's errors in its category, as Rogan and Gladen do.

    The error rates over all categories are used for a category that does not have both right and
    wrong labels, or in which the judge hardly tells right answers from wrong ones. The judge is
    assumed to err equally for all systems. Return None if the judge cannot tell right answers from
    wrong ones at all.
    """
    overall = error_of(answers, labels, rule)
    if not overall.informs:
        return None
    categories = {answer.category for answer in answers}
    errors = {
        category: error_of([a for a in answers if a.category == category], labels, rule)
        for category in categories
    }
    used = {
        category: error if _tells_apart(error) else overall for category, error in errors.items()
    }
    scores = scores_by(rule, answers)
    return {
        answer.key: _corrected(scores[answer.key], used[answer.category])
        for answer in answers
        if answer.key in scores
    }


def by_system(answers: Sequence[JudgedAnswer], labels: Labels, rule: JudgeRule) -> Scored | None:
    """Add to each system's mean verdict the mean error of its labelled answers (PPI).

    Nothing is assumed about the judge, but with few labels for each system, intervals are wide.
    Return None if a system has no label.
    """
    scores = scores_by(rule, answers)
    judged = [answer for answer in answers if answer.key in scores]
    counts = Counter(answer.system for answer in judged)
    labelled = Counter(answer.system for answer in judged if answer.key in labels)
    if set(labelled) != set(counts):
        return None
    return {
        answer.key: scores[answer.key]
        + (
            counts[answer.system]
            / labelled[answer.system]
            * (labels[answer.key] - scores[answer.key])
            if answer.key in labels
            else 0.0
        )
        for answer in judged
    }


def _tells_apart(error: JudgeError) -> bool:
    sensitivity, specificity = error.sensitivity, error.specificity
    if sensitivity is None or specificity is None:
        return False
    return sensitivity.mean + specificity.mean - 1 >= LEAST_TOLD_APART


def _corrected(score: float, error: JudgeError) -> float:
    """Return a corrected score, perhaps outside [0, 1]; their mean is the Rogan-Gladen estimate."""
    false_accepts = error.accepted_wrong / error.wrong
    return (score - false_accepts) / (error.accepted_right / error.right - false_accepts)
