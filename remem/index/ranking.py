"""Rank entries by a rule that gives every backend the same order, and store their vectors.

The best k + 32 candidates are scored again in float64, with sums in a fixed order. The scores are
rounded to 1e-6, and ties are ordered by position.
"""

from collections.abc import Callable, Mapping
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from remem.index.stored_arrays import Arrays
from remem.protocols import DenseIndex, Hit, Mask, Vectors

MARGIN = 32
DECIMALS = 6
TOLERANCE = 1e-5
"""A bound on the error of a float32 inner product of unit vectors plus the rounding error."""

CHUNK = 1024
GROUPED = 16
"""Number of scores in a group."""

Positions = NDArray[np.int64]
Pairs = NDArray[np.int64]
"""Pairs of positions, shape (m, 2)."""
Scores = NDArray[np.float64]
Nearest = Callable[[int], tuple[Positions, NDArray[np.float32]]]
"""A backend's search: takes a count and returns that many positions and scores, best first."""


def rank(positions: Positions, scores: Scores, top_k: int) -> list[Hit]:
    """Return the best `top_k` entries by rounded score; ties are ordered by position."""
    if top_k < 1 or not len(positions):
        return []
    rounded = np.round(scores, DECIMALS) + 0.0  # no -0.0 in a record
    if len(rounded) > top_k:
        contenders = rounded >= np.partition(rounded, -top_k)[-top_k]
        positions, rounded = positions[contenders], rounded[contenders]
    order = np.lexsort((positions, -rounded))[:top_k]
    return list(zip(positions[order].tolist(), rounded[order].tolist(), strict=True))


def highest(scores: NDArray[np.float32], count: int) -> Positions:
    """Return the positions of the `count` highest scores, best first; ties are ordered by position.

    The scores are divided into groups. The `count`-th highest of the groups' maxima is at most the
    `count`-th highest score, so scores below that maximum need not be sorted. This takes a tenth of
    the time of partitioning all scores.
    """
    groups = len(scores) // GROUPED
    among = np.arange(len(scores))
    if 0 < count < groups:
        maxima = scores[: groups * GROUPED].reshape(GROUPED, groups).max(axis=0)
        bound = np.partition(maxima, groups - count)[groups - count]
        among = np.flatnonzero(~(scores < bound))  # keeps NaN
    return among[np.argsort(-scores[among], kind="stable")[:count]]


def find_candidates(nearest: Nearest, top_k: int, size: int) -> Positions:
    """Return the positions of the best `top_k` + 32 of `size` entries, or more in case of ties.

    All entries that tie with the `top_k`-th are included; otherwise, the order in which the backend
    returns equal scores would affect the result.
    """
    count = min(top_k + MARGIN, size)
    positions, scores = nearest(count)
    while count < size and scores[-1] >= scores[top_k - 1] - TOLERANCE:
        count = min(4 * count, size)
        positions, scores = nearest(count)
    return positions


def rank_candidates(rows: Vectors, query: Vectors, candidates: Positions, top_k: int) -> list[Hit]:
    """Score the candidates again in float64 and rank them."""
    chunks = [candidates[at : at + CHUNK] for at in range(0, len(candidates), CHUNK)]
    scores = [_inner_products(rows[chunk], query) for chunk in chunks]
    return rank(candidates, np.concatenate([np.empty(0), *scores]), top_k)


def score_pairs(rows: Vectors, pairs: NDArray[np.int64]) -> Scores:
    """Return the similarity of each pair of positions, shape (m, 2), in float64 and rounded."""
    chunks = [pairs[at : at + CHUNK] for at in range(0, len(pairs), CHUNK)]
    scores = [_inner_products(rows[chunk[:, 0]], rows[chunk[:, 1]]) for chunk in chunks]
    return np.round(np.concatenate([np.empty(0), *scores]), DECIMALS)


def full_mask(allowed: Mask | None, size: int) -> Mask:
    """Return `allowed`; if it is None, return a mask that allows all `size` entries."""
    if allowed is None:
        return np.ones(size, dtype=np.bool_)
    if allowed.shape != (size,):
        raise ValueError(
            f"the mask has shape {allowed.shape}, expected ({size},), one flag for each entry"
        )
    return allowed


def _inner_products(left: Vectors, right: Vectors) -> Scores:
    # Not a matrix product: BLAS orders its additions by shape and CPU.
    return np.asarray((left.astype(np.float64) * right).sum(axis=1))


NORM_TOLERANCE = 0.01


class VectorTable:
    """A float32 matrix to which vectors are appended in amortised constant time.

    The first vectors appended are not copied, so the caller must not change them.
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
    """A dense index that takes long to build and is therefore stored together with its memory."""

    def stored(self, rows: Vectors) -> Arrays:
        """Return everything that `restore` needs, except the vectors."""

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Restore the output of `stored`."""


class RankedVectors:
    """The vectors of all items, with the dense index that finds candidates among them."""

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
        """Return the `top_k` allowed entries nearest to a vector, best first, ties by position."""
        rows = self.rows
        mask = full_mask(allowed, len(rows))
        if top_k < 1 or not mask.any():
            return []
        return rank_candidates(rows, query, self._index.candidates(rows, query, top_k, mask), top_k)

    def pairs_above(self, threshold: float, since: int = 0) -> Pairs:
        """Return sorted pairs i < j with j >= since and similarity >= `threshold`, shape (m, 2)."""
        return self._index.pairs_above(self.rows, threshold, since)

    def stored(self) -> Arrays:
        """Return the arrays that `restore` needs besides the vectors; most indexes need none."""
        return self._index.stored(self.rows) if isinstance(self._index, StoredDense) else {}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Restore the output of `stored`; the vectors must already be added."""
        if arrays and isinstance(self._index, StoredDense):
            self._index.restore(arrays)


def check_lengths(vectors: Vectors) -> None:
    """Raise an error unless all vectors, shape (n, dimension), have length 1."""
    norms = np.sqrt(np.vecdot(vectors, vectors))  # np.linalg.norm needs the memory of another copy
    wrong = np.flatnonzero(~(np.abs(norms - 1) <= NORM_TOLERANCE))  # catches NaN as well
    if wrong.size:
        raise ValueError(
            f"vector {wrong[0]} of {len(vectors)} has length {norms[wrong[0]]:.3g}, expected 1; "
            f"the embedder must return unit vectors"
        )
