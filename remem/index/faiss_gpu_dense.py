"""Exact dense search with faiss on a GPU (faiss-gpu).

Candidates are ranked from the full vectors by the rule of ranking.py, so the results equal those of
NumpyDense.
"""

import threading
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from remem.index.exact_scan import nearest_by_scan, scan
from remem.index.pairs import pairs_by_blocks
from remem.index.ranking import Positions, find_candidates, full_mask, rank_candidates
from remem.index.vector_table import VectorTable
from remem.protocols import Hit, Mask, Vectors

MOST = 2048
"""Maximum number of entries that faiss-gpu returns for a query."""


def gpu_is_present() -> bool:
    """Return True if faiss is installed and finds a GPU."""
    if find_spec("faiss") is None:
        return False
    import faiss

    return bool(faiss.get_num_gpus())


class FaissGpuDense:
    """A dense index that finds candidates with faiss on a GPU.

    faiss does not support masks there, so numpy scores the rows that a mask admits.
    """

    def __init__(self) -> None:
        self._faiss = _import_faiss()
        self._resources = self._faiss.StandardGpuResources()
        self._table = VectorTable()
        self._lock = threading.RLock()
        self._index: Any = None

    @property
    def vectors(self) -> Vectors:
        """Return all vectors, in the order in which they were added."""
        return self._table.rows

    def adopt(self, room: Vectors, count: int) -> None:
        """Use the first `count` rows of a matrix without copying; later rows are free space."""
        self._table.adopt(room, count)

    def add(self, vectors: Vectors) -> None:
        """Append unit vectors."""
        self._table.append(vectors)

    def search(self, query: Vectors, top_k: int, allowed: Mask | None = None) -> list[Hit]:
        """Return the best `top_k` allowed entries for a vector, best first; ties: by position."""
        rows = self._table.rows
        mask = full_mask(allowed, len(rows))
        if not mask.all():
            return scan(rows, query, np.flatnonzero(mask), top_k)
        if top_k < 1 or not len(rows):
            return []
        self._catch_up(rows)

        def nearest(count: int) -> tuple[Positions, NDArray[np.float32]]:
            if count > MOST:
                return nearest_by_scan(rows, query, np.arange(len(rows)))(count)
            with self._lock:  # an index on a GPU serves one thread at a time
                scores, positions = self._index.search(query[None], count)
            return positions[0], scores[0]

        return rank_candidates(rows, query, find_candidates(nearest, top_k, len(rows)), top_k)

    def pairs_above(self, threshold: float, since: int = 0) -> NDArray[np.int64]:
        """Return sorted pairs i < j, j >= since, of similarity >= `threshold`, shape (m, 2)."""
        return pairs_by_blocks(self._table.rows, threshold, since)

    def _catch_up(self, rows: Vectors) -> None:
        """Add the rows that were appended since the last search to the index on the GPU."""
        with self._lock:
            if self._index is None:
                flat = self._faiss.IndexFlatIP(rows.shape[1])
                self._index = self._faiss.index_cpu_to_gpu(self._resources, 0, flat)
            if self._index.ntotal < len(rows):
                self._index.add(rows[self._index.ntotal :])


def _import_faiss() -> Any:
    try:
        import faiss
    except ImportError as error:
        raise ImportError(
            "index=faiss_gpu needs faiss, which is not installed: pip install faiss-gpu"
        ) from error
    if faiss.get_num_gpus() == 0:
        raise ValueError("faiss finds no GPU; use index=faiss_cpu")
    return faiss
