"""Exact inner-product search with numpy, the reference for every other dense backend."""

import numpy as np
from numpy.typing import NDArray

from remem.index.exact_scan import scan
from remem.index.pairs import pairs_by_blocks
from remem.index.ranking import full_mask
from remem.index.vector_table import VectorTable
from remem.protocols import Hit, Mask, Vectors


class NumpyDense:
    """A dense index that compares the query with every vector."""

    def __init__(self) -> None:
        self._table = VectorTable()

    @property
    def vectors(self) -> Vectors:
        """Return all vectors, in the order in which they were added."""
        return self._table.rows

    def add(self, vectors: Vectors) -> None:
        """Append unit vectors."""
        self._table.append(vectors)

    def search(self, query: Vectors, top_k: int, allowed: Mask | None = None) -> list[Hit]:
        """Return the best `top_k` allowed entries for a vector, best first; ties: by position."""
        rows = self._table.rows
        return scan(rows, query, np.flatnonzero(full_mask(allowed, len(rows))), top_k)

    def pairs_above(self, threshold: float, since: int = 0) -> NDArray[np.int64]:
        """Return sorted pairs i < j, j >= since, of similarity >= `threshold`, shape (m, 2)."""
        return pairs_by_blocks(self._table.rows, threshold, since)
