"""faiss on the processor: how far the approximate search may be off."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from remem.index.faiss_dense import Approximation, FaissDense
from remem.index.ranking import RankedVectors

pytestmark = pytest.mark.extra
Units = Callable[..., np.ndarray]
Both = Callable[[FaissDense, np.ndarray], tuple[RankedVectors, RankedVectors]]
faiss: Any = pytest.importorskip("faiss", reason="faiss is not installed")


def approximate(from_size: int, least_recall: float) -> FaissDense:
    return FaissDense(device="cpu", approximation=Approximation(from_size, least_recall))


@pytest.fixture
def clustered(units: Units) -> Units:
    """Return a function that draws points around a few centres, as texts on a few topics are."""

    def draw(count: int, dimension: int) -> np.ndarray:
        rng = np.random.default_rng(1)
        noise = 0.4 * units(count, dimension, seed=3)
        points = units(20, dimension, seed=2)[rng.integers(0, 20, size=count)] + noise
        return (points / np.linalg.norm(points, axis=1, keepdims=True)).astype(np.float32)

    return draw


def test_approximate_search_begins_at_its_size_and_reaches_its_recall(
    clustered: Units, both: Both
) -> None:
    rows, index = clustered(4000, 32), approximate(4000, 0.9)
    ours, reference = both(index, rows[:3999])
    ours.search(rows[0], 10)
    assert index.recall is None
    for vectors in (ours, reference):
        vectors.add(rows[3999:])
    found = 0
    queries = clustered(200, 32)
    for query in queries:
        expected = {at for at, _ in reference.search(query, 10)}
        found += len(expected & {at for at, _ in ours.search(query, 10)})
    assert index.recall is not None and index.recall >= 0.9
    assert found / (10 * len(queries)) >= 0.85  # other queries than the measure's own


def test_where_no_number_of_candidates_is_enough_every_row_is_scored(
    units: Units, both: Both
) -> None:
    rows, index = units(4000, 32), approximate(1000, 1.01)
    ours, reference = both(index, rows)
    for query in units(20, 32, seed=5):
        assert ours.search(query, 10) == reference.search(query, 10)
    assert index.recall == 1.0


def test_a_filter_on_the_topic_of_the_query_finds_the_best_of_the_others(
    clustered: Units, both: Both
) -> None:
    rows = clustered(6000, 32)
    ours, reference = both(approximate(1000, 0.97), rows)
    found = 0
    for query in rows[:40]:
        allowed = rows @ query < 0.7  # what a search without the filter would find is left out
        expected = {at for at, _ in reference.search(query, 10, allowed)}
        found += len(expected & {at for at, _ in ours.search(query, 10, allowed)})
    assert found / 400 >= 0.9  # these neighbours are farther away than those of the sample


@pytest.mark.parametrize("since", [0, 3000])
def test_pairs_from_lists_are_true_pairs_and_nearly_all(
    clustered: Units, both: Both, since: int
) -> None:
    rows = clustered(4000, 32)
    ours, reference = both(approximate(1000, 0.9), rows[:3000])
    ours.pairs_above(0.9)
    for index in (ours, reference):
        index.add(rows[3000:])
    found, expected = ours.pairs_above(0.9, since), reference.pairs_above(0.9, since)
    assert found.tolist() == np.unique(found, axis=0).tolist()  # sorted, each once
    keys = {(i, j) for i, j in expected.tolist()}
    assert {(i, j) for i, j in found.tolist()} <= keys
    assert len(found) >= 0.85 * len(keys) > 0


def test_what_is_stored_is_restored_and_grows(clustered: Units, both: Both) -> None:
    rows = clustered(3000, 16)
    index, restored = approximate(1000, 0.97), approximate(1000, 0.97)
    ours, _ = both(index, rows[:2000])
    pairs = ours.pairs_above(0.9)
    again, _ = both(restored, rows[:2000])
    again.restore(ours.stored())
    assert restored.recall == index.recall is not None
    assert again.search(rows[5], 10) == ours.search(rows[5], 10)
    np.testing.assert_array_equal(again.pairs_above(0.9), pairs)
    again.add(rows[2000:])
    assert again.search(rows[2500], 1)[0] == (2500, 1.0)


def test_what_has_a_lower_recall_than_is_needed_is_not_restored(
    clustered: Units, both: Both
) -> None:
    rows, exact = clustered(2000, 16), approximate(1000, 1.01)
    ours, _ = both(approximate(1000, 0.97), rows)
    ours.pairs_above(0.9)
    exact.restore(ours.stored())
    assert exact.recall is None


def test_stored_codes_of_another_kind_are_refused(clustered: Units, both: Both) -> None:
    rows = clustered(2000, 16)
    ours, _ = both(approximate(1000, 0.97), rows)
    parts = ours.stored() | {"codes": faiss.serialize_index(faiss.IndexFlatIP(16))}
    with pytest.raises(ValueError, match="found IndexFlatIP, expected IndexPQFastScan"):
        ours.restore(parts)


def test_an_approximate_search_obeys_its_mask_and_never_returns_too_few(
    clustered: Units, both: Both
) -> None:
    rows = clustered(2000, 16)
    ours, reference = both(approximate(1, 0.5), rows)
    rng = np.random.default_rng(6)
    for share in (0.01, 0.1, 0.5):
        allowed = rng.random(len(rows)) < share
        hits = ours.search(rows[0], 60, allowed)
        assert len(hits) == min(60, int(allowed.sum()))
        assert all(allowed[position] for position, _ in hits)
    assert ours.search(rows[0], 5000) == reference.search(rows[0], 5000)


def test_a_device_other_than_the_processor_is_refused() -> None:
    with pytest.raises(ValueError, match="for a GPU: index=faiss_gpu"):
        FaissDense(device="gpu", approximation=None)  # type: ignore[arg-type]
