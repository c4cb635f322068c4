"""Exact search: ties, and pairs of many vectors."""

import numpy as np
import pytest

from remem.index.numpy_dense import BLOCK, NumpyDense, pairs_by_blocks
from remem.index.ranking import RankedVectors


def index_of(vectors: np.ndarray) -> RankedVectors:
    index = RankedVectors(NumpyDense())
    index.add(vectors.astype(np.float32))
    return index


def test_vectors_whose_float32_scores_differ_only_by_noise_tie_by_position(units) -> None:
    row, query = units(2, 1000)
    shuffled = np.random.default_rng(1).permutation(1000)
    index = index_of(np.tile(row, (200, 1)))
    hits = index.search(query, 5)
    assert [position for position, _ in hits] == [0, 1, 2, 3, 4]
    assert index_of(np.tile(row[shuffled], (200, 1))).search(query[shuffled], 5) == hits


@pytest.mark.parametrize("dimension", [1, 64])  # of 64 the bounds tell nearly all apart
@pytest.mark.parametrize(("threshold", "since"), [(0.2, 7), (-1.0, 100)])
def test_pairs_of_many_vectors_are_those_of_the_definition(units, dimension, threshold, since):
    rows = units(BLOCK + 70, dimension, seed=dimension)
    similarity = np.round(rows.astype(np.float64) @ rows.T.astype(np.float64), 6)
    first, second = np.nonzero(similarity >= threshold)
    wanted = (first < second) & (second >= since)
    expected = np.column_stack((first[wanted], second[wanted]))
    assert np.array_equal(pairs_by_blocks(rows, threshold, since), expected)
