"""Resample statistics of answers over questions: a drawn question comes with all its answers.

Systems that answer the same questions tend to fail on the same ones, so answers are not
independent. Each statistic is computed from totals over questions.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from remem.metrics.intervals import Floats

RESAMPLES, SEED = 9_999, 0
"""As in conf/convention."""
LEAST_DEFINED = 0.95
"""An interval is not shown if a smaller share of the draws has the statistic."""


@dataclass(frozen=True, slots=True)
class DrawnInterval:
    """A statistic with the 95% interval of its draws; no interval if few draws have a value.

    `defined` is the share of draws in which the statistic has a value.
    """

    mean: float
    low: float | None
    high: float | None
    defined: float


@dataclass(frozen=True, slots=True)
class QuestionDraws:
    """How often each question is drawn: `counts` has the shape (1 + RESAMPLES, questions).

    The first row is the sample itself, with every question once.
    """

    questions: tuple[str, ...]
    counts: Floats

    @staticmethod
    def of(questions: Sequence[str]) -> "QuestionDraws":
        """Draw questions with replacement, as many in each draw as there are questions."""
        names = tuple(sorted(set(questions)))
        size = len(names)
        drawn = np.random.default_rng(SEED).multinomial(
            size, np.full(size, 1 / size), size=RESAMPLES
        )
        return QuestionDraws(names, np.vstack((np.ones(size), drawn)).astype(np.float64))

    def sums(self, values: Floats, questions: Sequence[str]) -> Floats:
        """Return the sum of values in the sample and in each draw.

        Args:
            values: One value for each answer, shape (answers,) or (answers, columns).
            questions: The question of each answer.

        Returns:
            An array of shape (1 + RESAMPLES,) or (1 + RESAMPLES, columns).
        """
        places = {name: place for place, name in enumerate(self.questions)}
        of = np.array([places[question] for question in questions], dtype=np.intp)
        sums = np.zeros((len(self.questions), *values.shape[1:]))
        np.add.at(sums, of, values)
        return self.counts @ sums


def drawn_interval(draws: Floats) -> DrawnInterval:
    """Return the statistic (the first of `draws`) with the 95% interval of the other draws."""
    kept = draws[1:][np.isfinite(draws[1:])]
    defined = kept.size / max(1, draws.size - 1)
    low, high = (
        np.percentile(kept, [2.5, 97.5]).tolist() if defined >= LEAST_DEFINED else (None, None)
    )
    return DrawnInterval(float(draws[0]), low, high, defined)
