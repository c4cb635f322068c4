"""Intervals, percentiles and variances, by hand, by theory and against other libraries."""

import statistics
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.metrics.intervals import (
    Interval,
    Ratio,
    mean_interval,
    mean_ratio,
    percentiles,
    ratio_intervals,
    refusal_interval,
    share,
    variance_parts,
)

DRAWS = {"resamples": 9_999, "seed": 7}


def test_the_half_width_at_the_papers_size_is_about_1_9_points():
    values = np.zeros(1986)
    values[:1513] = 1.0  # p = 0.762; 1.96 * sqrt(p * (1 - p) / n) = 1.87 points
    interval = mean_interval(values, **DRAWS)
    half_width = 100 * (interval.high - interval.low) / 2
    assert 1.80 <= half_width <= 1.95


@pytest.mark.parametrize("size", [2, 30, 560])
def test_the_draws_are_those_of_scipy(size):
    from scipy.stats import bootstrap

    rng = np.random.default_rng(size)
    tops, bottoms = rng.random(size), rng.integers(1, 9, size=size).astype(np.float64)
    few = {**DRAWS, "resamples": 999}
    found = ratio_intervals([Ratio(tops, bottoms), Ratio(tops, np.ones(size))], **few)[0]
    expected = bootstrap(
        (tops, bottoms),
        lambda drawn, below, axis: drawn.sum(axis=axis) / below.sum(axis=axis),
        n_resamples=few["resamples"],
        batch=500,
        paired=True,
        method="percentile",
        rng=np.random.default_rng(few["seed"]),
    ).confidence_interval
    assert [found.low, found.high] == pytest.approx(list(expected), abs=1e-9)


def test_together_or_alone_gives_the_same_intervals():
    rng = np.random.default_rng(9)
    ratios = [mean_ratio(rng.random(size)) for size in (30, 30, 12, 1)]
    ratios = [*ratios, ratios[0], mean_ratio(np.ones(30))]
    alone = [ratio_intervals([ratio], **DRAWS)[0] for ratio in ratios]
    for one, other in zip(ratio_intervals(ratios, **DRAWS), alone, strict=True):
        assert [one.low, one.high] == pytest.approx([other.low, other.high])


