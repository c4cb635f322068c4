"""Compute 95% bootstrap intervals, which are the sub- and superscripts in the paper's tables.

The paper does not name its method. This module uses the percentile bootstrap, which draws units
with replacement. A unit is a question, or a cluster of questions about the same facts (Test of Time
asks each question in five orders). Every score is a ratio of two sums over the drawn units, so the
same bootstrap works for means, precision, recall and F1. Scores with the same number of units share
their draws.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

FEW_CLUSTERS = 20
"""With fewer clusters, the interval of a percentile bootstrap misses the true value too often."""

DRAWS_AT_ONCE = 500  # 2,800 questions then take 11 MB at a time; the draws do not depend on it
GRAINS = 2.0**30
"""Scores are rounded to multiples of 1 / GRAINS (about 1e-9) before they are summed."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean (or ratio) over `n` questions with its 95% interval.

    `low` and `high` are None for a single question, which has no interval. `clusters` is the number
    of clusters of the questions, or None if questions are treated as independent. With only one
    cluster, the questions are also resampled as if they were independent.
    """

    mean: float
    low: float | None
    high: float | None
    n: int
    clusters: int | None


@dataclass(frozen=True, slots=True)
class Ratio:
    """A score as the ratio of two sums over questions.

    `clusters` has the name of each question's cluster. Whole clusters are drawn, or single
    questions if `clusters` is None.
    """

    numerators: Floats
    denominators: Floats
    clusters: Sequence[str] | None = None

    def __post_init__(self) -> None:
        if self.clusters is not None and len(self.clusters) != self.numerators.size:
            raise ValueError(
                f"found {len(self.clusters)} clusters for {self.numerators.size} questions, "
                f"expected one cluster for each question"
            )


@dataclass(frozen=True, slots=True)
class RefusalIntervals:
    """The intervals of precision, recall and F1; each is None where `RefusalScores` has None."""

    precision: Interval | None
    recall: Interval | None
    f1: Interval | None


def mean_interval(
    values: Floats, *, resamples: int, seed: int, clusters: Sequence[str] | None = None
) -> Interval:
    """Return the mean of all values and its interval; if there are clusters, draw whole clusters.

    >>> mean_interval(np.ones(5), resamples=99, seed=0)
    Interval(mean=1.0, low=1.0, high=1.0, n=5, clusters=None)
    """
    return ratio_intervals([mean_ratio(values, clusters)], resamples=resamples, seed=seed)[0]


def mean_ratio(values: Floats, clusters: Sequence[str] | None = None) -> Ratio:
    """Return the mean of values as a ratio: their sum divided by their number."""
    if not values.size or not np.isfinite(values).all():
        raise ValueError(f"an interval needs one or more finite values, found {values}")
    return Ratio(values, np.ones_like(values), clusters)


def refusal_interval(
    refused: Sequence[bool],
    unanswerable: Sequence[bool],
    *,
    resamples: int,
    seed: int,
    clusters: Sequence[str] | None = None,
) -> RefusalIntervals:
    """Return the intervals of the precision, recall and F1 of refusals.

    Each score is resampled only over the questions in its denominator, so that it is defined for
    every draw. These are the refused questions for precision, the unanswerable questions for
    recall, and all questions of either kind for F1.
    """
    given, due = np.asarray(refused, dtype=np.float64), np.asarray(unanswerable, dtype=np.float64)
    if given.shape != due.shape:
        raise ValueError(
            f"found {given.size} refusals for {due.size} questions, expected the same number"
        )

    def interval(numerators: Floats, denominators: Floats) -> Interval:
        ratio = Ratio(numerators, denominators, clusters)
        return ratio_intervals([ratio], resamples=resamples, seed=seed)[0]

    hits = given * due
    return RefusalIntervals(
        precision=interval(hits, given) if given.any() else None,
        recall=interval(hits, due) if due.any() else None,
        f1=interval(2 * hits, given + due) if due.any() else None,
    )


def ratio_intervals(ratios: Sequence[Ratio], *, resamples: int, seed: int) -> list[Interval]:
    """Return the interval of each ratio; ratios with the same number of units share their draws.

    The interval of a ratio does not depend on the other ratios, because draws depend only on the
    seed and the number of units.
    """
    units = [sums_per_unit(ratio) for ratio in ratios]
    draws = joint_resamples(units, resamples=resamples, seed=seed)
    return [interval_of(*parts) for parts in zip(ratios, units, draws, strict=True)]


def interval_of(ratio: Ratio, units: tuple[Floats, Floats], draws: Floats) -> Interval:
    """Compute the 95% interval of a ratio from its draws; a single unit has no interval."""
    tops, bottoms = units
    low, high = np.percentile(draws, [2.5, 97.5]).tolist() if tops.size > 1 else (None, None)
    return Interval(
        mean=float(tops.sum() / bottoms.sum()),
        low=low,
        high=high,
        n=int((ratio.denominators > 0).sum()),
        clusters=_cluster_count(ratio),
    )


def _cluster_count(ratio: Ratio) -> int | None:
    """Count the clusters with a question whose denominator is above 0; None without clusters."""
    if ratio.clusters is None:
        return None
    counted = zip(ratio.clusters, ratio.denominators > 0, strict=True)
    return len({cluster for cluster, counts in counted if counts})


def sums_per_unit(ratio: Ratio) -> tuple[Floats, Floats]:
    """Return the numerator and denominator of each unit whose denominator is above 0.

    Units are clusters if there are several clusters, else questions, because an interval over a
    single cluster would have no width.
    """
    tops, bottoms = ratio.numerators, ratio.denominators
    if ratio.clusters is not None and _cluster_count(ratio) != 1:
        tops, bottoms = _sums_per_cluster(tops, bottoms, ratio.clusters)
    return tops[bottoms > 0], bottoms[bottoms > 0]


def joint_resamples(
    units: Sequence[tuple[Floats, Floats]], *, resamples: int, seed: int
) -> list[Floats]:
    """Resample each score, given as the numerators and denominators of its units.

    Returns:
        For each score, an array of `resamples` ratios, or of a single ratio if all units have
        the same ratio.
    """
    alike: defaultdict[tuple[bytes, bytes], list[int]] = defaultdict(list)
    for position, (tops, bottoms) in enumerate(units):
        alike[tops.tobytes(), bottoms.tobytes()].append(position)
    varying: defaultdict[int, list[list[int]]] = defaultdict(list)
    draws = [np.array([tops.sum() / bottoms.sum()]) for tops, bottoms in units]
    for positions in alike.values():
        tops, bottoms = units[positions[0]]
        if np.ptp(tops / bottoms) > 0:
            varying[tops.size].append(positions)
    for groups in varying.values():
        tops = np.column_stack([units[positions[0]][0] for positions in groups])
        bottoms = np.column_stack([units[positions[0]][1] for positions in groups])
        together = _drawn_ratios(tops, bottoms, resamples, np.random.default_rng(seed))
        for positions, column in zip(groups, together.T, strict=True):
            for position in positions:
                draws[position] = column
    return draws


def _drawn_ratios(
    tops: Floats, bottoms: Floats, resamples: int, rng: np.random.Generator
) -> Floats:
    """Resample units with replacement and return ratios of shape (resamples, columns)."""
    units, ratios = tops.shape
    # Rounding makes sums exact, so that they do not depend on the order of addition.
    both = np.round(np.hstack((tops, bottoms)) * GRAINS) / GRAINS
    drawn = []
    for first in range(0, resamples, DRAWS_AT_ONCE):
        draws = min(DRAWS_AT_ONCE, resamples - first)
        chosen = rng.integers(0, units, size=(draws, units))
        chosen += units * np.arange(draws)[:, np.newaxis]
        counts = np.bincount(chosen.ravel(), minlength=draws * units).reshape(draws, units)
        sums = counts.astype(np.float64) @ both
        drawn.append(sums[:, :ratios] / sums[:, ratios:])
    return np.concatenate(drawn)


def _sums_per_cluster(
    numerators: Floats, denominators: Floats, clusters: Sequence[str]
) -> tuple[Floats, Floats]:
    _, positions = np.unique(np.asarray(clusters), return_inverse=True)
    sums = [np.bincount(positions, weights=parts) for parts in (numerators, denominators)]
    return sums[0].astype(np.float64), sums[1].astype(np.float64)


RANKS = (50, 95, 99)
DEFINITION = "linear interpolation (Hyndman and Fan, method 7)"


@dataclass(frozen=True, slots=True)
class Percentiles:
    """Three percentiles of `n` values, and the sum of the values."""

    p50: float
    p95: float
    p99: float
    n: int
    total: float


def percentiles(values: Sequence[float]) -> Percentiles | None:
    """Return the percentiles of values; None if there are no values.

    >>> percentiles([4.0, 1.0, 2.0, 3.0])
    Percentiles(p50=2.5, p95=3.8499999999999996, p99=3.9699999999999998, n=4, total=10.0)
    """
    if not values:
        return None
    p50, p95, p99 = np.percentile(np.asarray(values, dtype=np.float64), RANKS, method="linear")
    return Percentiles(float(p50), float(p95), float(p99), len(values), float(sum(values)))


_Z = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True, slots=True)
class Share:
    """The share of `count` cases among `n`, with Wilson's 95% interval."""

    count: int
    n: int
    low: float
    high: float

    @property
    def mean(self) -> float:
        """The share, from 0 to 1."""
        return self.count / self.n


