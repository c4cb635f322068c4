"""A dense index that times the search for pairs, so that synonymy is reported separately."""

import time
from typing import Any

from numpy.typing import NDArray

from remem.protocols import DenseIndex, Hit, Mask, Vectors


class TimedPairs:
    """Passes all calls to an index; `seconds` is the time spent on pairs."""

    def __init__(self, index: DenseIndex) -> None:
        self._index = index
        self.seconds = 0.0

    @property
    def vectors(self) -> Vectors:
        """Return all vectors, in the order in which they were added."""
        return self._index.vectors

    def add(self, vectors: Vectors) -> None:
        """Append unit vectors."""
        self._index.add(vectors)

    def search(self, query: Vectors, top_k: int, allowed: Mask | None = None) -> list[Hit]:
        """Return the best `top_k` allowed entries for one vector."""
        return self._index.search(query, top_k, allowed)

    def pairs_above(self, threshold: float, since: int = 0) -> NDArray[Any]:
        """Return the pairs, after building the data of a search."""
        self._index.search(self._index.vectors[0], 1)
        begun = time.perf_counter()
        pairs = self._index.pairs_above(threshold, since)
        self.seconds += time.perf_counter() - begun
        return pairs
