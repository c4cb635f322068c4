"""HippoRAG 2, personalised PageRank as a sparse linear system.

With the transitions T, the reset vector r and the damping d, the result x = c (I - d T)^-1 r sums
to one. Nodes without edges return their mass to r, which changes only the factor c.
"""

from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.hipporag2_synonyms import Links

CHANGE = {np.dtype(np.float64): 1e-10, np.dtype(np.float32): 1e-6}
"""The iteration ends when the sum of all changes in the probabilities is below this value."""
LOOKS = 3
"""Number of products between two checks for convergence; a check costs half a product."""
COLUMNS = 32
"""Number of walks computed together; more do not fit the processor's cache."""

Weights = NDArray[np.float64]
Rough = NDArray[np.float32]


class Walk:
    """Random walks with restarts on an undirected graph."""

    def __init__(self, links: Links, *, size: int, damping: float) -> None:
        from scipy.sparse import csr_array  # type: ignore[import-untyped]  # ships no types

        nodes = np.int32 if size < np.iinfo(np.int32).max else np.int64
        ends = (links.targets.astype(nodes), links.sources.astype(nodes))
        one_way: Any = csr_array((links.weights, ends), shape=(size, size))
        damped = (one_way + one_way.T).tocsr()
        strength = np.asarray(damped.sum(axis=0)).ravel()
        inverse = np.divide(damping, strength, out=np.zeros(size), where=strength > 0)
        damped.data *= inverse[damped.indices]
        self._damped = {
            dtype: csr_array(
                (damped.data.astype(dtype), damped.indices, damped.indptr), (size, size)
            )
            for dtype in CHANGE
        }
        self._damping = damping

    def visited(self, reset: Weights) -> Weights:
        """Return the probability of each node, for walks that restart at `reset`."""
        return self._visited(reset, 1)

    def visited_by_many(self, resets: Rough) -> Rough:
        """Return the probability of each node to 6 digits, with one column for each reset vector.

        A product with many columns in single precision is much faster per column.
        """
        blocks = [resets[:, at : at + COLUMNS] for at in range(0, resets.shape[1], COLUMNS)]
        return np.concatenate([self._visited(block, LOOKS) for block in blocks], axis=1)

    def _visited(self, reset: NDArray[Any], looks: int) -> NDArray[Any]:
        """Solve the system for each column, checking for convergence after every `looks` products.

        The eigenvalues of d T are real and in [-d, d], so Chebyshev's semi-iteration needs half as
        many products as power iteration.
        """
        damped, enough = self._damped[reset.dtype], CHANGE[reset.dtype]
        reset = reset / _total(reset)
        before, found, pace = np.zeros_like(reset), reset, 2.0
        for step in count(1):
            pace = 1 / (1 - self._damping**2 * pace / 4)
            after = damped @ found
            after += reset
            after -= before
            after *= pace
            after += before
            before, found = found, after
            if step % looks == 0 and _total(np.abs(found - before)).max() <= enough:
                break
        return np.asarray(found / _total(found))


def _total(columns: NDArray[Any]) -> NDArray[Any]:
    return np.asarray(columns.sum(axis=0, dtype=np.float64)).astype(columns.dtype)