def share(count: int, n: int) -> Share:
    """Return the share of `count` among `n` independent cases, with its interval.

    >>> none = share(0, 10)  # high = z ** 2 / (10 + z ** 2) = 3.84 / 13.84
    >>> none.low, round(none.high, 4)
    (0.0, 0.2775)
    """
    if not 0 <= count <= n or n == 0:
        raise ValueError(f"found count={count} and n={n}, expected n >= 1 and a count from 0 to n")
    mean, spread = count / n, _Z**2 / n
    centre = (mean + spread / 2) / (1 + spread)
    half = (mean * (1 - mean) * spread + spread**2 / 4) ** 0.5 / (1 + spread)
    low = centre - half if count else 0.0
    return Share(count, n, low, centre + half if count < n else 1.0)


@dataclass(frozen=True, slots=True)
class VarianceParts:
    """The variance of verdicts by cause, and its effect on the mean score of a run.

    `judge` is the variance between verdicts on the same answer. `answers` is the variance that
    runs add (None if there is only one run). `judge_sd` and `answers_sd` are the standard
    deviations that these two variances cause in the mean score of a run with one verdict per
    answer. `flipped` is the share of answers with contradictory verdicts.
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
    """Split the variance of verdicts by cause; their shape is (questions, runs, repeats).

    Raises:
        ValueError: There are no questions, or fewer than 2 repeats.
    """
    questions, runs, repeats = verdicts.shape
    if questions == 0 or repeats < 2:
        raise ValueError(
            f"found questions: {questions}, verdicts on each answer: {repeats}; expected at least "
            f"1 question and 2 verdicts; set judge.repeats to 2 or more"
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
