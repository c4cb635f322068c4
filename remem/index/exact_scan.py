"""Exact inner-product search over the rows of the table: the reference of every dense backend.

The ranking rule is the one of ranking.py; a backend that cannot filter searches here.
"""

import numpy as np
from numpy.typing import NDArray

from remem.index.ranking import Nearest, Positions, find_candidates, highest, rank_candidates
from remem.protocols import Hit, Vectors

FEW = 10
"""Below one row in so many, gathering the allowed rows is faster than scoring all."""
BLOCK = 512
"""Rows that are gathered at once: they are scored before they leave the cache."""


def scan(rows: Vectors, query: Vectors, admitted: Positions, top_k: int) -> list[Hit]:
    """Return the best `top_k` of the admitted rows, best first, ties by position."""
    if top_k < 1 or not admitted.size:
        return []
    found = find_candidates(nearest_by_scan(rows, query, admitted), top_k, admitted.size)
    return rank_candidates(rows, query, admitted[found], top_k)


def nearest_by_scan(rows: Vectors, query: Vectors, admitted: Positions) -> Nearest:
    """Score the admitted rows once; positions count among them."""
    scores = _scores(rows, query, admitted)

    def nearest(count: int) -> tuple[Positions, NDArray[np.float32]]:
        best = highest(scores, count)
        return best, scores[best]

    return nearest


def _scores(rows: Vectors, query: Vectors, admitted: Positions) -> NDArray[np.float32]:
    """Score the admitted rows, and no more of the others than is quicker than to leave them out."""
    # Not `@`: it waits for memory too, and its threads spin where many questions search at once.
    first, last = int(admitted[0]), int(admitted[-1])
    between = rows[first : last + 1]
    if len(between) == admitted.size:
        return np.asarray(np.vecdot(between, query))
    if not are_few(admitted.size, between):
        return np.asarray(np.vecdot(between, query)[admitted - first])
    blocks = [admitted[at : at + BLOCK] for at in range(0, len(admitted), BLOCK)]
    return np.concatenate([np.vecdot(rows[block], query) for block in blocks])


def are_few(admitted: int, rows: Vectors) -> bool:
    """Tell whether so few rows are admitted that it pays to look at them alone."""
    return admitted * FEW < len(rows)
