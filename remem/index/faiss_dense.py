"""Dense search with faiss on the processor.

The search is exact up to a number of vectors. Above it, the index has inverted lists with one byte
per dimension, and probes as many lists as the required recall needs. Candidates are ranked from the
full vectors by the rule of ranking.py, so an exact search ranks like NumpyDense, and the compressed
vectors do not affect the final scores.
"""

import logging
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from remem.index.exact_scan import FEW, are_few, nearest_by_scan, scan
from remem.index.inverted_lists import (
    TOP,
    nearest_rows,
    one_in,
    probed_pairs,
    sample_queries,
    trained_lists,
)
from remem.index.pairs import BLOCK, pairs_by_blocks, sorted_pairs
from remem.index.ranking import (
    MARGIN,
    Positions,
    find_candidates,
    full_mask,
    rank_candidates,
)
from remem.index.vector_table import VectorTable
from remem.protocols import Hit, Mask, Vectors

log = logging.getLogger(__name__)

TAIL = 20
"""Rows that are in no list yet are scanned, up to one for each `TAIL` rows in the lists."""


@dataclass(frozen=True, slots=True)
class Approximation:
    """The number of vectors from which the search is approximate, and its minimum recall@10."""

    from_size: int
    least_recall: float


class FaissDense:
    """A dense index that finds candidates with faiss.

    If a mask admits few rows, numpy scores them exactly. All similar pairs of an exact index come
    from a matrix product; those of an approximate index come from its search.
    """

    def __init__(self, *, device: Literal["cpu"], approximation: Approximation | None) -> None:
        self._faiss = _import_faiss(device)
        self._approximation = approximation
        self._table = VectorTable()
        self._lock = threading.RLock()
        self._index: Any = None
        self._trained_on = 0
        self._filtered_probes = 0
        self._mapped: NDArray[Any] | None = None
        self.recall: float | None = None
        """The measured recall@10 of the approximate search; None while it is exact."""

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
        admitted = int(np.count_nonzero(mask))
        filtered = admitted < len(rows)
        if are_few(admitted, rows):
            return scan(rows, query, np.flatnonzero(mask), top_k)
        if top_k < 1 or not admitted:
            return []
        self._catch_up(rows)
        selected = mask if filtered else None
        if self.recall is None:
            found = self._exact(rows, query, selected, admitted, top_k)
        else:
            found = self._listed(rows, query, selected, top_k)
            if len(found) < min(top_k, admitted):  # the probed lists held too few
                return scan(rows, query, np.flatnonzero(mask), top_k)
        return rank_candidates(rows, query, found, top_k)

    def pairs_above(self, threshold: float, since: int = 0) -> NDArray[np.int64]:
        """Return sorted pairs i < j, j >= since, of similarity >= `threshold`, shape (m, 2)."""
        rows = self._table.rows
        if len(rows):
            self._catch_up(rows)
        if not self._trained_on:
            return pairs_by_blocks(rows, threshold, since)
        begins = range(since, len(rows), BLOCK)
        pairs = [probed_pairs(self._index, rows, begin, threshold) for begin in begins]
        listed = self._index.ntotal
        tail = pairs_by_blocks(rows[listed:], threshold, max(since - listed, 0))
        return sorted_pairs([*pairs, tail + listed])

    def stored(self) -> dict[str, NDArray[Any]]:
        """Return the inverted lists of an approximate index; empty for an exact one."""
        if len(self._table.rows):
            self._catch_up(self._table.rows)
        if not self._trained_on:
            return {}
        probes = np.array([self._trained_on, self._filtered_probes])
        lists = self._faiss.serialize_index(self._index)
        return {"lists": lists, "probes": probes, "recall": np.array([self.recall])}

    def restore(self, parts: Mapping[str, NDArray[Any]]) -> None:
        """Restore the output of `stored`; the vectors must already be added."""
        if parts and self._approximation is not None:
            self._mapped = lists = parts["lists"]  # the lists are not copied
            reader = self._faiss.ZeroCopyIOReader(self._faiss.swig_ptr(lists), lists.nbytes)
            self._index = self._faiss.read_index(reader)
            self._trained_on, self._filtered_probes = parts["probes"].tolist()
            self.recall = float(parts["recall"][0])

    def _listed(self, rows: Vectors, query: Vectors, allowed: Mask | None, top_k: int) -> Positions:
        """Return candidates from the probed lists, and from rows that are not yet in a list."""
        found = self._found(query, top_k + MARGIN, allowed)[0]
        listed = self._index.ntotal
        tail = listed + np.flatnonzero(full_mask(allowed, len(rows))[listed:])
        if not tail.size:
            return found
        nearest = nearest_by_scan(rows, query, tail)(min(top_k + MARGIN, tail.size))[0]
        return np.concatenate([found, tail[nearest]])

    def _exact(
        self, rows: Vectors, query: Vectors, allowed: Mask | None, admitted: int, top_k: int
    ) -> Positions:
        def nearest(count: int) -> tuple[Positions, NDArray[np.float32]]:
            return self._found(query, count, allowed)

        return find_candidates(nearest, top_k, admitted)

    def _found(
        self, query: Vectors, count: int, allowed: Mask | None
    ) -> tuple[Positions, NDArray[np.float32]]:
        options = {} if allowed is None else {"params": self._only(allowed)}
        count = min(count, self._index.ntotal)
        scores, positions = self._index.search(query[None], count, **options)
        there = positions[0] >= 0
        return positions[0][there], scores[0][there]

    def _only(self, allowed: Mask) -> Any:
        selector = self._faiss.IDSelectorBitmap(np.packbits(allowed, bitorder="little"))
        if not self._trained_on:
            return self._faiss.SearchParameters(sel=selector)
        return self._faiss.SearchParametersIVF(sel=selector, nprobe=self._filtered_probes)

    def _catch_up(self, rows: Vectors) -> None:
        """Add the rows that were appended since the last search to the faiss index."""
        with self._lock:
            inexact = self._approximation
            many = inexact is not None and len(rows) >= inexact.from_size
            if inexact is not None and many and len(rows) >= 2 * self._trained_on:
                self._train(rows, inexact.least_recall)
            elif self._index is None:
                self._index = self._faiss.IndexFlatIP(rows.shape[1])
            listed = self._index.ntotal
            if listed < len(rows) and (
                not self._trained_on or (len(rows) - listed) * TAIL > listed
            ):
                self._own_lists()
                self._index.add(rows[listed:])

    def _own_lists(self) -> None:
        """Copy lists that are mapped from a file, because nothing can be added to those."""
        if self._mapped is not None:
            self._index = self._faiss.deserialize_index(self._faiss.serialize_index(self._index))
            self._mapped = None

    def _train(self, rows: Vectors, least_recall: float) -> None:
        """Cluster the rows again, and probe as many lists as the required recall needs."""
        self._index, self._mapped = trained_lists(self._faiss, rows), None
        self._trained_on = len(rows)
        self._index.add(rows)
        self.recall = self._probe(rows, least_recall, None)
        self._probe(rows, least_recall, one_in(FEW, len(rows)))  # fewer are scanned
        log.info(
            "approximate search over %d vectors: %d of %d lists, recall@10 %.3f",
            *(len(rows), self._index.nprobe, self._index.nlist, self.recall),
        )

    def _probe(self, rows: Vectors, least_recall: float, allowed: Mask | None) -> float:
        """Set the number of lists to probe and return the recall of a sample.

        The number is twice what the sample needs, because other queries may be harder.
        """
        queries = sample_queries(rows)
        expected = nearest_rows(rows, queries, allowed)
        probes, recall = 0, 0.0
        while recall < least_recall and probes < self._index.nlist:
            probes = self._set_probes(max(2 * probes, 1), allowed)
            found = [self._found(query, TOP + MARGIN, allowed)[0] for query in queries]
            hits = [len(np.intersect1d(a, b)) for a, b in zip(expected, found, strict=True)]
            recall = float(np.mean(hits)) / expected.shape[1]
        self._set_probes(2 * probes, allowed)
        return recall

    def _set_probes(self, probes: int, allowed: Mask | None) -> int:
        probes = min(probes, self._index.nlist)
        if allowed is None:
            self._index.nprobe = probes
        else:
            self._filtered_probes = probes
        return probes


def _import_faiss(device: str) -> Any:
    if device != "cpu":
        raise ValueError(f"unknown faiss device {device!r}, expected 'cpu'; or use index=faiss_gpu")
    try:
        import faiss
    except ImportError as error:
        raise ImportError(
            "index=faiss_cpu needs faiss, which is not installed: pip install faiss-cpu"
        ) from error
    return faiss
