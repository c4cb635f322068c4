"""The ranking rule, by hand."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.index.ranking import (
    Nearest,
    VectorTable,
    find_candidates,
    highest,
    rank,
)


def positions(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


def test_scores_that_agree_to_six_decimals_tie_by_position_also_at_the_cut() -> None:
    assert rank(positions(7, 3, 5), np.array([0.5000001, 0.5000003, 0.6]), 3) == [
        *((5, 0.6), (3, 0.5), (7, 0.5))
    ]
    assert rank(positions(9, 4, 6, 2), np.array([0.1, 0.1, 0.9, 0.1]), 2) == [(6, 0.9), (2, 0.1)]


@given(st.integers(1, 3000), st.integers(0, 60), st.integers(1, 500), st.integers(0, 99))
def test_the_highest_scores_are_those_of_a_stable_sort(
    size: int, count: int, different: int, seed: int
) -> None:
    scores = np.random.default_rng(seed).integers(0, different, size).astype(np.float32)
    assert highest(scores, count).tolist() == np.argsort(-scores, kind="stable")[:count].tolist()


def test_a_negative_zero_is_a_zero() -> None:
    assert json.dumps(rank(positions(0), np.array([-1e-9]), 1)) == "[[0, 0.0]]"


def scripted_backend(scores: list[float], asked: list[int]) -> Nearest:
    ordered = np.array(scores, dtype=np.float32)

    def nearest(count: int) -> tuple[np.ndarray, np.ndarray]:
        asked.append(count)
        return np.arange(count), ordered[:count]

    return nearest


def test_a_backend_is_asked_for_more_while_the_cut_runs_through_a_tie() -> None:
    asked: list[int] = []
    backend = scripted_backend([0.9] * 100 + [0.1] * 900, asked)
    assert len(find_candidates(backend, 8, 1000)) == 160
    assert asked == [40, 160]


def test_scores_that_float32_cannot_tell_apart_count_as_a_tie() -> None:
    asked: list[int] = []
    backend = scripted_backend([0.5] * 10 + [0.5 - 4e-6] * 60 + [0.1] * 400, asked)
    assert len(find_candidates(backend, 10, 470)) == 168
    assert asked == [42, 168]


def eye(*axes: int) -> np.ndarray:
    return np.eye(4, dtype=np.float32)[list(axes)]


def test_vectors_of_another_dimension_are_refused() -> None:
    table = VectorTable()
    table.append(eye(0))
    with pytest.raises(ValueError, match=r"shape \(1, 3\), expected \(n, 4\)"):
        table.append(np.array([[1.0, 0.0, 0.0]], dtype=np.float32))


@pytest.mark.parametrize("bad", [0.0, 2.0, np.nan])
def test_a_vector_that_has_not_length_one_is_refused_by_its_place(bad: float) -> None:
    vectors = eye(0, 1, 2)
    vectors[1] *= bad
    with pytest.raises(ValueError, match="vector 1 of 3 has length"):
        VectorTable().append(vectors)
