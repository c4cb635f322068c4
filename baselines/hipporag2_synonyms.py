"""HippoRAG 2, synonymy: links between phrases with similar embeddings, old and new."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from remem.index.numpy_dense import pairs_by_blocks
from remem.index.ranking import Pairs, Positions, Scores, score_pairs
from remem.protocols import Mask, Vectors

MOST_SYNONYMS = 101
"""Maximum number of synonyms of a phrase, as in the package."""


@dataclass(frozen=True, slots=True)
class Links:
    """Directed weights between nodes."""

    sources: NDArray[np.int64]
    targets: NDArray[np.int64]
    weights: NDArray[np.float64]

    @classmethod
    def joined(cls, parts: Sequence["Links"]) -> "Links":
        """Return the links of all parts."""
        return cls(
            np.concatenate([part.sources for part in parts]),
            np.concatenate([part.targets for part in parts]),
            np.concatenate([part.weights for part in parts]),
        )

    def taken(self, which: Mask | Positions) -> "Links":
        """Return the chosen links, in the chosen order."""
        return Links(self.sources[which], self.targets[which], self.weights[which])


class Synonyms:
    """All pairs of phrases with a similarity of at least `threshold`."""

    def __init__(self, *, threshold: float) -> None:
        self._threshold = threshold
        self.pairs: Pairs = np.empty((0, 2), dtype=np.int64)
        self.scores: Scores = np.empty(0)

    def add(self, rows: Vectors, known: int) -> None:
        """Compare the rows from `known` on with all rows."""
        found = pairs_by_blocks(rows, self._threshold, known)
        self.restore(
            np.concatenate([self.pairs, found]),
            np.concatenate([self.scores, score_pairs(rows, found)]),
        )

    def restore(self, pairs: Pairs, scores: Scores) -> None:
        """Replace the pairs with saved ones."""
        self.pairs, self.scores = pairs, scores

    def links(self, sources: Mask, targets: Mask) -> Links:
        """Return the links from each source to its most similar targets."""
        pairs = np.concatenate([self.pairs, self.pairs[:, ::-1]])
        both = Links(pairs[:, 0], pairs[:, 1], np.concatenate([self.scores, self.scores]))
        return _strongest(both.taken(sources[both.sources] & targets[both.targets]))


def _strongest(links: Links) -> Links:
    order = np.lexsort((links.targets, -links.weights, links.sources))
    links = links.taken(order)
    first = np.searchsorted(links.sources, links.sources)
    return links.taken(np.arange(len(order)) - first < MOST_SYNONYMS)
