"""Percentiles, checked by hand and against the standard library's own definition."""

import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.metrics.intervals import percentiles

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
