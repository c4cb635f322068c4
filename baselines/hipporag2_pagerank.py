"""HippoRAG 2, personalised PageRank as a sparse linear system.

With T the transitions, r the reset and d the damping, x = c (I - d T)^-1 r sums to one: mass on
nodes without edges returns to r, so it changes the factor c alone.
"""

from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from remem.baselines.hipporag2_synonyms import Links

CHANGE = {np.dtype(np.float64): 1e-10, np.dtype(np.float32): 1e-6}
"""At which change of all probabilities of a walk together the iteration ends."""
LOOKS = 3
"""With many walks, how many products lie between two looks at the change: one costs half of one."""
COLUMNS = 32
"""How many walks go in step: more of them no longer fit the processor's cache."""

Weights = NDArray[np.float64]
Rough = NDArray[np.float32]


class Walk:
    """Random walks on an undirected graph that return to where they began."""

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
        """Return how likely each node is, for walks that return to `reset`."""
        return self._visited(reset, 1)

    def visited_by_many(self, resets: Rough) -> Rough:
        """Return how likely each node is for several resets, a column each, to 6 digits.

        A product with many columns at single precision costs each a fraction of one by itself.
        """
        blocks = [resets[:, at : at + COLUMNS] for at in range(0, resets.shape[1], COLUMNS)]
        return np.concatenate([self._visited(block, LOOKS) for block in blocks], axis=1)

    def _visited(self, reset: NDArray[Any], looks: int) -> NDArray[Any]:
        """Solve the system for each column; look after so many products whether it is solved.

        The eigenvalues of d T are real and lie in [-d, d], so Chebyshev's semi-iteration needs half
        as many products as the power iteration.
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
