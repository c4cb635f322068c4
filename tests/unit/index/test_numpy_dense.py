"""Exact search: ties, blocks and borderline pairs."""

import numpy as np
import pytest

from remem.index.numpy_dense import NumpyDense
from remem.index.pairs import BLOCK, pair_blocks


def index_of(vectors: np.ndarray) -> NumpyDense:
    index = NumpyDense()
    index.add(vectors.astype(np.float32))
    return index


def random_units(count: int, dimension: int) -> np.ndarray:
    vectors = np.random.default_rng(0).normal(size=(count, dimension))
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def test_of_three_hundred_equal_vectors_the_first_ones_win() -> None:
    index = index_of(np.vstack([[[0.0, 1.0]], np.tile([[0.6, 0.8]], (300, 1)), [[1.0, 0.0]]]))
    query = np.array([1.0, 0.0], dtype=np.float32)
    assert index.search(query, 4) == [(301, 1.0), (1, 0.6), (2, 0.6), (3, 0.6)]


def test_vectors_whose_float32_scores_differ_only_by_noise_tie_by_position() -> None:
    row = random_units(1, 1000)[0]
    query = random_units(2, 1000)[1].astype(np.float32)
    shuffled = np.random.default_rng(1).permutation(1000)
    index = index_of(np.tile(row, (200, 1)))
    hits = index.search(query, 5)
    assert [position for position, _ in hits] == [0, 1, 2, 3, 4]
    assert index_of(np.tile(row[shuffled], (200, 1))).search(query[shuffled], 5) == hits


def test_a_pair_at_the_threshold_counts_and_one_just_below_does_not() -> None:
    at, below = 0.8, 0.799995
    vectors = np.array([[1.0, 0.0], [at, 0.6], [below, -np.sqrt(1 - below**2)]])
    assert index_of(vectors).pairs_above(0.8).tolist() == [[0, 1]]


def test_equal_vectors_are_a_pair_at_threshold_one() -> None:
    rows = random_units(2, 300)
    assert index_of(rows[[0, 1, 0]]).pairs_above(1.0).tolist() == [[0, 2]]


def test_pairs_are_found_within_and_across_blocks_and_sorted() -> None:
    rows = random_units(2 * BLOCK + 50, 64)
    planted = [(2 * BLOCK + 1, 3), (BLOCK, BLOCK - 1), (7, 5), (2 * BLOCK + 40, 2 * BLOCK + 2)]
    for copy, original in planted:
        rows[copy] = rows[original]
    expected = sorted([original, copy] for copy, original in planted)
    index = index_of(rows)
    assert index.pairs_above(0.95).tolist() == expected
    for since in (1, 8, BLOCK, 2 * BLOCK + 40, len(rows)):
        new = [pair for pair in expected if pair[1] >= since]
        assert index.pairs_above(0.95, since).tolist() == new


@pytest.mark.parametrize("block", [1, 3, 4, 50])
def test_squares_hold_every_pair_since_a_position_exactly_once(block: int) -> None:
    for count, since in ((0, 0), (1, 0), (9, 0), (9, 1), (9, 5), (9, 8), (9, 9), (9, 20)):
        covered = [
            (i, j)
            for top, left in pair_blocks(count, since, block)
            for i in range(top, min(top + block, count))
            for j in range(left, min(left + block, count))
            if i < j
        ]
        assert sorted(covered) == [
            (i, j) for i in range(count) for j in range(i + 1, count) if j >= since
        ]


def test_few_allowed_entries_are_found_and_ranked_as_many_are() -> None:
    rows = random_units(2000, 16).astype(np.float32)
    index = index_of(rows)
    allowed = np.zeros(2000, dtype=np.bool_)
    allowed[3::23] = True  # 87 of them: fewer than one in 20, more than are scored again
    for wanted in (3, 1000, 1981):
        scores = np.where(allowed, rows.astype(np.float64) @ rows[wanted], -2.0)
        best = [int(position) for position in np.argsort(-scores)[:5]]
        assert [at for at, _ in index.search(rows[wanted], 5, allowed)] == best
    assert len(index.search(rows[0], 2000, allowed)) == 87


def test_an_empty_index_has_no_pairs() -> None:
    pairs = NumpyDense().pairs_above(0.8)
    assert pairs.shape == (0, 2)
    assert pairs.dtype == np.int64
