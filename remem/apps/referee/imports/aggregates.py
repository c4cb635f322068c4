"""The published means of imported answers, and the same means recomputed from the answers."""

from dataclasses import dataclass

import numpy as np

from remem.apps.referee.imports.imported import ImportedAnswers, Published
from remem.metrics.intervals import Interval, mean_interval

RESAMPLES, SEED = 9_999, 0
"""The resamples of the intervals, as in conf/convention."""


@dataclass(frozen=True, slots=True)
class Aggregate:
    """A mean that a file states, and the same mean recomputed with an interval over questions.

    `published` is None if the file states no such mean. `recomputed` is None if there are no
    verdicts.
    """

    judge: str
    category: str | None
    published: float | None
    recomputed: Interval | None


def aggregates(imported: ImportedAnswers) -> tuple[Aggregate, ...]:
    """Return each published mean with its recomputed value, then the unpublished means.

    Every answer with a verdict counts, even if it ended in an error.
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
    return Aggregate(published.judge, published.category, value, mean)


def main_aggregate(imported: ImportedAnswers) -> Aggregate | None:
    """Return the mean that the project reports; None without verdicts."""
    if imported.main not in imported.judges:
        return None
    unpublished = Published(imported.main, float("nan"))
    overall = (each for each in imported.published if each.category is None)
    return _aggregate(imported, next(overall, unpublished))
