"""Exact inner-product search over the rows of the table: the reference of every dense backend.

The ranking rule is the one of ranking.py; a backend that cannot filter searches here.
"""

import numpy as np
from numpy.typing import NDArray

from remem.index.ranking import Nearest, Positions, find_candidates, rank_candidates
from remem.protocols import Hit, Vectors

FEW = 20
"""Below one row in so many, gathering the allowed rows is faster than scoring all."""


def scan(rows: Vectors, query: Vectors, admitted: Positions, top_k: int) -> list[Hit]:
    """Return the best `top_k` of the admitted rows, best first, ties by position."""
    if top_k < 1 or not admitted.size:
        return []
    found = find_candidates(nearest_by_scan(rows, query, admitted), top_k, admitted.size)
    return rank_candidates(rows, query, admitted[found], top_k)


def nearest_by_scan(rows: Vectors, query: Vectors, admitted: Positions) -> Nearest:
    """Score the admitted rows once; positions count among them."""
    few = are_few(admitted, rows)
    # Not `@`: it waits for memory too, and its threads spin where many questions search at once.
    scores = np.vecdot(rows[admitted], query) if few else np.vecdot(rows, query)[admitted]

    def nearest(count: int) -> tuple[Positions, NDArray[np.float32]]:
        best = np.argpartition(-scores, count - 1)[:count]
        best = best[np.argsort(-scores[best])]
        return best, scores[best]

    return nearest


def are_few(admitted: Positions, rows: Vectors) -> bool:
    """Tell whether so few rows are admitted that it pays to look at them alone."""
    return admitted.size * FEW < len(rows)
