"""Vectors that grow, and their search: one ranking for the candidates of every dense index."""

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from remem.index.pairs import Pairs
from remem.index.ranking import full_mask, rank_candidates
from remem.index.stored_arrays import Arrays
from remem.protocols import DenseIndex, Hit, Mask, Vectors

NORM_TOLERANCE = 0.01


class VectorTable:
    """A float32 matrix that grows at its end in amortised constant time.

    The first vectors are not copied, so the caller must not change them.
    """

    def __init__(self) -> None:
        self._buffer: Vectors = np.empty((0, 0), dtype=np.float32)
        self._count = 0

    @property
    def rows(self) -> Vectors:
        """Return all vectors, in the order in which they were added."""
        return self._buffer[: self._count]

    def append(self, vectors: Vectors) -> None:
        """Append unit vectors, shape (n, dimension)."""
        if not len(vectors):
            return
        self._check(vectors)
        count = self._count + len(vectors)
        if not self._count:
            self._buffer = np.ascontiguousarray(vectors, dtype=np.float32)
        else:
            self._make_room(count)
            self._buffer[self._count : count] = vectors
        self._count = count

    def _make_room(self, count: int) -> None:
        if count > len(self._buffer):
            grown = np.empty((max(count, 2 * self._count), self._buffer.shape[1]), np.float32)
            grown[: self._count] = self.rows
            self._buffer = grown

    def _check(self, vectors: Vectors) -> None:
        dimension = self._buffer.shape[1] if self._count else vectors.shape[-1]
        if vectors.shape != (len(vectors), dimension):
            raise ValueError(
                f"found vectors of shape {vectors.shape}, expected (n, {dimension}); an index "
                f"contains the vectors of one embedder"
            )
        check_lengths(vectors)


@runtime_checkable
class StoredDense(DenseIndex, Protocol):
    """A dense index that is stored with its memory, because it takes long to build."""

    def stored(self, rows: Vectors) -> Arrays:
        """Return everything except the vectors that `restore` needs."""

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Restore the output of `stored`."""


class RankedVectors:
    """The vectors of all items, of which a dense index finds candidates."""

    def __init__(self, index: DenseIndex) -> None:
        self._index = index
        self._table = VectorTable()

    @property
    def rows(self) -> Vectors:
        """Return all vectors, in the order in which they were added."""
        return self._table.rows

    def add(self, vectors: Vectors) -> None:
        """Append unit vectors."""
        self._table.append(vectors)

    def search(self, query: Vectors, top_k: int, allowed: Mask | None = None) -> list[Hit]:
        """Return the best `top_k` allowed entries for a vector, best first; ties: by position."""
        rows = self.rows
        mask = full_mask(allowed, len(rows))
        if top_k < 1 or not mask.any():
            return []
        return rank_candidates(rows, query, self._index.candidates(rows, query, top_k, mask), top_k)

    def pairs_above(self, threshold: float, since: int = 0) -> Pairs:
        """Return sorted pairs i < j, j >= since, of similarity >= `threshold`, shape (m, 2)."""
        return self._index.pairs_above(self.rows, threshold, since)

    def stored(self) -> Arrays:
        """Return what `restore` needs besides the vectors; nothing for most indexes."""
        return self._index.stored(self.rows) if isinstance(self._index, StoredDense) else {}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Restore the output of `stored`; the vectors must already be added."""
        if arrays and isinstance(self._index, StoredDense):
            self._index.restore(arrays)


def check_lengths(vectors: Vectors) -> None:
    """Raise an error unless all vectors have length 1, shape (n, dimension)."""
    norms = np.sqrt(np.vecdot(vectors, vectors))  # np.linalg.norm takes the memory of another copy
    wrong = np.flatnonzero(~(np.abs(norms - 1) <= NORM_TOLERANCE))  # catches NaN as well
    if wrong.size:
        raise ValueError(
            f"vector {wrong[0]} of {len(vectors)} has length {norms[wrong[0]]:.3g}, expected 1; "
            f"the embedder must return unit vectors"
        )
