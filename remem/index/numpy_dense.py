"""Exact search with numpy, for the nearest vectors by inner product and for similar pairs.

This is the reference for all backends. Backends that cannot filter fall back to it. A pair whose
float32 similarity is close to the threshold is scored again in float64 (see ranking.py). The
similar pairs become synonymy edges (paper, Indexing, step 4).
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from remem.index.ranking import (
    TOLERANCE,
    Nearest,
    Pairs,
    Positions,
    find_candidates,
    highest,
    score_pairs,
)
from remem.protocols import Mask, Vectors

FEW = 10
"""If fewer than one row in `FEW` is allowed, gathering those rows is faster than scoring all."""
GATHERED = 512
"""Number of rows gathered at once, so that they are scored while still in the cache."""


class NumpyDense:
    """A dense index that compares the query with every vector."""

    def candidates(self, rows: Vectors, query: Vectors, top_k: int, allowed: Mask) -> Positions:
        """Return allowed positions that include the best `top_k`."""
        return scan(rows, query, np.flatnonzero(allowed), top_k)

    def pairs_above(self, rows: Vectors, threshold: float, since: int) -> Pairs:
        """Return sorted pairs i < j with j >= since and similarity >= `threshold`, shape (m, 2)."""
        return pairs_by_blocks(rows, threshold, since)


def scan(rows: Vectors, query: Vectors, admitted: Positions, top_k: int) -> Positions:
    """Return candidates for the best `top_k` of the admitted rows."""
    return find_candidates(nearest_by_scan(rows, query, admitted), top_k, admitted.size)


def nearest_by_scan(rows: Vectors, query: Vectors, admitted: Positions) -> Nearest:
    """Score the admitted rows once, and return a function that returns the best `count` rows."""
    scores = _scores(rows, query, admitted)

    def nearest(count: int) -> tuple[Positions, NDArray[np.float32]]:
        best = highest(scores, count)
        return admitted[best], scores[best]

    return nearest


def _scores(rows: Vectors, query: Vectors, admitted: Positions) -> NDArray[np.float32]:
    """Return the scores of the admitted rows; score other rows too if that is faster."""
    # `@` is not faster here, and its threads waste CPU when many questions search at once.
    first, last = int(admitted[0]), int(admitted[-1])
    between = rows[first : last + 1]
    if len(between) == admitted.size:
        return np.asarray(np.vecdot(between, query))
    if not are_few(admitted.size, between):
        return np.asarray(np.vecdot(between, query)[admitted - first])
    blocks = [admitted[at : at + GATHERED] for at in range(0, len(admitted), BLOCK)]
    return np.concatenate([np.vecdot(rows[block], query) for block in blocks])


def are_few(admitted: int, rows: Vectors) -> bool:
    """Return whether scoring only the admitted rows is faster than scoring all rows."""
    return admitted * FEW < len(rows)


BLOCK = 768
"""Rows per side of a block of pairs; larger blocks do not fit into the CPU's cache."""
SELECTIVE = 100
"""Upper bounds are used only while they leave at most one pair in `SELECTIVE` to score."""


def pairs_by_blocks(rows: Vectors, threshold: float, since: int) -> Pairs:
    """Return sorted pairs i < j with j >= since and similarity >= `threshold`, shape (m, 2).

    An upper bound on the similarity is computed from half of each vector. If it excludes most
    pairs, only the remaining pairs are scored in full.
    """
    heads = _heads(rows) if len(rows) - since >= BLOCK else None
    all_pairs = []
    for top, left in pair_blocks(len(rows), since, BLOCK):
        pairs = None if heads is None else _bounded_pairs(rows, heads, top, left, threshold)
        if pairs is None:
            heads = None  # if the bounds are useless here, skip them elsewhere
            pairs = _block_pairs(rows, top, left, threshold)
        all_pairs.append(pairs)
    return sorted_pairs(all_pairs)


def pair_blocks(count: int, since: int, block: int) -> Iterator[tuple[int, int]]:
    """Yield the first i and j of blocks that cover each pair i < j with j >= `since` just once."""
    for left in range(since, count, block):
        for top in range(0, min(left + block, count), block):
            yield top, left


def decided_pairs(
    rows: Vectors, pairs: Pairs, similarity: NDArray[np.float32], threshold: float
) -> Pairs:
    """Return the pairs i < j with similarity >= `threshold`; score borderline pairs again."""
    ordered = pairs[:, 0] < pairs[:, 1]
    pairs, similarity = pairs[ordered], similarity[ordered]
    keep = similarity >= threshold + TOLERANCE
    borderline = ~keep
    keep[borderline] = score_pairs(rows, pairs[borderline]) >= threshold
    return pairs[keep]


def sorted_pairs(all_pairs: list[Pairs]) -> Pairs:
    """Return the pairs of all blocks in ascending order."""
    pairs = np.concatenate([np.empty((0, 2), dtype=np.int64), *all_pairs])
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]


def _heads(rows: Vectors) -> Vectors:
    """Return the first half of each vector and the length of the second half.

    By the Cauchy-Schwarz inequality, the inner product of two such rows is an upper bound of that
    of the vectors.
    """
    half = rows.shape[1] // 2
    rest = rows[:, half:]
    return np.column_stack((rows[:, :half], np.sqrt(np.vecdot(rest, rest))))


def _bounded_pairs(
    rows: Vectors, heads: Vectors, top: int, left: int, threshold: float
) -> Pairs | None:
    """Return the pairs of a block that pass the upper bound, or None if too many pass."""
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
