"""The benchmark of a million runs at any size, saved and opened again; else it says why not."""

from functools import partial

import numpy as np
import pytest
from measure import million
from measure.line import Growth, Line
from measure.real_vectors import RealVectors
from measure.workload import unit_vectors


def vectors_of(sentences: int, parts: int) -> RealVectors:
    rng = np.random.default_rng(0)
    whole = unit_vectors(sentences, 16, rng)
    part_of = np.sort(rng.integers(0, sentences, parts))
    return RealVectors(whole, unit_vectors(parts, 16, rng), part_of, unit_vectors(9, 16, rng))


@pytest.mark.extra
def test_everything_is_measured_recalled_and_grows():
    pytest.importorskip("faiss", reason="faiss is not installed")
    found = list(million.compare(partial(vectors_of, 1500, 1000), (1200, 2000), 3, 2))
    lines = [item for item in found if isinstance(item, Line)]
    names = " ".join(line.name for line in lines)
    for what in ("reopen, memory-mapped", "lexical_retrieve", "append, durable", "exact search"):
        assert what in names
    recalls = [line for line in lines if "recall" in line.name]
    assert len(recalls) == 9
    assert all(line.ours.median >= 0.9 for line in recalls)
    growths = [item for item in found if isinstance(item, Growth)]
    assert growths
    assert all(np.isfinite(growth.exponent) for growth in growths)


def test_without_data_the_line_says_what_is_needed(monkeypatch):
    monkeypatch.delenv("REMEM_DATA", raising=False)
    [line] = million.measure(quick=True)
    assert line.peer is None
    assert "REMEM_DATA" in line.note


def test_sentences_are_taken_before_parts_and_all_in_the_order_of_the_datasets():
    vectors = vectors_of(20, 30)
    few = vectors.rows(12, seed=1)
    places = [int(np.flatnonzero((vectors.sentences == row).all(axis=1))[0]) for row in few]
    assert places == sorted(set(places))
    many = vectors.rows(40, seed=1)
    origins = []
    for row in many:
        [whole] = np.flatnonzero((vectors.sentences == row).all(axis=1)).tolist() or [None]
        if whole is None:
            [part] = np.flatnonzero((vectors.parts == row).all(axis=1)).tolist()
            whole = vectors.part_of[part] + 0.5
        origins.append(whole)
    assert origins == sorted(origins)
    assert {at for at in origins if at == int(at)} == set(range(20))


def test_more_vectors_than_there_are_is_an_error():
    with pytest.raises(ValueError, match="found 50 vectors, expected 51"):
        vectors_of(20, 30).rows(51, seed=1)


def test_near_duplicates_are_counted_without_the_row_itself():
    rows = np.eye(10, dtype=np.float32)
    rows[3] = rows[2]
    assert million.near_duplicates(rows, 0.95) == 0.2
