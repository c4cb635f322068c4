"""Test whether the difference between two methods on the same questions may be due to chance.

The paper tests none of its differences. This module contains the paired bootstrap (over questions
or clusters of questions), McNemar's exact test for answers that are right or wrong, Holm's
correction for a family of tests, and the smallest difference that the given questions can show.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from remem.metrics.intervals import (
    Floats,
    Interval,
    Ratio,
    interval_of,
    joint_resamples,
    sums_per_unit,
)

LEVEL, POWER = 0.05, 0.8
"""The significance level, and the probability with which `smallest` would be detected."""


@dataclass(frozen=True, slots=True)
class PairedTest:
    """A mean difference with its interval and its two-sided p value.

    `smallest` is the smallest true difference that would be significant at the 5% level in 80% of
    cases, given the variance between units (questions or clusters). It is None for a single unit,
    or if all units have the same difference.
    """

    difference: Interval
    p_value: float
    smallest: float | None


def paired_tests(differences: Sequence[Ratio], *, resamples: int, seed: int) -> list[PairedTest]:
    """Test whether mean differences are 0, with the bootstrap.

    Args:
        differences: For each test, the difference on each question.
        resamples: The number of draws.
        seed: The seed of the draws.
    """
    units = [sums_per_unit(ratio) for ratio in differences]
    draws = joint_resamples(units, resamples=resamples, seed=seed)
    return [
        PairedTest(
            difference=interval_of(ratio, sums, drawn),
            p_value=_p_value(*sums, drawn, resamples),
            smallest=_smallest_difference(*sums),
        )
        for ratio, sums, drawn in zip(differences, units, draws, strict=True)
    ]


def mcnemar_exact(first_only: int, second_only: int) -> float:
    """Return the two-sided p value of McNemar's exact test.

    This is a binomial test over the questions that exactly one method answers right. It treats
    questions as independent, so the p value is too small if they form clusters.

    Args:
        first_only: The number of questions that only the first method answers right.
        second_only: The number of questions that only the second method answers right.

    >>> mcnemar_exact(1, 5)  # 2 * (1 + 6) / 2 ** 6
    0.21875
    """
    from scipy.stats import binomtest  # type: ignore[import-untyped]  # scipy has no stubs

    apart = first_only + second_only
    return float(binomtest(first_only, apart).pvalue) if apart else 1.0


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p values adjusted by Holm's method, which limits false positives in a family of tests.

    The smallest of m values is multiplied by m, the next larger one by m - 1, and so on, but an
    adjusted value is at least as large as the previous one.

    >>> holm([0.03, 0.01, 0.04])
    [0.06, 0.03, 0.06]
    """
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    by_size = sorted(range(len(p_values)), key=lambda position: p_values[position])
    for smaller, position in enumerate(by_size):
        highest = max(highest, min(1.0, (len(p_values) - smaller) * p_values[position]))
        adjusted[position] = highest
    return adjusted


def holm_in_families(p_values: Sequence[float], families: Sequence[Hashable]) -> list[float]:
    """Return p values adjusted by Holm's method within each family of tests.

    >>> holm_in_families([0.03, 0.01, 0.04], ["f1", "f1", "em"])
    [0.03, 0.02, 0.04]
    """
    adjusted = [0.0] * len(p_values)
    for family in dict.fromkeys(families):
        places = [at for at, own in enumerate(families) if own == family]
        corrected = holm([p_values[at] for at in places])
        for at, p_value in zip(places, corrected, strict=True):
            adjusted[at] = p_value
    return adjusted


def _p_value(tops: Floats, bottoms: Floats, draws: Floats, resamples: int) -> float:
    """Return twice the share of draws beyond 0, or the p of the t test if that is larger.

    With few units the draws vary too little, which the t test takes into account. If all units have
    the same difference, neither can be computed, and p comes from a sign test.
    """
    from scipy.stats import t

    units, mean = tops.size, float(tops.sum() / bottoms.sum())
    if np.ptp(tops / bottoms) == 0:
        return 2.0 ** (1 - units) if mean else 1.0
    beyond = min(float((draws <= 0).mean()), float((draws >= 0).mean()))
    bootstrap = 2 * (1 + beyond * resamples) / (1 + resamples)
    t_test = 2 * float(t.sf(abs(mean) / standard_error(tops, bottoms), units - 1))
    return min(1.0, max(bootstrap, t_test))


def _smallest_difference(tops: Floats, bottoms: Floats) -> float | None:
    """Return the detectable difference: (t of the level + t of the power) * standard error.

    None if all units are equal.
    """
    from scipy.stats import t

    if np.ptp(tops / bottoms) == 0:
        return None
    quantiles = t.ppf([1 - LEVEL / 2, POWER], tops.size - 1)
    return standard_error(tops, bottoms) * float(quantiles.sum())


def standard_error(tops: Floats, bottoms: Floats) -> float:
    """Return the standard error of the ratio of two sums; there must be at least two units.

    Args:
        tops: The numerator of each unit.
        bottoms: The denominator of each unit, above 0.
    """
    units = tops.size
    residuals = tops - bottoms * tops.sum() / bottoms.sum()
    return float(np.sqrt(units / (units - 1) * (residuals**2).sum()) / bottoms.sum())
