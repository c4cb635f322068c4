"""Exact inner-product search over the rows of the table, the reference for every dense backend.

It ranks by the rule of ranking.py. A backend that cannot filter uses this search.
"""

import numpy as np
from numpy.typing import NDArray

from remem.index.ranking import Nearest, Positions, find_candidates, highest, rank_candidates
from remem.protocols import Hit, Vectors

FEW = 10
"""If fewer than one row in `FEW` is allowed, gathering those rows is faster than scoring all."""
BLOCK = 512
"""Number of rows gathered at once, so that they are scored while still in the cache."""


def scan(rows: Vectors, query: Vectors, admitted: Positions, top_k: int) -> list[Hit]:
    """Return the best `top_k` of the admitted rows, best first; ties are ordered by position."""
    if top_k < 1 or not admitted.size:
        return []
    found = find_candidates(nearest_by_scan(rows, query, admitted), top_k, admitted.size)
    return rank_candidates(rows, query, admitted[found], top_k)


def nearest_by_scan(rows: Vectors, query: Vectors, admitted: Positions) -> Nearest:
    """Score the admitted rows once, and return a search over them.

    Its positions are indexes into `admitted`.
    """
    scores = _scores(rows, query, admitted)

    def nearest(count: int) -> tuple[Positions, NDArray[np.float32]]:
        best = highest(scores, count)
        return best, scores[best]

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
