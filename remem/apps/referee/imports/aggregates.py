"""The published means of imported answers, computed again from the answers."""

from dataclasses import dataclass

import numpy as np

from remem.apps.referee.imports.imported import MOST_DIGITS, ImportedAnswers, Published
from remem.metrics.intervals import Interval, mean_interval

RESAMPLES, SEED = 9_999, 0
"""The resamples of the intervals, as in conf/convention."""
NOISE = 1e-9
"""Totals of floats in another order differ by less."""


@dataclass(frozen=True, slots=True)
class Aggregate:
    """A mean as a file states it, and as its answers give it with its interval over questions.

    `published` is None if the file states no such mean, else it has `digits` decimals; `recomputed`
    is None without verdicts.
    """

    judge: str
    category: str | None
    published: float | None
    recomputed: Interval | None
    digits: int = MOST_DIGITS

    @property
    def gap(self) -> float | None:
        """Return the published mean minus the recomputed one; None if one of them is missing."""
        if self.published is None or self.recomputed is None:
            return None
        return self.published - self.recomputed.mean

    @property
    def agrees(self) -> bool:
        """Return whether the recomputed mean is the published one, rounded to its last digit."""
        return self.gap is not None and abs(self.gap) <= rounding(self.digits)


def rounding(digits: int) -> float:
    """Return how far a mean may be from one that is rounded to so many decimals."""
    return 0.5 * 10.0**-digits + NOISE


def aggregates(imported: ImportedAnswers) -> tuple[Aggregate, ...]:
    """Return each published mean with its recomputed value, then the means that are not published.

    All answers of the file with a verdict count, even those that ended in an error.
    """
    stated = {(published.judge, published.category) for published in imported.published}
    others = (
        Published(judge, float("nan")) for judge in imported.judges if (judge, None) not in stated
    )
    all_aggregates = [_aggregate(imported, published) for published in imported.published]
    return (*all_aggregates, *(_aggregate(imported, other) for other in others))


def _aggregate(imported: ImportedAnswers, published: Published) -> Aggregate:
    verdicts = np.array(
        [
            answer.verdicts[published.judge]
            for answer in imported.answers
            if published.judge in answer.verdicts and published.category in (None, answer.category)
        ],
        dtype=np.float64,
    )
    mean = mean_interval(verdicts, resamples=RESAMPLES, seed=SEED) if verdicts.size else None
    value = None if np.isnan(published.value) else published.value
    return Aggregate(published.judge, published.category, value, mean, published.digits)


def main_aggregate(imported: ImportedAnswers) -> Aggregate | None:
    """Return the mean that the project reports; None without verdicts."""
    candidates = (
        aggregate
        for aggregate in aggregates(imported)
        if aggregate.judge == imported.main and aggregate.category is None
    )
    return next(candidates, None)
