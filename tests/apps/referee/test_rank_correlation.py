"""Kendall's tau-b, against scipy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from remem.apps.referee.rank_correlation import tau_b

SCORES = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=9)


@given(SCORES)
def test_it_is_scipys_tau_b(pairs: list[tuple[int, int]]) -> None:
    first, second = np.array(pairs, dtype=np.float64).T
    expected = float(kendalltau(first, second).statistic)
    found = float(tau_b(first[np.newaxis], second[np.newaxis])[0])
    assert found == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_rows_are_independent_and_rounding_makes_no_order() -> None:
    first = np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [0.3, 0.1 + 0.2, 0.3]])
    second = np.array([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0], [1.0, 2.0, 3.0]])
    assert tau_b(first, second)[:2].tolist() == [1.0, -1.0]
    assert np.isnan(tau_b(first, second)[2])
