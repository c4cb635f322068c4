"""Paired tests against hand computation, scipy's own tests and theory."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.metrics.intervals import mean_ratio
from remem.metrics.paired import PairedTest, holm, holm_in_families, mcnemar_exact, paired_tests

DRAWS = {"resamples": 9_999, "seed": 7}
P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=12)


def paired(values: list[float], clusters: list[str] | None = None) -> PairedTest:
    return paired_tests([mean_ratio(np.array(values), clusters)], **DRAWS)[0]


@pytest.mark.parametrize(
    ("first_only", "second_only", "p_value"),
    [
        (0, 0, 1.0),
        (3, 3, 1.0),
        (0, 5, 2 / 32),  # 2 * 1 / 2 ** 5
        (0, 6, 2 / 64),
        (2, 8, 112 / 1024),  # 2 * (1 + 10 + 45) / 2 ** 10
        (8, 2, 112 / 1024),
    ],
)
def test_mcnemars_p_is_that_of_a_fair_coin(first_only, second_only, p_value):
    assert mcnemar_exact(first_only, second_only) == pytest.approx(p_value)


def test_holm_by_hand():
    # sorted .005, .01, .03, .04: times 4, 3, 2, 1 = .02, .03, .06, .04, the last not below .06
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.6, 0.7]) == [1.0, 1.0]
    assert holm([]) == []


def test_holm_corrects_each_family_alone():
    # f1: .01 and .04 times 2 and 1; em: .02 alone
    assert holm_in_families([0.04, 0.02, 0.01], ["f1", "em", "f1"]) == [0.04, 0.02, 0.02]
    assert holm_in_families([], []) == []


@given(P_VALUES)
def test_holm_lies_between_no_correction_and_bonferronis_and_keeps_the_order(p_values):
    adjusted = holm(p_values)
    for p_value, one in zip(p_values, adjusted, strict=True):
        assert min(1.0, p_value) <= one <= min(1.0, len(p_values) * p_value)
    by_p = [one for _, one in sorted(zip(p_values, adjusted, strict=True))]
    assert by_p == sorted(by_p)


def test_the_p_of_the_bootstrap_has_two_sides():
    # One large gain among 19 small losses: a draw is below 0 where it misses the gain, which 0.95
    # to the 20th of them do. The t test, which takes the scatter for symmetric, says 0.43.
    assert paired([10.0] + 19 * [-0.1]).p_value == pytest.approx(2 * 0.95**20, abs=0.02)


def test_the_p_of_many_questions_is_near_that_of_the_t_test():
    from scipy.stats import ttest_1samp

    values = np.random.default_rng(2).normal(0.1, 1.0, size=400)
    expected = ttest_1samp(values, 0.0).pvalue
    assert paired(values.tolist()).p_value == pytest.approx(expected, abs=0.01)


def test_without_a_difference_about_one_test_in_twenty_finds_one():
    rng = np.random.default_rng(0)
    draws = {"resamples": 499, "seed": 1}
    ratios = [mean_ratio(rng.normal(size=12)) for _ in range(400)]
    found = sum(test.p_value < 0.05 for test in paired_tests(ratios, **draws))
    assert 8 <= found <= 32  # 20 expected, with a standard deviation of 4.4


def test_the_smallest_difference_is_found_in_four_cases_of_five():
    rng = np.random.default_rng(4)
    spread = paired(rng.normal(size=60).tolist()).smallest
    assert spread == pytest.approx(2.86 / 60**0.5, rel=0.2)  # (2.00 + 0.85) * sigma / sqrt(n)
    draws = {"resamples": 499, "seed": 1}
    ratios = [mean_ratio(rng.normal(2.86 / 60**0.5, 1.0, size=60)) for _ in range(300)]
    found = sum(test.p_value < 0.05 for test in paired_tests(ratios, **draws))
    assert 0.72 <= found / 300 <= 0.88


def test_questions_in_equal_fives_are_as_good_as_one_each():
    values = np.random.default_rng(3).normal(0.3, 1.0, size=40).tolist()
    fives = [value for value in values for _ in range(5)]
    clusters = [str(position // 5) for position in range(200)]
    once, together, apart = paired(values), paired(fives, clusters), paired(fives)
    assert together.p_value == pytest.approx(once.p_value, abs=0.02)
    assert together.smallest == pytest.approx(once.smallest)
    assert together.difference.clusters == 40
    assert apart.p_value < together.p_value
    assert apart.smallest < together.smallest


@pytest.mark.parametrize(
    ("values", "p_value"), [([0.0] * 9, 1.0), ([1.0], 1.0), ([1.0] * 3, 0.25), ([-0.5] * 3, 0.25)]
)
def test_equal_differences_are_judged_by_their_signs(values, p_value):
    found = paired(values)
    assert found.p_value == p_value
    assert found.smallest is None
