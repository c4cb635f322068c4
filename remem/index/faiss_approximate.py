"""Approximate search with faiss: candidates from compressed vectors, pairs from lists of rows.

Compressed vectors and lists decide only which rows are scored: the scores of candidates and pairs
are computed from the full vectors. A sample of the index's own rows is searched to measure how many
candidates and lists are needed.
"""

from collections.abc import Iterator, Mapping
from math import gcd, isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from remem.index.numpy_dense import decided_pairs
from remem.index.ranking import TOLERANCE, Pairs, Positions
from remem.protocols import Mask, Vectors

TOP = 10
SAMPLE = 100
SEED = 7
PER_CODE = 4
"""Number of dimensions that one code of four bits stands for."""
TRAINED_ON = 16_384
"""Number of rows from which the codes are learned."""
FEWEST_ROWS = 1_000
"""Number of rows below which nothing is compressed."""
FEWEST, MOST = 256, 8_192
"""Limits on the candidates of a search: questions are harder than the rows of a sample; where more
are needed, all rows are scored."""


class CompressedVectors:
    """Finds the rows that may be nearest to a vector; rows can be added later.

    All rows are scanned in compressed form, with one bit per dimension (product quantization, fast
    scan): every four dimensions are replaced by one of 16 codes.

    The recall is measured by searching for the nearest neighbours of a sample of rows. These rows
    are not used for learning the codes.

    Args:
        faiss: The module.
        rows: The unit vectors from which the codes are learned, shape (n, dimension).
        least_recall: The minimum share of a row's ten nearest neighbours among its candidates,
            averaged over a sample of rows.
    """

    def __init__(self, faiss: Any, rows: Vectors, least_recall: float) -> None:
        self._faiss = faiss
        dimension = rows.shape[1]
        codes = dimension // gcd(dimension, PER_CODE)
        index = faiss.IndexPQFastScan(dimension, codes, 4, faiss.METRIC_INNER_PRODUCT)
        order = np.random.default_rng(SEED).permutation(len(rows))
        sample, learned_from = order[:SAMPLE], order[SAMPLE:][:TRAINED_ON]
        index.train(rows[np.sort(learned_from)])
        index.add(rows)
        self._index = index
        self.learned_at = len(rows)
        """The number of rows when the codes were learned."""
        self.candidates = FEWEST
        """The number of candidates for ten results."""
        self.recall = self._calibrated(rows, sample, least_recall)
        """The measured recall@10."""

    @classmethod
    def restored(cls, faiss: Any, parts: Mapping[str, NDArray[Any]]) -> "CompressedVectors":
        """Restore the output of `stored`."""
        self = cls.__new__(cls)
        self._faiss = faiss
        self._index = faiss.deserialize_index(np.array(parts["codes"]))
        if not isinstance(self._index, faiss.IndexPQFastScan):
            raise ValueError(f"codes: found {type(self._index).__name__}, expected IndexPQFastScan")
        self.learned_at, self.candidates = parts["candidates"].tolist()
        self.recall = float(parts["recall"][0])
        return self

    def stored(self) -> dict[str, NDArray[Any]]:
        """Return what `restored` needs: the codes, two counts (rows, candidates) and the recall."""
        return {
            "codes": self._faiss.serialize_index(self._index),
            "candidates": np.array([self.learned_at, self.candidates]),
            "recall": np.array([self.recall]),
        }

    def __len__(self) -> int:
        """Return the number of rows."""
        return int(self._index.ntotal)

    def add(self, rows: Vectors) -> None:
        """Add rows, compressed with the codes that were learned before."""
        self._index.add(rows)

    def near(self, query: Vectors, top_k: int, mask: Mask, admitted: int) -> Positions | None:
        """Return candidates for the best `top_k` admitted rows; None if all must be scored.

        The search covers all rows and is repeated for more results until enough of them are
        admitted; this gives the same candidates as a search of only the admitted rows.
        """
        wanted = min(self.candidates * -(-top_k // TOP), admitted)
        count = wanted * len(self) // admitted
        while count <= MOST:
            positions = self._best(query, count)
            positions = positions[mask[positions]]
            if len(positions) >= wanted:
                return positions[:wanted]
            count *= 2
        return None

    def _best(self, query: Vectors, count: int) -> Positions:
        _, positions = self._index.search(query[None], min(count, len(self)))
        return np.asarray(positions[0][positions[0] >= 0], dtype=np.int64)

    def _calibrated(self, rows: Vectors, sample: Positions, least_recall: float) -> float:
        """Double the number of candidates until the recall suffices; return the recall."""
        tenth = [_tenth(rows, place) for place in sample.tolist()]
        while self.candidates <= MOST:
            shares = [
                self._share(rows, place, least)
                for place, least in zip(sample.tolist(), tenth, strict=True)
            ]
            if np.mean(shares) >= least_recall:
                return float(np.mean(shares))
            self.candidates *= 2
        return 1.0  # all rows will be scored

    def _share(self, rows: Vectors, place: int, least: float) -> float:
        """Return the share of a row's ten nearest neighbours that are among its candidates."""
        positions = self._best(rows[place], self.candidates + 1)
        scores = np.vecdot(rows[positions[positions != place]], rows[place])
        return min(int(np.count_nonzero(scores >= least - TOLERANCE)), TOP) / TOP


def _tenth(rows: Vectors, place: int) -> float:
    """Return the similarity between a row and its tenth-nearest neighbour."""
    scores = np.vecdot(rows, rows[place])
    scores[place] = -np.inf
    return float(np.partition(scores, -TOP)[-TOP])


ROWS_PER_LIST = 64
"""Number of rows per list that are used for clustering."""
FEWEST_LISTS = 4
"""Number of lists that a row is compared with, even if fewer find all pairs of the sample."""
PAIR_SAMPLE, AT_ONCE = 400, 50
"""Number of rows whose pairs measure how many lists must be compared."""
BLOCK = 4096
"""Number of rows of a list that are multiplied at once."""


class NearLists:
    """Divides n rows into sqrt(n) lists of near rows; rows can be added later.

    Each row is compared only with the rows of its nearest lists, by matrix products.

    Args:
        faiss: The module.
        rows: Unit vectors, shape (n, dimension).
        threshold: The minimum similarity of a pair.
        least_recall: The minimum share of similar pairs to find, measured for a sample of rows.
    """

    def __init__(self, faiss: Any, rows: Vectors, threshold: float, least_recall: float) -> None:
        lists = max(1, isqrt(len(rows)))
        order = np.random.default_rng(SEED).permutation(len(rows))
        kmeans = faiss.Kmeans(rows.shape[1], lists, spherical=True, seed=SEED)
        kmeans.train(rows[np.sort(order[: ROWS_PER_LIST * lists])])
        self._coarse = faiss.IndexFlatIP(rows.shape[1])
        self._coarse.add(kmeans.centroids)
        self._list_of = self._nearest(rows, 1)[:, 0]
        self.learned_at = len(rows)
        """The number of rows when the lists were made."""
        self.probed = FEWEST_LISTS
        """The number of lists that a row is compared with."""
        self.recall = self._calibrated(rows, order[:PAIR_SAMPLE], threshold, least_recall)
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
        """Return what `restored` needs: the lists, the numbers of rows and lists, the recall."""
        return {
            "list_centres": self._coarse.reconstruct_n(0, self._coarse.ntotal),
            "list_of": self._list_of,
            "lists_probed": np.array([self.learned_at, self.probed]),
            "lists_recall": np.array([self.recall]),
        }

    def pairs(self, rows: Vectors, threshold: float, since: int) -> Pairs:
        """Return sorted pairs i < j with j >= since and similarity >= `threshold`, shape (m, 2)."""
        if len(self._list_of) < len(rows):
            new = self._nearest(rows[len(self._list_of) :], 1)[:, 0]
            self._list_of = np.concatenate([self._list_of, new])
        nothing = np.empty(0, dtype=np.int64)
        keys = [pairs @ [len(rows), 1] for pairs in self._blocks(rows, threshold, since)]
        return np.column_stack(np.divmod(np.unique(np.concatenate([nothing, *keys])), len(rows)))

    def _blocks(self, rows: Vectors, threshold: float, since: int) -> Iterator[Pairs]:
        """Yield the pairs of rows from `since` on with similar rows in near lists, some twice."""
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
        """Increase the number of lists per row until enough of the sample's pairs are found."""
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
    """Return the similar pairs i < j of a row in `ask` and a row in `near`."""
    similarity = rows[ask] @ rows[near].T
    i, j = np.divmod(np.flatnonzero(similarity >= threshold - TOLERANCE), max(len(near), 1))
    pairs = np.sort(np.column_stack((ask[i], near[j])), axis=1)  # decided_pairs wants i < j
    return decided_pairs(rows, pairs, similarity[i, j], threshold)
