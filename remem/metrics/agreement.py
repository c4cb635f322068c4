"""Measure how well a metric or a judge agrees with people (paper, section Human Evaluation).

The paper reports Pearson's r, Spearman's rho and the means. For scores that are 0 or 1, Cohen's
kappa is added. It corrects for chance: two raters who mostly say yes often agree by chance.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from remem.metrics.intervals import Floats


@dataclass(frozen=True, slots=True)
class Agreement:
    """The agreement of a score with labels on the same `n` answers.

    Correlations are None if all scores or all labels are equal. `kappa` and the counts `agreed`,
    `too_kind` (score 1, label 0) and `too_strict` (score 0, label 1) are None unless all values are
    0 or 1. `kappa` is also None if all scores and labels have the same value.
    """

    n: int
    mean: float
    label_mean: float
    pearson: float | None
    spearman: float | None
    kappa: float | None
    agreed: int | None
    too_kind: int | None
    too_strict: int | None


def agreement(scores: Sequence[float], labels: Sequence[float]) -> Agreement:
    """Compare scores with the labels of the same answers.

    Raises:
        ValueError: There are no scores, or their number differs from that of the labels.
    """
    from scipy.stats import rankdata  # type: ignore[import-untyped]  # scipy has no stubs

    given, due = np.asarray(scores, dtype=np.float64), np.asarray(labels, dtype=np.float64)
    if given.shape != due.shape or not given.size:
        raise ValueError(
            f"found {given.size} scores for {due.size} labels, expected one score for each label, "
            f"and at least one label"
        )
    yes_or_no = bool(np.isin(given, (0, 1)).all() and np.isin(due, (0, 1)).all())
    return Agreement(
        n=given.size,
        mean=float(given.mean()),
        label_mean=float(due.mean()),
        pearson=pearson(given, due),
        spearman=pearson(rankdata(given), rankdata(due)),
        kappa=cohens_kappa(given.tolist(), due.tolist()) if yes_or_no else None,
        agreed=int((given == due).sum()) if yes_or_no else None,
        too_kind=int((given > due).sum()) if yes_or_no else None,
        too_strict=int((given < due).sum()) if yes_or_no else None,
    )


def pearson(first: Floats, second: Floats) -> float | None:
    """Return Pearson's r of two arrays of equal length; None if one of them is constant.

    >>> pearson(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0]))
    0.5
    """
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return None
    return float(np.corrcoef(first, second)[0, 1])


def cohens_kappa(first: Sequence[Hashable], second: Sequence[Hashable]) -> float | None:
    """Return Cohen's kappa of two raters; None if both give the same label to everything.

    >>> cohens_kappa(["a", "a", "b", "c"], ["a", "b", "b", "c"])  # 3/4 agree, 5/16 would by chance
    0.6363636363636364
    """
    pairs = list(zip(first, second, strict=True))
    agreed = sum(label == other for label, other in pairs)
    by_chance = sum(first.count(label) * second.count(label) for label in set(first)) / len(pairs)
    return (agreed - by_chance) / (len(pairs) - by_chance) if by_chance < len(pairs) else None
