"""Milvus: what it is told of a mask, and the same rankings as numpy once it has written down."""

from importlib.util import find_spec

import numpy as np
import pytest

from remem.index import milvus_dense
from remem.index.milvus_dense import SEALED_FROM, MilvusDense, condition_of
from remem.index.numpy_dense import NumpyDense

needs_milvus = pytest.mark.skipif(
    find_spec("milvus_lite") is None, reason="milvus-lite is not installed"
)


def random_units(count: int, dimension: int, seed: int = 0) -> np.ndarray:
    vectors = np.random.default_rng(seed).normal(size=(count, dimension))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def both(rows: np.ndarray) -> tuple[MilvusDense, NumpyDense]:
    ours, reference = MilvusDense(uri=""), NumpyDense()
    for index in (ours, reference):
        index.add(rows)
    return ours, reference


def test_a_mask_of_few_runs_is_told_as_runs():
    allowed = np.array([1, 1, 0, 0, 1, 0, 1, 1, 1], dtype=np.bool_)
    expected = "(id >= 0 and id < 2) or (id >= 4 and id < 5) or (id >= 6 and id < 9)"
    assert condition_of(allowed) == expected


def test_a_scattered_mask_is_told_by_its_shorter_side():
    third = np.arange(300) % 3 == 0
    assert condition_of(third) == f"id in {list(range(0, 300, 3))}"
    assert condition_of(~third) == f"id not in {list(range(0, 300, 3))}"


def test_where_milvus_is_not_installed_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setattr(milvus_dense, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"pymilvus and milvus-lite.*remem\[milvus\]"):
        MilvusDense(uri="")
    with pytest.raises(ImportError, match="needs pymilvus, which"):
        MilvusDense(uri="http://localhost:19530")


@pytest.mark.parametrize("share", [None, 0.01, 0.5, 0.9])
@pytest.mark.extra
@needs_milvus
def test_search_ranks_as_numpy_does_under_any_mask(share):
    rows = random_units(SEALED_FROM + 200, 24)
    ours, reference = both(rows[:SEALED_FROM])
    ours.search(rows[0], 3)
    for index in (ours, reference):
        index.add(rows[SEALED_FROM:])  # these are searched where they are not written down yet
    allowed = None if share is None else np.random.default_rng(4).random(len(rows)) < share
    for query in random_units(5, 24, seed=5):
        assert ours.search(query, 10, allowed) == reference.search(query, 10, allowed)


@pytest.mark.extra
@needs_milvus
def test_more_than_milvus_returns_is_found_by_a_scan(monkeypatch):
    monkeypatch.setattr(milvus_dense, "DEEPEST", 40)
    rows = random_units(200, 8)
    ours, reference = both(rows)
    odd = np.arange(len(rows)) % 2 == 1
    assert ours.search(rows[0], 20, odd) == reference.search(rows[0], 20, odd)


@pytest.mark.extra
@needs_milvus
def test_the_collection_goes_when_the_index_does():
    ours, _ = both(random_units(3, 8))
    ours.search(ours.vectors[0], 1)
    client = ours._collection._client
    close, client.close = client.close, lambda: None
    del ours
    assert client.list_collections() == []
    close()
