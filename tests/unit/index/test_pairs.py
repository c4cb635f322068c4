"""Pairs of many vectors, by bounds or by whole products, are those of float64 throughout."""

import numpy as np
import pytest
from measure.workload import unit_vectors

from remem.index.pairs import BLOCK, pairs_by_blocks


@pytest.mark.parametrize("dimension", [1, 2, 64])  # of 64 the bounds tell nearly all apart
@pytest.mark.parametrize(("threshold", "since"), [(0.8, 0), (0.2, 7), (-1.0, 100), (0.8, 100)])
def test_pairs_of_many_vectors_are_those_of_the_definition(dimension, threshold, since):
    rows = unit_vectors(BLOCK + 70, dimension, np.random.default_rng(dimension))
    similarity = np.round(rows.astype(np.float64) @ rows.T.astype(np.float64), 6)
    first, second = np.nonzero(similarity >= threshold)
    wanted = (first < second) & (second >= since)
    expected = np.column_stack((first[wanted], second[wanted]))
    assert np.array_equal(pairs_by_blocks(rows, threshold, since), expected)


def test_a_pair_at_the_threshold_counts_and_one_below_it_does_not():
    rows = np.zeros((BLOCK, 256), dtype=np.float32)
    rows[np.arange(BLOCK), np.arange(BLOCK) % 256] = 1  # three of each direction
    rows[5] = rows[6] = 0
    rows[5, [0, 255]] = 0.8, 0.6
    rows[6, [1, 255]] = 0.799998, np.sqrt(1 - 0.799998**2)
    found = {tuple(pair) for pair in pairs_by_blocks(rows, 0.8, 0).tolist()}
    assert {(0, 5), (5, 256), (5, 512)} <= found
    assert not found & {(1, 6), (6, 257), (6, 513)}
