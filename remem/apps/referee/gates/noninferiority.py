"""Bound the difference between two runs on the same questions, for a gate with a margin.

A gate asks whether a run is worse than its baseline by less than a margin (non-inferiority): it
passes if the lower bound of a one-sided interval of the mean paired difference is above minus the
margin. A drop as large as the margin then fails in about 95% of cases, however many questions there
are. The number of questions only affects how often an unchanged memory passes (`gate_power`). If
few questions differ and all of them got worse, the variance is underestimated, and only 88 to 95%
of such drops fail.
"""

from dataclasses import dataclass, replace

import numpy as np

from remem.metrics.intervals import Ratio, joint_resamples, sums_per_unit
from remem.metrics.paired import standard_error

LEVEL = 0.05
"""The intended share of cases in which a drop as large as the margin passes."""
OFTEN, MOSTLY = 0.8, 0.9
"""The power of `GatePower.found_often`, and of `GatePower.margin_for_unchanged`."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """A mean difference over `n` questions, with a lower and an upper bound.

    The argument `level` of `paired_bounds` is the share of cases in which the true mean is below
    `low`, and also the share of cases in which it is above `high`. `error` is the standard error
    over `units` questions or clusters. `clusters` is None if the questions count as independent. If
    there is only one cluster, its questions are resampled as if they were independent.
    """

    mean: float
    low: float
    high: float
    n: int
    clusters: int | None
    units: int
    error: float


@dataclass(frozen=True, slots=True)
class GatePower:
    """How often an unchanged memory passes a gate, and which drops the gate detects.

    Attributes:
        unchanged_passes: The share of cases in which an unchanged memory passes.
        found_often: The drop that fails in 80% of cases; 0 if an unchanged memory fails that often.
        margin_for_unchanged: The margin at which an unchanged memory passes in 90% of cases.
    """

    unchanged_passes: float
    found_often: float
    margin_for_unchanged: float


def paired_bounds(ratio: Ratio, *, level: float, resamples: int, seed: int) -> Bounds:
    """Return the bounds of a mean difference between two runs.

    Each bound is computed with the percentile bootstrap and with the t distribution. The result
    further from the mean is used, because the bootstrap varies too little over few units. Each
    bound is at least 1 - level ** (1 / n) away from the mean (0.3 points for 1,000 questions),
    because such a share of all questions could differ even if none of the `n` questions does. If
    all clusters have the same difference, questions are resampled instead of clusters.

    Args:
        ratio: The differences, each from -1 to 1.
        level: For each bound, the share of cases in which the true mean is beyond it.
        resamples: The number of draws.
        seed: The seed of the draws.
    """
    tops, bottoms = sums_per_unit(ratio)
    has_clusters = ratio.clusters is not None and tops.size < ratio.numerators.size
    if has_clusters and np.ptp(tops / bottoms) == 0:
        apart = replace(ratio, clusters=None)
        return paired_bounds(apart, level=level, resamples=resamples, seed=seed)
    (draws,) = joint_resamples([(tops, bottoms)], resamples=resamples, seed=seed)
    mean, n = float(tops.sum() / bottoms.sum()), ratio.numerators.size
    clusters = n if ratio.clusters is None else len(set(ratio.clusters))
    error = standard_error(tops, bottoms) if tops.size > 1 else 0.0
    reach = max(_t(1 - level, tops.size) * error, 1 - level ** (1 / n))
    low, high = np.percentile(draws, [100 * level, 100 * (1 - level)]).tolist()
    return Bounds(
        mean=mean,
        low=min(low, mean - reach),
        high=max(high, mean + reach),
        n=n,
        clusters=None if clusters == n else clusters,
        units=tops.size,
        error=error,
    )


def gate_power(error: float, units: int, margin: float) -> GatePower:
    """Return how often a gate passes and fails, given the standard error of the difference.

    Args:
        error: The standard error of the mean difference, above 0.
        units: The number of questions or clusters, at least 2.
        margin: The margin of the gate, in the unit of the error.
    """
    from scipy.stats import t  # type: ignore[import-untyped]  # scipy has no stubs

    level = _t(1 - LEVEL, units)
    return GatePower(
        unchanged_passes=float(t.cdf(margin / error - level, units - 1)),
        found_often=max(0.0, margin - (level - _t(OFTEN, units)) * error),
        margin_for_unchanged=(level + _t(MOSTLY, units)) * error,
    )


def planned_error(differing: float, questions: int) -> float:
    """Return the standard error of the mean difference between two runs of an unchanged system.

    Questions count as independent. The error is exact if all scores are 0 or 1, and an upper bound
    if some are in between.

    Args:
        differing: The share of questions whose scores differ between two runs.
        questions: The number of questions.

    >>> round(planned_error(0.15, 1000), 5)  # sqrt(0.15 / 1000)
    0.01225
    """
    return float(np.sqrt(differing / questions))


def _t(share: float, units: int) -> float:
    """Return the quantile of the t distribution over a number of units; 0 for a single one."""
    from scipy.stats import t

    return float(t.ppf(share, units - 1)) if units > 1 else 0.0
