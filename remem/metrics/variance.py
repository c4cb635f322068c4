"""Of what does a judged score vary when all is done again: of the answers, or of the judge?

A question is answered in several runs and each answer judged several times. Random effects per
question: verdict = question + answer + judge; the parts are estimated by analysis of variance.
"""

from dataclasses import dataclass

import numpy as np

from remem.metrics.intervals import Floats


@dataclass(frozen=True, slots=True)
class VarianceParts:
    """The variance of a verdict by its causes, and what they make of the mean of one run.

    `judge` is what repeats of the judge on one answer differ by, `answers` what repeats of the
    answer differ by beyond that (None with one run). `judge_sd` and `answers_sd` are the standard
    deviations that they give the mean score of one run, each answer judged once. `flipped` is the
    share of answers on which the judge contradicts itself.
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
    """Split the variance of verdicts of shape (questions, runs, repeats), repeats at least 2."""
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
