"""Pairs of many vectors, by bounds or by whole products, are those of float64 throughout."""

import numpy as np
import pytest
from measure.workload import unit_vectors

from remem.index.pairs import BLOCK, pair_blocks, pairs_by_blocks


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
