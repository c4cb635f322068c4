"""All pairs of vectors that are alike, decided alike whichever backend proposes them.

A backend's float32 similarity decides where it is clear of the threshold; the borderline is scored
again in float64 (see ranking.py). Synonymy edges come from here (paper, Indexing, step 4).
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from remem.index.ranking import TOLERANCE, score_pairs
from remem.protocols import Vectors

BLOCK = 768
"""Rows a side of a square of pairs: larger ones no longer fit the processor's cache."""
SELECTIVE = 100
"""Bounds serve while at most one pair in so many may be alike: each is scored by itself."""

Pairs = NDArray[np.int64]


def pairs_by_blocks(rows: Vectors, threshold: float, since: int) -> Pairs:
    """Return sorted pairs i < j, j >= since, of similarity >= `threshold`, shape (m, 2).

    Where bounds tell few pairs from many, half of each product is never made.
    """
    heads = _heads(rows) if len(rows) - since >= BLOCK else None
    found = []
    for top, left in pair_blocks(len(rows), since, BLOCK):
        pairs = None if heads is None else _bounded_pairs(rows, heads, top, left, threshold)
        if pairs is None:
            heads = None  # what does not pay here would hardly pay elsewhere
            pairs = _block_pairs(rows, top, left, threshold)
        found.append(pairs)
    return sorted_pairs(found)


def pair_blocks(count: int, since: int, block: int) -> Iterator[tuple[int, int]]:
    """Yield the first i and j of the squares that hold every pair i < j with j >= since once."""
    for left in range(since, count, block):
        for top in range(0, min(left + block, count), block):
            yield top, left


def decided_pairs(
    rows: Vectors, pairs: Pairs, similarity: NDArray[np.float32], threshold: float
) -> Pairs:
    """Return the proposed pairs i < j that hold; they reach the threshold but for TOLERANCE."""
    ordered = pairs[:, 0] < pairs[:, 1]
    pairs, similarity = pairs[ordered], similarity[ordered]
    keep = similarity >= threshold + TOLERANCE
    borderline = ~keep
    keep[borderline] = score_pairs(rows, pairs[borderline]) >= threshold
    return pairs[keep]


def sorted_pairs(found: list[Pairs]) -> Pairs:
    """Return the pairs of all blocks in one order."""
    pairs = np.concatenate([np.empty((0, 2), dtype=np.int64), *found])
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]


def _heads(rows: Vectors) -> Vectors:
    """Return half of each vector and the length of the rest.

    By Cauchy and Schwarz their products are no lower than those of the whole vectors.
    """
    half = rows.shape[1] // 2
    rest = rows[:, half:]
    return np.column_stack((rows[:, :half], np.sqrt(np.vecdot(rest, rest))))


def _bounded_pairs(
    rows: Vectors, heads: Vectors, top: int, left: int, threshold: float
) -> Pairs | None:
    """Score what may be alike in a square; return None where that is too much of it."""
    bounds = heads[top : top + BLOCK] @ heads[left : left + BLOCK].T
    near = np.flatnonzero(bounds >= threshold - TOLERANCE)  # nonzero takes ten times as long
    if near.size * SELECTIVE > bounds.size:
        return None
    i, j = np.divmod(near, bounds.shape[1])
    pairs = np.column_stack((i + top, j + left))
    similarity = np.vecdot(rows[pairs[:, 0]], rows[pairs[:, 1]])
    alike = similarity >= threshold - TOLERANCE
    return decided_pairs(rows, pairs[alike], similarity[alike], threshold)


def _block_pairs(rows: Vectors, top: int, left: int, threshold: float) -> Pairs:
    similarity = rows[top : top + BLOCK] @ rows[left : left + BLOCK].T
    near = np.flatnonzero(similarity >= threshold - TOLERANCE)
    i, j = np.divmod(near, similarity.shape[1])
    return decided_pairs(rows, np.column_stack((i + top, j + left)), similarity[i, j], threshold)
