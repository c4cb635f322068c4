"""HippoRAG 2, personalised PageRank as a sparse linear system.

With T the transitions, r the reset and d the damping, x = c (I - d T)^-1 r sums to one: mass on
nodes without edges returns to r, so it changes the factor c alone.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.hipporag2_synonyms import Links

CHANGE = 1e-10
"""At which change of all probabilities together the iteration ends."""

Weights = NDArray[np.float64]


class Walk:
    """Random walks on an undirected graph that return to where they began."""

    def __init__(self, links: Links, *, size: int, damping: float) -> None:
        from scipy.sparse import csr_array  # type: ignore[import-untyped]  # ships no types

        ends = (links.targets, links.sources)
        one_way: Any = csr_array((links.weights, ends), shape=(size, size))
        damped = (one_way + one_way.T).tocsr()
        strength = np.asarray(damped.sum(axis=0)).ravel()
        inverse = np.divide(damping, strength, out=np.zeros(size), where=strength > 0)
        damped.data *= inverse[damped.indices]
        self._damped = damped
        self._damping = damping

    def visited(self, reset: Weights) -> Weights:
        """Return how likely each node is, for walks that return to `reset`.

        The eigenvalues of d T are real and lie in [-d, d], so Chebyshev's semi-iteration needs half
        as many products as the power iteration.
        """
        reset = reset / reset.sum()
        before, found, pace = np.zeros_like(reset), reset, 2.0
        while True:
            pace = 1 / (1 - self._damping**2 * pace / 4)
            after = before + pace * (self._damped @ found + reset - before)
            change = np.abs(after - found).sum()
            before, found = found, after
            if change <= CHANGE:
                return np.asarray(found / found.sum())
