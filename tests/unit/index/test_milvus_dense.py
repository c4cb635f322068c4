"""Milvus: how it is given a mask, what it must not return, and what it leaves behind."""

from importlib.util import find_spec

import numpy as np
import pytest

from remem.index import milvus_dense
from remem.index.milvus_dense import MilvusDense, condition_of

needs_milvus = pytest.mark.skipif(
    find_spec("milvus_lite") is None, reason="milvus-lite is not installed"
)


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
    with pytest.raises(ImportError, match=r"pymilvus, milvus-lite.*'\.\[milvus\]'"):
        MilvusDense(uri="")
    with pytest.raises(ImportError, match=r"not installed .pymilvus.:"):
        MilvusDense(uri="http://localhost:19530")


@pytest.mark.extra
@needs_milvus
def test_more_than_milvus_returns_is_found_by_a_scan(monkeypatch, units, both):
    monkeypatch.setattr(milvus_dense, "DEEPEST", 40)
    rows = units(200, 8)
    ours, reference = both(MilvusDense(uri=""), rows)
    odd = np.arange(len(rows)) % 2 == 1
    assert ours.search(rows[0], 20, odd) == reference.search(rows[0], 20, odd)


@pytest.mark.extra
@needs_milvus
def test_the_collection_goes_when_the_index_does(units):
    rows, ours = units(3, 8), MilvusDense(uri="")
    ours.candidates(rows, rows[0], 1, np.ones(3, dtype=np.bool_))
    client = ours._collection._client
    close, client.close = client.close, lambda: None
    del ours
    assert client.list_collections() == []
    close()
