"""Exact search with Milvus: embedded, or on a server or cluster with the same interface.

Milvus finds the candidates. They are ranked by the rule of ranking.py, from a local copy of the
vectors (which may be mapped from a file), so the results equal those of NumpyDense.
"""

import threading
import weakref
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from remem.index.numpy_dense import nearest_by_scan, pairs_by_blocks
from remem.index.ranking import Pairs, Positions, find_candidates
from remem.protocols import Mask, Vectors

DEEPEST = 16_384
"""Maximum number of entries that Milvus returns for a query."""
SENT_BYTES = 2**24
"""Bytes of vectors per request; Milvus accepts 64 MB in an encoding larger than the vectors."""
SEALED_FROM = 1000
"""Additions of this many rows are flushed, because embedded Milvus searches other rows slowly."""
MOST_RUNS = 64
"""A mask with at most this many runs is sent as ranges, any other as single positions."""


class MilvusDense:
    """A dense index in a Milvus collection, which is deleted together with the index.

    Similar pairs are computed from the local vectors by matrix products, because embedded Milvus
    would load every entry for a range search.

    Args:
        uri: The address of a server; "" for embedded Milvus in a temporary folder.
    """

    def __init__(self, *, uri: str) -> None:
        _check_installed(embedded=not uri)
        self._uri = uri
        self._lock = threading.Lock()
        self._collection: _Collection | None = None

    def candidates(self, rows: Vectors, query: Vectors, top_k: int, allowed: Mask) -> Positions:
        """Return allowed positions that include the best `top_k`."""
        admitted = np.flatnonzero(allowed)
        collection = self._caught_up(rows)
        condition = "" if admitted.size == len(rows) else condition_of(allowed)

        def nearest(count: int) -> tuple[Positions, NDArray[np.float32]]:
            if count > DEEPEST:
                return nearest_by_scan(rows, query, admitted)(count)
            return collection.nearest(query, count, condition)

        return find_candidates(nearest, top_k, admitted.size)

    def pairs_above(self, rows: Vectors, threshold: float, since: int) -> Pairs:
        """Return sorted pairs i < j with j >= since and similarity >= `threshold`, shape (m, 2)."""
        return pairs_by_blocks(rows, threshold, since)

    def _caught_up(self, rows: Vectors) -> "_Collection":
        """Return the collection after sending it the rows that were added since the last search."""
        with self._lock:
            if self._collection is None:
                self._collection = _Collection(self._uri, rows.shape[1])
            self._collection.extend(rows)
            return self._collection


class _Collection:
    """A Milvus collection of positions and vectors, with a unique name."""

    def __init__(self, uri: str, dimension: int) -> None:
        from pymilvus import MilvusClient

        self._folder = None if uri else TemporaryDirectory(prefix="remem-milvus-")
        address = uri if self._folder is None else str(Path(self._folder.name) / "milvus.db")
        self._client = MilvusClient(address)
        self._name = f"remem_{uuid4().hex}"
        self._size = 0
        _create(self._client, self._name, dimension)
        gone = weakref.finalize(self, _drop, self._client, self._name)
        gone.atexit = bool(uri)  # at exit, the embedded form is already closed

    def extend(self, rows: Vectors) -> None:
        """Send the rows that Milvus does not have yet; the next search includes them."""
        new = len(rows) - self._size
        step = max(1, SENT_BYTES // rows[:1].nbytes)
        for at in range(self._size, len(rows), step):
            sent = enumerate(rows[at : at + step], start=at)
            self._client.insert(self._name, [{"id": id_, "vector": row} for id_, row in sent])
        self._size = len(rows)
        if new >= SEALED_FROM:
            self._client.flush(self._name)

    def nearest(
        self, query: Vectors, count: int, condition: str
    ) -> tuple[Positions, NDArray[np.float32]]:
        """Return the positions and scores of the nearest entries, best first."""
        (hits,) = self._client.search(self._name, data=[query], limit=count, filter=condition)
        ids_and_scores = [(hit["id"], hit["distance"]) for hit in hits]
        positions, scores = zip(*ids_and_scores, strict=True)
        return np.array(positions, dtype=np.int64), np.array(scores, dtype=np.float32)


def condition_of(allowed: Mask) -> str:
    """Return the shortest Milvus filter expression for the allowed positions."""
    changes = np.flatnonzero(np.diff(allowed, prepend=False, append=False))
    if len(changes) <= 2 * MOST_RUNS:
        runs = changes.reshape(-1, 2).tolist()
        return " or ".join(f"(id >= {first} and id < {end})" for first, end in runs)
    if 2 * np.count_nonzero(allowed) <= len(allowed):
        return f"id in {np.flatnonzero(allowed).tolist()}"
    return f"id not in {np.flatnonzero(~allowed).tolist()}"


def _create(client: Any, name: str, dimension: int) -> None:
    from pymilvus import DataType

    schema = client.create_schema(auto_id=False)
    schema.add_field("id", DataType.INT64, is_primary=True)
    schema.add_field("vector", DataType.FLOAT_VECTOR, dim=dimension)
    index = client.prepare_index_params()
    index.add_index("vector", index_type="FLAT", metric_type="IP")  # compares with every vector
    client.create_collection(name, schema=schema, consistency_level="Strong")
    client.create_index(name, index, sync=False)  # waiting takes half a second
    client.load_collection(name)


def _drop(client: Any, name: str) -> None:
    client.drop_collection(name)
    client.close()


def _check_installed(*, embedded: bool) -> None:
    needed = {"pymilvus": "pymilvus"} | ({"milvus_lite": "milvus-lite"} if embedded else {})
    missing = [package for module, package in needed.items() if find_spec(module) is None]
    if missing:
        raise ImportError(
            f"index=milvus needs packages that are not installed ({', '.join(missing)}): "
            "pip install '.[milvus]' in the checkout of remem"
        )
