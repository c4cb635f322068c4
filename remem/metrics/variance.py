"""Split the variance of a judged score on repetition into that of the answers and of the judge.

Each question is answered in several runs, and each answer is judged several times. The model has
random effects per question, verdict = question + answer + judge, estimated by analysis of variance.
"""

from dataclasses import dataclass

import numpy as np

from remem.metrics.intervals import Floats


@dataclass(frozen=True, slots=True)
class VarianceParts:
    """The variance of a verdict by its causes, and the resulting spread of the mean of one run.

    `judge` is the variance between verdicts on the same answer, `answers` the additional variance
    between runs (None with one run). `judge_sd` and `answers_sd` are the standard deviations that
    they cause in the mean score of one run with one verdict per answer. `flipped` is the share of
    answers with contradictory verdicts.
    """

    questions: int
    runs: int
    repeats: int
    judge: float
    answers: float | None
    judge_sd: float
    answers_sd: float | None
    flipped: float


def variance_parts(verdicts: Floats) -> VarianceParts:
    """Split the variance of verdicts, an array of shape (questions, runs, repeats).

    Raises:
        ValueError: There are no questions, or fewer than 2 repeats.
    """
    questions, runs, repeats = verdicts.shape
    if questions == 0 or repeats < 2:
        raise ValueError(
            f"found {questions} questions with {repeats} verdicts on each answer, expected at "
            f"least one question and 2 verdicts; set judge.repeats"
        )
    judge = float(verdicts.var(axis=2, ddof=1).mean())
    answers: float | None = None
    if runs > 1:
        between = float(verdicts.mean(axis=2).var(axis=1, ddof=1).mean())
        answers = max(0.0, between - judge / repeats)
    return VarianceParts(
        questions=questions,
        runs=runs,
        repeats=repeats,
        judge=judge,
        answers=answers,
        judge_sd=float(np.sqrt(judge / questions)),
        answers_sd=None if answers is None else float(np.sqrt(answers / questions)),
        flipped=float((np.ptp(verdicts, axis=2) > 0).mean()),
    )
