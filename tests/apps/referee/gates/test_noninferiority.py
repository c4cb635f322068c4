"""Bounds of paired differences and the power of a gate, by hand and against theory."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t, ttest_1samp

from remem.apps.referee.gates.noninferiority import (
    LEVEL,
    Bounds,
    gate_power,
    paired_bounds,
    planned_error,
)
from remem.metrics.intervals import Ratio, mean_ratio

GAINS = st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.5, 1.0]), min_size=2, max_size=40)


def bounds(gains: list[float], clusters: list[str] | None = None, level: float = LEVEL) -> Bounds:
    ratio = Ratio(np.array(gains), np.ones(len(gains)), clusters)
    return paired_bounds(ratio, level=level, resamples=999, seed=3)


def test_over_many_questions_both_bounds_are_those_of_scipys_t_test() -> None:
    gains = [1.0] * 70 + [-1.0] * 80 + [0.0] * 850
    found = bounds(gains)
    theirs = ttest_1samp(gains, 0).confidence_interval(0.9)  # two-sided 90%: 5% on each side
    assert found.mean == pytest.approx(-0.01)
    assert found.low == pytest.approx(theirs.low, abs=0.002)
    assert found.high == pytest.approx(theirs.high, abs=0.002)
    assert found.low <= theirs.low + 1e-12
    assert found.high >= theirs.high - 1e-12
    assert (found.n, found.units, found.clusters) == (1000, 1000, None)


def test_over_few_clusters_the_t_distribution_decides() -> None:
    # means .5, 0, -.5 over three clusters of two: standard error .5 / sqrt(3) = .2887, t .95 of 2
    # degrees 2.92; the bootstrap cannot leave -.5 to .5
    gains, clusters = [0.5, 0.5, 0.0, 0.0, -0.5, -0.5], ["a", "a", "b", "b", "c", "c"]
    found = bounds(gains, clusters)
    assert found.error == pytest.approx(0.2887, abs=1e-4)
    assert found.low == pytest.approx(-2.92 * 0.2887, abs=1e-3)
    assert (found.units, found.clusters) == (3, 3)


def test_questions_that_are_all_equal_still_leave_room_for_those_not_asked() -> None:
    found = bounds([0.0] * 1000)
    # the largest share p with (1 - p) ** 1000 >= .05
    assert found.low == pytest.approx(-0.00299, abs=1e-5)
    assert found.high == -found.low
    assert bounds([0.0] * 10).low == pytest.approx(-0.2589, abs=1e-4)  # 1 - .05 ** .1


def test_one_question_decides_nothing() -> None:
    assert bounds([1.0]).low == pytest.approx(0.05)  # 1 - .95
    assert bounds([0.0]).low == pytest.approx(-0.95)


def test_clusters_that_happen_to_agree_do_not_hide_the_variance_of_their_questions() -> None:
    gains = [1.0, -1.0] * 30
    found = bounds(gains, [str(at // 2) for at in range(60)])
    alone = bounds(gains)
    assert (found.low, found.units, found.clusters) == (alone.low, 60, None)


def test_one_cluster_is_resampled_by_question_and_is_counted() -> None:
    found = bounds([1.0, -1.0, 0.0, 0.0], ["h"] * 4)
    assert (found.units, found.clusters) == (4, 1)
    assert bounds([1.0, 0.0, -1.0], ["a", "b", "c"]).clusters is None  # each has its own


@given(GAINS)
def test_bounds_enclose_the_mean_and_turn_with_the_sign(gains: list[float]) -> None:
    found, turned = bounds(gains), bounds([-gain for gain in gains])
    assert found.low < found.mean < found.high
    assert turned.low == pytest.approx(-found.high, abs=0.15)
    assert bounds(gains, level=0.01).low <= found.low + 1e-12


def test_power_is_that_of_the_t_test() -> None:
    error = planned_error(0.15, 1000)  # .012247
    power = gate_power(error, 1000, 0.04)
    # passes above 1.646 errors over -.04: (.04 - 1.646 * .012247) / .012247 = 1.62 errors
    assert power.unchanged_passes == pytest.approx(0.947, abs=0.001)
    assert power.found_often == pytest.approx(0.04 - (1.6464 - 0.8420) * error, abs=1e-5)
    assert power.margin_for_unchanged == pytest.approx((1.6464 + 1.2824) * error, abs=1e-5)
    there = gate_power(error, 1000, power.margin_for_unchanged)
    assert there.unchanged_passes == pytest.approx(0.9)


def test_few_clusters_cost_power() -> None:
    few, many = gate_power(0.012, 10, 0.04), gate_power(0.012, 1000, 0.04)
    assert few.unchanged_passes < many.unchanged_passes
    assert few.margin_for_unchanged == pytest.approx((t.ppf(0.95, 9) + t.ppf(0.9, 9)) * 0.012)


def test_where_an_unchanged_memory_fails_often_no_drop_is_needed() -> None:
    assert gate_power(0.1, 20, 0.04).found_often == 0.0


def test_a_planted_drop_is_found_and_noise_passes_about_as_often_as_power_says() -> None:
    rng = np.random.default_rng(0)
    passed = {0.0: 0, 0.05: 0}
    for drop in passed:
        for _ in range(60):
            shares = [(0.15 + drop) / 2, 0.85, (0.15 - drop) / 2]
            gains = mean_ratio(rng.choice([-1.0, 0.0, 1.0], size=1000, p=shares))
            found = paired_bounds(gains, level=LEVEL, resamples=199, seed=0)
            passed[drop] += found.low > -0.04
    assert passed[0.05] <= 3
    assert passed[0.0] >= 50
