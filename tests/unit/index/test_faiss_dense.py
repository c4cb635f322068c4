"""faiss on the processor: masks, and how far the approximate search may be off."""

from typing import Any

import numpy as np
import pytest

from remem.index.compressed_vectors import FEWEST, CompressedVectors
from remem.index.faiss_dense import Approximation, FaissDense
from remem.index.numpy_dense import NumpyDense

pytestmark = pytest.mark.extra
faiss: Any = pytest.importorskip("faiss", reason="faiss is not installed")


def random_units(count: int, dimension: int, seed: int = 0) -> np.ndarray:
    vectors = np.random.default_rng(seed).normal(size=(count, dimension))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def clustered_units(count: int, dimension: int) -> np.ndarray:
    """Points around a few centres, as texts on a few topics are."""
    rng = np.random.default_rng(1)
    centres = random_units(20, dimension, seed=2)
    noise = 0.4 * random_units(count, dimension, seed=3)
    points = centres[rng.integers(0, 20, size=count)] + noise
    return (points / np.linalg.norm(points, axis=1, keepdims=True)).astype(np.float32)


def both(rows: np.ndarray, approximation: Approximation | None) -> tuple[FaissDense, NumpyDense]:
    ours, reference = FaissDense(device="cpu", approximation=approximation), NumpyDense()
    ours.add(rows)
    reference.add(rows)
    return ours, reference


@pytest.mark.parametrize("share", [None, 0.01, 0.3, 0.9])
def test_exact_search_ranks_as_numpy_does_under_any_mask(share: float | None) -> None:
    rows = random_units(3000, 48)
    ours, reference = both(rows, None)
    allowed = None if share is None else np.random.default_rng(4).random(len(rows)) < share
    for query in random_units(20, 48, seed=5):
        assert ours.search(query, 10, allowed) == reference.search(query, 10, allowed)
    assert ours.recall is None
    np.testing.assert_array_equal(ours.pairs_above(0.5), reference.pairs_above(0.5))


def test_approximate_search_begins_at_its_size_and_reaches_its_recall() -> None:
    rows = clustered_units(4000, 32)
    ours, reference = both(rows[:3999], Approximation(from_size=4000, least_recall=0.9))
    ours.search(rows[0], 10)
    assert ours.recall is None
    for index in (ours, reference):
        index.add(rows[3999:])
    found = 0
    queries = clustered_units(200, 32)
    for query in queries:
        expected = {at for at, _ in reference.search(query, 10)}
        found += len(expected & {at for at, _ in ours.search(query, 10)})
    assert ours.recall is not None and ours.recall >= 0.9
    assert found / (10 * len(queries)) >= 0.85  # other queries than the measure's own


def test_the_least_recall_decides_how_many_candidates_are_scored() -> None:
    rows = random_units(4000, 32)  # without clusters: the hardest case
    much = CompressedVectors(faiss, rows, 0.999)
    little = CompressedVectors(faiss, rows, 0.3)
    assert little.candidates == FEWEST < much.candidates
    assert 0.3 <= little.recall < 0.999 <= much.recall


def test_where_no_number_of_candidates_is_enough_every_row_is_scored() -> None:
    rows = random_units(4000, 32)
    ours, reference = both(rows, Approximation(from_size=1000, least_recall=1.01))
    for query in random_units(20, 32, seed=5):
        assert ours.search(query, 10) == reference.search(query, 10)
    assert ours.recall == 1.0


def test_a_filter_on_the_topic_of_the_query_finds_the_best_of_the_others() -> None:
    rows = clustered_units(6000, 32)
    ours, reference = both(rows, Approximation(from_size=1000, least_recall=0.97))
    found = 0
    for query in rows[:40]:
        allowed = rows @ query < 0.7  # what a search without the filter would find is left out
        expected = {at for at, _ in reference.search(query, 10, allowed)}
        found += len(expected & {at for at, _ in ours.search(query, 10, allowed)})
    assert found / 400 >= 0.9  # these neighbours are farther away than those of the sample


@pytest.mark.parametrize("since", [0, 3000])
def test_pairs_from_lists_are_true_pairs_and_nearly_all(since: int) -> None:
    rows = clustered_units(4000, 32)
    ours, reference = both(rows[:3000], Approximation(from_size=1000, least_recall=0.9))
    ours.pairs_above(0.9)
    for index in (ours, reference):
        index.add(rows[3000:])
    found, expected = ours.pairs_above(0.9, since), reference.pairs_above(0.9, since)
    assert found.tolist() == np.unique(found, axis=0).tolist()  # sorted, each once
    keys = {(i, j) for i, j in expected.tolist()}
    assert {(i, j) for i, j in found.tolist()} <= keys
    assert len(found) >= 0.85 * len(keys) > 0


def test_what_is_stored_is_restored_and_grows() -> None:
    rows = clustered_units(3000, 16)
    approximation = Approximation(from_size=1000, least_recall=0.97)
    ours, _ = both(rows[:2000], approximation)
    pairs = ours.pairs_above(0.9)
    again, _ = both(rows[:2000], approximation)
    again.restore(ours.stored())
    assert again.recall == ours.recall
    assert again.search(rows[5], 10) == ours.search(rows[5], 10)
    np.testing.assert_array_equal(again.pairs_above(0.9), pairs)
    again.add(rows[2000:])
    assert again.search(rows[2500], 1)[0] == (2500, 1.0)


def test_stored_codes_of_another_kind_are_refused() -> None:
    rows = clustered_units(2000, 16)
    ours, _ = both(rows, Approximation(from_size=1000, least_recall=0.97))
    parts = ours.stored() | {"codes": faiss.serialize_index(faiss.IndexFlatIP(16))}
    with pytest.raises(ValueError, match="found IndexFlatIP, expected IndexPQFastScan"):
        ours.restore(parts)


def test_an_approximate_search_obeys_its_mask_and_never_returns_too_few() -> None:
    rows = clustered_units(2000, 16)
    ours, reference = both(rows, Approximation(from_size=1, least_recall=0.5))
    rng = np.random.default_rng(6)
    for share in (0.01, 0.1, 0.5):
        allowed = rng.random(len(rows)) < share
        hits = ours.search(rows[0], 60, allowed)
        assert len(hits) == min(60, int(allowed.sum()))
        assert all(allowed[position] for position, _ in hits)
    assert ours.search(rows[0], 5000) == reference.search(rows[0], 5000)


def test_vectors_added_to_an_approximate_index_are_found() -> None:
    rows = clustered_units(1500, 16)
    ours, _ = both(rows[:1000], Approximation(from_size=500, least_recall=0.99))
    ours.search(rows[0], 1)
    ours.add(rows[1000:])
    assert ours.search(rows[1400], 1)[0] == (1400, 1.0)


def test_a_device_other_than_the_processor_is_refused() -> None:
    with pytest.raises(ValueError, match="use index=faiss_gpu"):
        FaissDense(device="gpu", approximation=None)  # type: ignore[arg-type]
