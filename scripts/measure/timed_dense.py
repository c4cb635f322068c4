"""A dense index that times the search for pairs, so that synonymy is reported separately."""

import time

import numpy as np

from remem.index.ranking import Pairs, Positions
from remem.protocols import DenseIndex, Mask, Vectors


class TimedPairs:
    """Passes all calls to an index; `seconds` is the time spent on pairs."""

    def __init__(self, index: DenseIndex) -> None:
        self._index = index
        self.seconds = 0.0

    def candidates(self, rows: Vectors, query: Vectors, top_k: int, allowed: Mask) -> Positions:
        """Return allowed positions that include the best `top_k`."""
        return self._index.candidates(rows, query, top_k, allowed)

    def pairs_above(self, rows: Vectors, threshold: float, since: int) -> Pairs:
        """Return the pairs, after building the data of a search."""
        self._index.candidates(rows, rows[0], 1, np.ones(len(rows), dtype=np.bool_))
        begun = time.perf_counter()
        pairs = self._index.pairs_above(rows, threshold, since)
        self.seconds += time.perf_counter() - begun
        return pairs
