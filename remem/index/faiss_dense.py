"""Search with faiss (faiss-cpu or faiss-gpu, which share one module name).

Exact below a size; above it inverted lists, of which as many are probed as a measured recall asks
for. Candidates are ranked by the rule of ranking.py, so an exact search ranks as NumpyDense does.
"""

import logging
import threading
from dataclasses import dataclass
from importlib.util import find_spec
from math import isqrt
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from remem.index.exact_scan import are_few, nearest_by_scan, scan
from remem.index.pairs import pairs_by_blocks
from remem.index.ranking import MARGIN, Positions, find_candidates, full_mask, rank_candidates
from remem.index.vector_table import VectorTable
from remem.protocols import Hit, Mask, Vectors

log = logging.getLogger(__name__)

GPU_MOST = 2048
"""faiss-gpu returns no more than so many entries for a query."""
SAMPLE = 100
"""Queries that measure the recall: rows of the index, spread over it, moved off their place."""
NOISE = 0.5
SEED = 7


def gpu_is_present() -> bool:
    """Tell whether faiss is installed and sees a GPU."""
    if find_spec("faiss") is None:
        return False
    import faiss

    return bool(faiss.get_num_gpus())


@dataclass(frozen=True, slots=True)
class Approximation:
    """From how many vectors on the search is approximate, and the recall@10 it must reach."""

    from_size: int
    least_recall: float


class FaissDense:
    """Let faiss find the candidates.

    A mask that few rows pass is searched exactly and by numpy, as is any mask on a GPU, where faiss
    takes none. All pairs are one matrix product, to which faiss has nothing to add.
    """

    def __init__(
        self, *, device: Literal["cpu", "gpu"], approximation: Approximation | None
    ) -> None:
        self._faiss = _import_faiss(device)
        self._gpu = device == "gpu"
        self._resources = self._faiss.StandardGpuResources() if self._gpu else None
        self._approximation = approximation
        self._table = VectorTable()
        self._lock = threading.Lock()
        self._index: Any = None
        self._trained_on = 0
        self.recall: float | None = None
        """The measured recall@10 of the approximate search; None while it is exact."""

    def add(self, vectors: Vectors) -> None:
        """Append unit vectors."""
        self._table.append(vectors)

    def search(self, query: Vectors, top_k: int, allowed: Mask | None = None) -> list[Hit]:
        """Return the best `top_k` allowed entries for one vector, best first, ties by position."""
        rows = self._table.rows
        admitted = np.flatnonzero(full_mask(allowed, len(rows)))
        filtered = admitted.size < len(rows)
        if are_few(admitted, rows) or (filtered and self._gpu):
            return scan(rows, query, admitted, top_k)
        if top_k < 1 or not admitted.size:
            return []
        self._catch_up(rows)
        selected = allowed if filtered else None
        if self.recall is None:
            found = self._exact(rows, query, selected, admitted, top_k)
        else:
            found = self._found(query, top_k + MARGIN, selected)[0]
            if len(found) < min(top_k, admitted.size):  # the probed lists held too few
                return scan(rows, query, admitted, top_k)
        return rank_candidates(rows, query, found, top_k)

    def pairs_above(self, threshold: float, since: int = 0) -> NDArray[np.int64]:
        """Return the pairs i < j, j >= since, at least `threshold` alike, sorted, shape (m, 2)."""
        return pairs_by_blocks(self._table.rows, threshold, since)

    def _exact(
        self, rows: Vectors, query: Vectors, allowed: Mask | None, admitted: Positions, top_k: int
    ) -> Positions:
        def nearest(count: int) -> tuple[Positions, NDArray[np.float32]]:
            if self._gpu and count > GPU_MOST:
                return nearest_by_scan(rows, query, admitted)(count)
            return self._found(query, count, allowed)

        return find_candidates(nearest, top_k, admitted.size)

    def _found(
        self, query: Vectors, count: int, allowed: Mask | None
    ) -> tuple[Positions, NDArray[np.float32]]:
        options = {} if allowed is None else {"params": self._only(allowed)}
        count = min(count, self._index.ntotal)
        if self._gpu:
            with self._lock:  # an index on a GPU serves one thread at a time
                scores, positions = self._index.search(query[None], min(count, GPU_MOST))
        else:
            scores, positions = self._index.search(query[None], count, **options)
        there = positions[0] >= 0
        return positions[0][there], scores[0][there]

    def _only(self, allowed: Mask) -> Any:
        selector = self._faiss.IDSelectorBitmap(np.packbits(allowed, bitorder="little"))
        if self.recall is None:
            return self._faiss.SearchParameters(sel=selector)
        return self._faiss.SearchParametersIVF(sel=selector, nprobe=self._index.nprobe)

    def _catch_up(self, rows: Vectors) -> None:
        """Take the rows that were added since the last search into the faiss index."""
        with self._lock:
            inexact = self._approximation
            many = inexact is not None and len(rows) >= inexact.from_size
            if inexact is not None and many and len(rows) >= 2 * self._trained_on:
                self._train(rows, inexact.least_recall)
            elif self._index is None:
                self._index = self._placed(self._faiss.IndexFlatIP(rows.shape[1]))
            if self._index.ntotal < len(rows):
                self._index.add(rows[self._index.ntotal :])

    def _train(self, rows: Vectors, least_recall: float) -> None:
        """Cluster the rows anew and probe twice as many lists until the recall suffices."""
        lists = max(1, isqrt(len(rows)))
        coarse = self._faiss.IndexFlatIP(rows.shape[1])
        index = self._faiss.IndexIVFFlat(
            coarse, rows.shape[1], lists, self._faiss.METRIC_INNER_PRODUCT
        )
        index.train(rows)
        index = self._placed(index)
        index.add(rows)
        index.nprobe, recall = 1, _recall(index, rows)
        while recall < least_recall and index.nprobe < lists:
            index.nprobe = min(2 * index.nprobe, lists)
            recall = _recall(index, rows)
        log.info(
            "approximate search over %d vectors: %d of %d lists, recall@10 %.3f",
            *(len(rows), index.nprobe, lists, recall),
        )
        self._index, self._trained_on, self.recall = index, len(rows), recall

    def _placed(self, index: Any) -> Any:
        if not self._gpu:
            return index
        return self._faiss.index_cpu_to_gpu(self._resources, 0, index)


def _recall(index: Any, rows: Vectors) -> float:
    """Measure how many of the ten nearest rows the index finds, by exact search over a sample."""
    rng = np.random.default_rng(SEED)
    queries = rows[np.linspace(0, len(rows) - 1, min(SAMPLE, len(rows)), dtype=np.int64)]
    noise = rng.normal(size=queries.shape).astype(np.float32)
    queries = queries + NOISE * noise / np.linalg.norm(noise, axis=1, keepdims=True)
    count = min(10, len(rows))
    scores = queries @ rows.T
    expected = np.argpartition(-scores, count - 1, axis=1)[:, :count]
    found = index.search(queries, count)[1]
    hits = [len(np.intersect1d(a, b)) for a, b in zip(expected, found, strict=True)]
    return float(np.mean(hits)) / count


def _import_faiss(device: str) -> Any:
    if device not in ("cpu", "gpu"):
        raise ValueError(f"unknown faiss device {device!r}, expected 'cpu' or 'gpu'")
    try:
        import faiss
    except ImportError as error:
        raise ImportError(
            f"index=faiss_{device} needs faiss, which is not installed: pip install faiss-{device}"
        ) from error
    if device == "gpu" and faiss.get_num_gpus() == 0:
        raise ValueError("faiss sees no GPU: use index=faiss_cpu")
    return faiss
