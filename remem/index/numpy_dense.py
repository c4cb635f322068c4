"""Exact inner-product search with numpy, the reference for every other dense backend.

A backend that cannot filter uses this search too.
"""

import numpy as np
from numpy.typing import NDArray

from remem.index.pairs import Pairs, pairs_by_blocks
from remem.index.ranking import Nearest, Positions, find_candidates, highest
from remem.protocols import Mask, Vectors

FEW = 10
"""If fewer than one row in `FEW` is allowed, gathering those rows is faster than scoring all."""
BLOCK = 512
"""Number of rows gathered at once, so that they are scored while still in the cache."""


class NumpyDense:
    """A dense index that compares the query with every vector."""

    def candidates(self, rows: Vectors, query: Vectors, top_k: int, allowed: Mask) -> Positions:
        """Return allowed positions that include the best `top_k`."""
        return scan(rows, query, np.flatnonzero(allowed), top_k)

    def pairs_above(self, rows: Vectors, threshold: float, since: int) -> Pairs:
        """Return sorted pairs i < j, j >= since, of similarity >= `threshold`, shape (m, 2)."""
        return pairs_by_blocks(rows, threshold, since)


def scan(rows: Vectors, query: Vectors, admitted: Positions, top_k: int) -> Positions:
    """Return candidates for the best `top_k` of the admitted rows."""
    return find_candidates(nearest_by_scan(rows, query, admitted), top_k, admitted.size)


def nearest_by_scan(rows: Vectors, query: Vectors, admitted: Positions) -> Nearest:
    """Score the admitted rows once, and return a search over them."""
    scores = _scores(rows, query, admitted)

    def nearest(count: int) -> tuple[Positions, NDArray[np.float32]]:
        best = highest(scores, count)
        return admitted[best], scores[best]

    return nearest


def _scores(rows: Vectors, query: Vectors, admitted: Positions) -> NDArray[np.float32]:
    """Return the scores of the admitted rows, by the faster of scoring all rows or only those."""
    # `@` is not faster here, and its threads waste CPU when many questions search at once.
    first, last = int(admitted[0]), int(admitted[-1])
    between = rows[first : last + 1]
    if len(between) == admitted.size:
        return np.asarray(np.vecdot(between, query))
    if not are_few(admitted.size, between):
        return np.asarray(np.vecdot(between, query)[admitted - first])
    blocks = [admitted[at : at + BLOCK] for at in range(0, len(admitted), BLOCK)]
    return np.concatenate([np.vecdot(rows[block], query) for block in blocks])


def are_few(admitted: int, rows: Vectors) -> bool:
    """Return True if so few rows are admitted that scoring only those is faster."""
    return admitted * FEW < len(rows)
