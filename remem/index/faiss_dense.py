"""Dense search with faiss on the CPU.

Small indexes are searched exactly. In larger indexes, compressed vectors give the candidates, and
lists of near vectors give the similar pairs. Candidates are ranked with full vectors by the rule of
ranking.py, so an exact search ranks like NumpyDense, and compression does not affect scores.
"""

import logging
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from remem.index.faiss_approximate import FEWEST_ROWS, CompressedVectors, NearLists
from remem.index.numpy_dense import are_few, pairs_by_blocks, scan
from remem.index.ranking import Pairs, Positions, find_candidates
from remem.protocols import Mask, Vectors

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Approximation:
    """The number of rows from which a search is approximate, and its minimum recall@10."""

    from_size: int
    least_recall: float


class FaissDense:
    """A dense index that finds candidates with faiss.

    If a mask allows only few rows, numpy scores them exactly.
    """

    def __init__(self, *, device: Literal["cpu"], approximation: Approximation | None) -> None:
        self._faiss = _import_faiss(device)
        self._approximation = approximation
        self._lock = threading.RLock()
        self._index: Any = None
        self._compressed: CompressedVectors | None = None
        self._lists: NearLists | None = None

    @property
    def recall(self) -> float | None:
        """Return the measured recall@10 of the approximate search; None while it is exact."""
        return None if self._compressed is None else self._compressed.recall

    def candidates(self, rows: Vectors, query: Vectors, top_k: int, allowed: Mask) -> Positions:
        """Return allowed positions that include the best `top_k`."""
        admitted = int(np.count_nonzero(allowed))
        self._catch_up(rows)
        near: Positions | None = None
        if self._compressed is not None:
            near = self._compressed.near(query, top_k, allowed, admitted)
        elif not are_few(admitted, rows):
            near = self._exact(query, allowed if admitted < len(rows) else None, admitted, top_k)
        return scan(rows, query, np.flatnonzero(allowed), top_k) if near is None else near

    def pairs_above(self, rows: Vectors, threshold: float, since: int) -> Pairs:
        """Return sorted pairs i < j with j >= since and similarity >= `threshold`, shape (m, 2)."""
        least = self._least_recall(rows)
        if least is None:
            return pairs_by_blocks(rows, threshold, since)
        with self._lock:
            if self._lists is None or len(rows) >= 2 * self._lists.learned_at:
                self._lists = NearLists(self._faiss, rows, threshold, least)
                log.info(
                    "pairs of %d vectors: %d lists each, %.3f of a sample's pairs",
                    *(len(rows), self._lists.probed, self._lists.recall),
                )
            return self._lists.pairs(rows, threshold, since)

    def stored(self, rows: Vectors) -> dict[str, NDArray[Any]]:
        """Return the compressed vectors and lists; an exact index has nothing to store."""
        if len(rows):
            self._catch_up(rows)
        kept = [part.stored() for part in (self._compressed, self._lists) if part is not None]
        return {name: array for arrays in kept for name, array in arrays.items()}

    def restore(self, parts: Mapping[str, NDArray[Any]]) -> None:
        """Restore the output of `stored` if its recall is high enough for this index."""
        if self._approximation is None:
            return
        least = self._approximation.least_recall
        if "codes" in parts and parts["recall"][0] >= least:
            self._compressed = CompressedVectors.restored(self._faiss, parts)
        if "list_of" in parts and parts["lists_recall"][0] >= least:
            self._lists = NearLists.restored(self._faiss, parts)

    def _exact(self, query: Vectors, allowed: Mask | None, admitted: int, top_k: int) -> Positions:
        options = {} if allowed is None else {"params": self._only(allowed)}

        def nearest(count: int) -> tuple[Positions, NDArray[np.float32]]:
            scores, positions = self._index.search(query[None], count, **options)
            return positions[0], scores[0]

        return find_candidates(nearest, top_k, admitted)

    def _only(self, allowed: Mask) -> Any:
        selector = self._faiss.IDSelectorBitmap(np.packbits(allowed, bitorder="little"))
        return self._faiss.SearchParameters(sel=selector)

    def _least_recall(self, rows: Vectors) -> float | None:
        """Return the recall that an approximate search needs; None if the search is exact."""
        inexact = self._approximation
        if inexact is None or len(rows) < max(inexact.from_size, FEWEST_ROWS):
            return None
        return inexact.least_recall

    def _catch_up(self, rows: Vectors) -> None:
        """Add the rows that were appended since the last search."""
        with self._lock:
            least = self._least_recall(rows)
            if least is not None:
                self._compress(rows, least)
                return
            if self._index is None:
                self._index = self._faiss.IndexFlatIP(rows.shape[1])
            if self._index.ntotal < len(rows):
                self._index.add(rows[self._index.ntotal :])

    def _compress(self, rows: Vectors, least_recall: float) -> None:
        """Compress the new rows; learn the codes again whenever the rows have doubled."""
        compressed = self._compressed
        if compressed is not None and len(rows) < 2 * compressed.learned_at:
            if len(compressed) < len(rows):
                compressed.add(rows[len(compressed) :])
            return
        self._index = None
        self._compressed = compressed = CompressedVectors(self._faiss, rows, least_recall)
        log.info(
            "approximate search over %d vectors: %d candidates, recall@10 %.3f",
            *(len(rows), compressed.candidates, compressed.recall),
        )


def _import_faiss(device: str) -> Any:
    if device != "cpu":
        raise ValueError(
            f"unknown faiss device {device!r}, expected 'cpu'; for a GPU: index=faiss_gpu"
        )
    try:
        import faiss
    except ImportError as error:
        raise ImportError(
            "index=faiss_cpu needs faiss, which is not installed: pip install faiss-cpu"
        ) from error
    return faiss
