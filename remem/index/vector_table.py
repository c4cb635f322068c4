"""The local vectors of a dense index, from which every backend scores its candidates again."""

import numpy as np

from remem.protocols import Vectors

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


def check_lengths(vectors: Vectors) -> None:
    """Raise an error unless all vectors have length 1, shape (n, dimension)."""
    norms = np.sqrt(np.vecdot(vectors, vectors))  # np.linalg.norm takes the memory of another copy
    wrong = np.flatnonzero(~(np.abs(norms - 1) <= NORM_TOLERANCE))  # catches NaN as well
    if wrong.size:
        raise ValueError(
            f"vector {wrong[0]} of {len(vectors)} has length {norms[wrong[0]]:.3g}, expected 1; "
            f"the embedder must return unit vectors"
        )
