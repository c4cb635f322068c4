"""Exact search: ties, borderline pairs, and few admitted rows scored alone."""

import numpy as np
import pytest

from remem.index.numpy_dense import NumpyDense, are_few, scan
from remem.index.vector_table import RankedVectors


def index_of(vectors: np.ndarray) -> RankedVectors:
    index = RankedVectors(NumpyDense())
    index.add(vectors.astype(np.float32))
    return index


def test_of_three_hundred_equal_vectors_the_first_ones_win() -> None:
    index = index_of(np.vstack([[[0.0, 1.0]], np.tile([[0.6, 0.8]], (300, 1)), [[1.0, 0.0]]]))
    query = np.array([1.0, 0.0], dtype=np.float32)
    assert index.search(query, 4) == [(301, 1.0), (1, 0.6), (2, 0.6), (3, 0.6)]


def test_vectors_whose_float32_scores_differ_only_by_noise_tie_by_position(units) -> None:
    row, query = units(2, 1000)
    shuffled = np.random.default_rng(1).permutation(1000)
    index = index_of(np.tile(row, (200, 1)))
    hits = index.search(query, 5)
    assert [position for position, _ in hits] == [0, 1, 2, 3, 4]
    assert index_of(np.tile(row[shuffled], (200, 1))).search(query[shuffled], 5) == hits


def test_a_pair_at_the_threshold_counts_and_one_just_below_does_not() -> None:
    at, below = 0.8, 0.799995
    vectors = np.array([[1.0, 0.0], [at, 0.6], [below, -np.sqrt(1 - below**2)]])
    assert index_of(vectors).pairs_above(0.8).tolist() == [[0, 1]]


def test_equal_vectors_are_a_pair_at_threshold_one(units) -> None:
    rows = units(2, 300)
    assert index_of(rows[[0, 1, 0]]).pairs_above(1.0).tolist() == [[0, 2]]


def test_few_allowed_entries_are_found_and_ranked_as_many_are(units) -> None:
    rows = units(2000, 16)
    index = index_of(rows)
    allowed = np.zeros(2000, dtype=np.bool_)
    allowed[3::23] = True  # 87 of them: fewer than one in 20, more than are scored again
    for wanted in (3, 1000, 1981):
        scores = np.where(allowed, rows.astype(np.float64) @ rows[wanted], -2.0)
        best = [int(position) for position in np.argsort(-scores)[:5]]
        assert [at for at, _ in index.search(rows[wanted], 5, allowed)] == best
    assert len(index.search(rows[0], 2000, allowed)) == 87


def test_an_empty_index_has_no_pairs() -> None:
    pairs = RankedVectors(NumpyDense()).pairs_above(0.8)
    assert pairs.shape == (0, 2)
    assert pairs.dtype == np.int64


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
