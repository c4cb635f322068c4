"""The synonymy edges of a graph: those known at once in two arrays, later ones in lists.

A million gists of real texts have millions of edges; lists of Python integers would take gigabytes
of memory, and seconds whenever a stored memory is opened.
"""

import numpy as np
from numpy.typing import NDArray


class SynonymEdges:
    """The neighbours of each gist, in the order in which the edges were added."""

    def __init__(self) -> None:
        self._ends = np.zeros(1, dtype=np.int64)
        self._neighbours = np.empty(0, dtype=np.int32)
        self._later: dict[int, list[int]] = {}
        self._count = 0

    def __len__(self) -> int:
        """Return the number of edges."""
        return self._count

    def add(self, pairs: NDArray[np.int64]) -> None:
        """Add edges that are new, as sorted pairs of gist positions, shape (m, 2)."""
        if not self._count and len(pairs):
            self._store(pairs)
        else:
            for first, second in pairs.tolist():
                self._later.setdefault(first, []).append(second)
                self._later.setdefault(second, []).append(first)
        self._count += len(pairs)

    def of(self, gist: int) -> list[int]:
        """Return the gists that share an edge with a gist."""
        stored: list[int] = []
        if gist + 1 < len(self._ends):
            stored = self._neighbours[self._ends[gist] : self._ends[gist + 1]].tolist()
        return stored + self._later.get(gist, [])

    def pairs(self) -> NDArray[np.int64]:
        """Return each edge once, as sorted pairs, shape (m, 2)."""
        later = [(gist, other) for gist, others in self._later.items() for other in others]
        known = len(self._ends) - 1
        gists = np.repeat(np.arange(known, dtype=np.int64), np.diff(self._ends))
        both = np.concatenate(
            [
                np.column_stack((gists, self._neighbours)),
                np.array(later, dtype=np.int64).reshape(-1, 2),
            ]
        )
        once = both[both[:, 0] < both[:, 1]]
        return once[np.lexsort((once[:, 1], once[:, 0]))]

    def _store(self, pairs: NDArray[np.int64]) -> None:
        both = pairs.ravel()
        others = pairs[:, ::-1].ravel()
        order = np.argsort(both, kind="stable")
        self._neighbours = others[order].astype(np.int32)
        self._ends = np.concatenate([[0], np.cumsum(np.bincount(both))])
