"""Exact search: ties, borderline pairs, and few admitted rows scored alone."""

import numpy as np
import pytest
from measure.workload import unit_vectors

from remem.index.numpy_dense import BLOCK, NumpyDense, are_few, pairs_by_blocks, scan
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


class Watched(np.ndarray):
    """Rows that note how many of them are scored at once."""

    scored: list[int]

    def __array_finalize__(self, made_from: object) -> None:
        self.scored = getattr(made_from, "scored", [])

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: object, **options: object
    ) -> np.ndarray:
        if ufunc is np.vecdot:
            self.scored.append(len(self))
        return getattr(ufunc, method)(*map(np.asarray, inputs), **options)


@pytest.mark.parametrize(("admitted", "alone"), [(90, True), (110, False), (1000, False)])
def test_below_one_row_in_ten_the_admitted_ones_alone_are_scored(
    units, admitted: int, alone: bool
) -> None:
    plain = units(1000, 8)
    chosen = np.sort(np.random.default_rng(1).permutation(1000)[:admitted])
    rows = plain.view(Watched)
    found = scan(rows, plain[5], chosen, 10)
    assert rows.scored == [admitted if alone else chosen[-1] - chosen[0] + 1]
    best = sorted((-round(float(plain[at] @ plain[5]), 6), int(at)) for at in chosen)[:10]
    assert found[:10].tolist() == [position for _, position in best]


def test_rows_that_stand_together_are_scored_where_they_are() -> None:
    rows = np.eye(1000, 8, dtype=np.float32).view(Watched)
    assert scan(rows, np.eye(8, dtype=np.float32)[4], np.arange(3, 603), 1)[0] == 4
    assert rows.scored == [600]


def test_the_border_lies_at_one_row_in_ten() -> None:
    rows = np.zeros((100, 2), dtype=np.float32)
    assert are_few(9, rows)
    assert not are_few(10, rows)


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