def test_resampling_questions_that_come_in_equal_fives_is_too_narrow_by_the_root_of_five():
    values = np.repeat(np.random.default_rng(3).integers(0, 2, size=112), 5).astype(np.float64)
    names = [str(position // 5) for position in range(560)]
    apart = mean_interval(values, **DRAWS)
    together = mean_interval(values, clusters=names, **DRAWS)
    ratio = (together.high - together.low) / (apart.high - apart.low)
    assert ratio == pytest.approx(5**0.5, rel=0.06)


def test_clusters_of_unequal_size_agree_with_a_direct_numpy_bootstrap():
    rng = np.random.default_rng(5)
    sizes = rng.integers(1, 9, size=80)
    groups = [rng.normal(rng.normal(), 0.5, size=size) for size in sizes]
    chosen = rng.integers(0, 80, size=(4_000, 80))
    sums = np.array([group.sum() for group in groups])
    draws = sums[chosen].sum(axis=1) / sizes[chosen].sum(axis=1)
    interval = mean_interval(
        np.concatenate(groups),
        clusters=[str(position) for position, size in enumerate(sizes) for _ in range(size)],
        **DRAWS,
    )
    assert interval.mean == pytest.approx(np.concatenate(groups).mean())
    expected = np.percentile(draws, [2.5, 97.5])
    assert [interval.low, interval.high] == pytest.approx(expected, abs=0.03)


@pytest.mark.parametrize("clusters", [None, ["a", "a", "b"], ["a", "a", "a"]])
def test_a_constant_has_an_interval_without_width_and_without_warnings(clusters):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        interval = mean_interval(np.full(3, 0.5), clusters=clusters, **DRAWS)
    assert (interval.low, interval.mean, interval.high) == (0.5, 0.5, 0.5)


@pytest.mark.parametrize("clusters", [None, ["a"]])
def test_one_question_has_no_interval(clusters):
    alone = mean_interval(np.array([0.3]), clusters=clusters, **DRAWS)
    assert (alone.mean, alone.low, alone.high, alone.n) == (0.3, None, None, 1)


def test_questions_of_one_cluster_are_drawn_themselves():
    values = np.array([0.0, 1.0, 1.0])
    alone = mean_interval(values, clusters=["a", "a", "a"], **DRAWS)
    by_question = mean_interval(values, **DRAWS)
    assert (alone.low, alone.high) == (by_question.low, by_question.high) == (0.0, 1.0)
    assert alone.clusters == 1


@pytest.mark.parametrize("values", [[], [0.5, float("nan")]])
def test_no_values_or_undefined_values_are_an_error(values):
    with pytest.raises(ValueError, match="finite values"):
        mean_interval(np.array(values, dtype=np.float64), **DRAWS)


def test_a_cluster_is_needed_for_each_question():
    with pytest.raises(ValueError, match="2 clusters for 3 questions"):
        mean_interval(np.array([0.0, 1.0, 1.0]), clusters=["a", "b"], **DRAWS)


def test_refusal_intervals_agree_with_a_direct_numpy_bootstrap_over_rows():
    unanswerable = np.arange(1986) < 444
    refused = np.zeros(1986, dtype=bool)
    refused[:252] = refused[444 : 444 + 92] = True  # the counts of the paper's REMem row
    chosen = np.random.default_rng(2).integers(0, 1986, size=(4_000, 1986))
    hits = (refused & unanswerable)[chosen].sum(axis=1)
    given, due = refused[chosen].sum(axis=1), unanswerable[chosen].sum(axis=1)
    found = refusal_interval(refused.tolist(), unanswerable.tolist(), **DRAWS)
    for interval, draws, mean, n in [
        (found.precision, hits / given, 252 / 344, 344),
        (found.recall, hits / due, 252 / 444, 444),
        (found.f1, 2 * hits / (given + due), 504 / 788, 536),
    ]:
        expected = np.percentile(draws, [2.5, 97.5])
        assert interval.mean == pytest.approx(mean)
        assert [interval.low, interval.high] == pytest.approx(expected, abs=0.004)
        assert interval.n == n


def test_undefined_refusal_scores_have_no_interval():
    nothing_refused = refusal_interval([False, False], [True, False], **DRAWS)
    assert nothing_refused.precision is None
    assert nothing_refused.recall == nothing_refused.f1 == Interval(0.0, None, None, 1, None)
    nothing_unanswerable = refusal_interval([True, False], [False, False], **DRAWS)
    assert nothing_unanswerable.precision == Interval(0.0, None, None, 1, None)
    assert nothing_unanswerable.recall is nothing_unanswerable.f1 is None


def test_refusals_are_resampled_by_cluster_if_asked():
    refused, unanswerable = [True, True, True, False], [True, True, False, True]
    found = refusal_interval(refused, unanswerable, clusters=["a", "a", "b", "b"], **DRAWS)
    # a: 2 hits of 2 refusals; b: 0 of 1. Draws: aa = 1, ab = 2/3, bb = 0.
    assert found.precision == Interval(2 / 3, 0.0, 1.0, 3, 2)


def test_refusals_and_questions_are_rows_of_one_table():
    with pytest.raises(ValueError, match="1 refusals for 2 questions"):
        refusal_interval([True], [True, False], **DRAWS)


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_is_wilsons(counts):
    from scipy.stats import binomtest

    count, n = counts
    expected = binomtest(count, n).proportion_ci(method="wilson")
    found = share(count, n)
    assert found.low == pytest.approx(expected.low, abs=1e-12)
    assert found.high == pytest.approx(expected.high, abs=1e-12)
    assert found.low <= found.mean <= found.high


@pytest.mark.parametrize(("count", "n"), [(0, 0), (2, 1), (-1, 3)])
def test_what_is_no_share_is_refused(count, n):
    with pytest.raises(ValueError, match="expected n >= 1 and a count from 0 to n"):
        share(count, n)


SECONDS = st.floats(0, 1e6, allow_nan=False)


def test_by_hand_the_place_is_one_plus_n_minus_one_times_p() -> None:
    found = percentiles([40.0, 10.0, 30.0, 20.0, 50.0])
    assert found is not None
    # Places 3, 1 + 4 * 0.95 = 4.8 and 1 + 4 * 0.99 = 4.96 of 10 20 30 40 50.
    assert (found.p50, found.p95, found.p99) == pytest.approx((30.0, 48.0, 49.6))
    assert (found.n, found.total) == (5, 150.0)


def test_one_value_is_every_percentile_and_none_has_none() -> None:
    found = percentiles([2.5])
    assert found is not None
    assert (found.p50, found.p95, found.p99, found.n) == (2.5, 2.5, 2.5, 1)
    assert percentiles([]) is None


@given(st.lists(SECONDS, min_size=2, max_size=50))
def test_they_are_the_inclusive_quantiles_of_the_standard_library(values: list[float]) -> None:
    found = percentiles(values)
    assert found is not None
    cuts = statistics.quantiles(values, n=100, method="inclusive")
    assert (found.p50, found.p95, found.p99) == pytest.approx((cuts[49], cuts[94], cuts[98]))


def test_a_judge_that_flips_on_one_answer_of_two():
    # variances over the repeats: 0.5 (1 and 0) and 0, mean 0.25; sd of the mean of two questions
    found = variance_parts(np.array([[[1.0, 0.0]], [[1.0, 1.0]]]))
    assert (found.questions, found.runs, found.repeats) == (2, 1, 2)
    assert found.judge == 0.25
    assert found.judge_sd == pytest.approx((0.25 / 2) ** 0.5)
    assert found.flipped == 0.5
    assert (found.answers, found.answers_sd) == (None, None)


def test_a_judge_without_noise_leaves_all_to_the_answers():
    # the means of the two answers are 1 and 0: their variance is 0.5
    found = variance_parts(np.array([[[1.0, 1.0], [0.0, 0.0]]]))
    assert (found.judge, found.answers, found.flipped) == (0.0, 0.5, 0.0)
    assert found.answers_sd == pytest.approx(0.5**0.5)


def test_the_parts_that_were_drawn_are_found():
    rng = np.random.default_rng(0)
    question = rng.normal(0, 1, size=(2_000, 1, 1))
    answer = rng.normal(0, 0.5, size=(2_000, 4, 1))
    found = variance_parts(question + answer + rng.normal(0, 0.3, size=(2_000, 4, 3)))
    assert found.judge == pytest.approx(0.09, rel=0.05)
    assert found.answers == pytest.approx(0.25, rel=0.05)


def test_one_verdict_on_each_answer_says_nothing_of_the_judge():
    with pytest.raises(ValueError, match=r"2 verdicts; set judge\.repeats"):
        variance_parts(np.ones((3, 2, 1)))
