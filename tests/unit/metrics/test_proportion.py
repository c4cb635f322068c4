"""Wilson's interval against scipy's."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.metrics.intervals import share


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
    with pytest.raises(ValueError, match="expected n of at least 1 and a count from 0 to n"):
        share(count, n)
