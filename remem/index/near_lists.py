"""Find the pairs of similar vectors among many, by lists of near vectors instead of all pairs.

Each row is compared with the rows of the lists that are nearest to it, by matrix products. How many
lists that must be is measured on a sample of rows.
"""

from collections.abc import Iterator, Mapping
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from remem.index.pairs import Pairs, decided_pairs
from remem.index.ranking import TOLERANCE
from remem.protocols import Vectors

SEED = 7
TRAINED_ON = 64
"""Number of rows per list that are used for clustering."""
FEWEST = 4
"""Number of lists that a row is compared with, even if fewer find all pairs of the sample."""
SAMPLE, AT_ONCE = 400, 50
"""Number of rows whose pairs measure how many lists must be compared."""
BLOCK = 4096
"""Number of rows of a list that are multiplied at once."""


class NearLists:
    """Divides n rows into sqrt(n) lists of near rows; rows can be added later.

    Args:
        faiss: The module.
        rows: Unit vectors, shape (n, dimension).
        threshold: The similarity of a pair.
        least_recall: The share of a sample's pairs that must be found.
    """

    def __init__(self, faiss: Any, rows: Vectors, threshold: float, least_recall: float) -> None:
        lists = max(1, isqrt(len(rows)))
        order = np.random.default_rng(SEED).permutation(len(rows))
        kmeans = faiss.Kmeans(rows.shape[1], lists, spherical=True, seed=SEED)
        kmeans.train(rows[np.sort(order[: TRAINED_ON * lists])])
        self._coarse = faiss.IndexFlatIP(rows.shape[1])
        self._coarse.add(kmeans.centroids)
        self._list_of = self._nearest(rows, 1)[:, 0]
        self.learned_at = len(rows)
        """The number of rows when the lists were made."""
        self.probed = FEWEST
        """The number of lists that a row is compared with."""
        self.recall = self._calibrated(rows, order[:SAMPLE], threshold, least_recall)
        """The share of a sample's pairs that is found."""

    @classmethod
    def restored(cls, faiss: Any, parts: Mapping[str, NDArray[Any]]) -> "NearLists":
        """Restore the output of `stored`."""
        self = cls.__new__(cls)
        centres = np.array(parts["list_centres"])
        self._coarse = faiss.IndexFlatIP(centres.shape[1])
        self._coarse.add(centres)
        self._list_of = np.array(parts["list_of"])
        self.learned_at, self.probed = parts["lists_probed"].tolist()
        self.recall = float(parts["lists_recall"][0])
        return self

    def stored(self) -> dict[str, NDArray[Any]]:
        """Return the lists and what was measured."""
        return {
            "list_centres": self._coarse.reconstruct_n(0, self._coarse.ntotal),
            "list_of": self._list_of,
            "lists_probed": np.array([self.learned_at, self.probed]),
            "lists_recall": np.array([self.recall]),
        }

    def pairs(self, rows: Vectors, threshold: float, since: int) -> Pairs:
        """Return sorted pairs i < j, j >= since, of similarity >= `threshold`, shape (m, 2)."""
        if len(self._list_of) < len(rows):
            new = self._nearest(rows[len(self._list_of) :], 1)[:, 0]
            self._list_of = np.concatenate([self._list_of, new])
        nothing = np.empty(0, dtype=np.int64)
        keys = [pairs @ [len(rows), 1] for pairs in self._blocks(rows, threshold, since)]
        return np.column_stack(np.divmod(np.unique(np.concatenate([nothing, *keys])), len(rows)))

    def _blocks(self, rows: Vectors, threshold: float, since: int) -> Iterator[Pairs]:
        """Yield the pairs of rows from `since` on with the rows of each list; some come twice."""
        asking = np.arange(since, len(rows))
        lists = self._nearest(rows[since:], self.probed)
        members = _grouped(self._list_of, np.arange(len(rows)), self._coarse.ntotal)
        askers = _grouped(lists.ravel(), np.repeat(asking, lists.shape[1]), self._coarse.ntotal)
        for near, ask in zip(members, askers, strict=True):
            for begin in range(0, len(ask), BLOCK):
                yield _pairs(rows, ask[begin : begin + BLOCK], near, threshold)

    def _nearest(self, rows: Vectors, count: int) -> NDArray[np.int64]:
        """Return the lists nearest to each row, shape (n, count)."""
        return np.asarray(self._coarse.search(rows, count)[1], dtype=np.int64)

    def _calibrated(
        self, rows: Vectors, sample: NDArray[np.int64], threshold: float, least_recall: float
    ) -> float:
        """Raise the lists that a row is compared with until the sample's pairs are found."""
        lists = self._nearest(rows[sample], self._coarse.ntotal)
        ranks = np.argsort(lists, axis=1)  # at [i, l]: how near list l is to row i
        needed = np.concatenate(
            [
                ranks[at][self._list_of[others]]
                for at, others in enumerate(_similar(rows, sample, threshold))
            ]
        )
        if not needed.size:
            return 1.0
        while np.mean(needed < self.probed) < least_recall:
            self.probed *= 2
        self.probed = min(self.probed, self._coarse.ntotal)
        return float(np.mean(needed < self.probed))


def _similar(
    rows: Vectors, sample: NDArray[np.int64], threshold: float
) -> Iterator[NDArray[np.int64]]:
    """Yield the other rows that are similar to each row of a sample."""
    for part in np.array_split(sample, -(-len(sample) // AT_ONCE)):
        for place, scores in zip(part.tolist(), rows[part] @ rows.T, strict=True):
            near = np.flatnonzero(scores >= threshold)
            yield near[near != place]


def _grouped(
    groups: NDArray[np.int64], values: NDArray[np.int64], count: int
) -> list[NDArray[np.int64]]:
    """Return the values of each group, in order."""
    order = np.argsort(groups, kind="stable")
    return np.split(values[order], np.searchsorted(groups[order], np.arange(1, count)))


def _pairs(
    rows: Vectors, ask: NDArray[np.int64], near: NDArray[np.int64], threshold: float
) -> Pairs:
    """Return the pairs of some rows with others."""
    similarity = rows[ask] @ rows[near].T
    i, j = np.divmod(np.flatnonzero(similarity >= threshold - TOLERANCE), max(len(near), 1))
    pairs = np.sort(np.column_stack((ask[i], near[j])), axis=1)  # decided_pairs wants i < j
    return decided_pairs(rows, pairs, similarity[i, j], threshold)
