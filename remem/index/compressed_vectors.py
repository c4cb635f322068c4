"""Vectors of one bit per dimension, all of which are scanned to find candidates (faiss, fast scan).

Product quantization: each four dimensions become one of 16 codes. The candidates are ranked from
the full vectors, so the compression decides only which rows are scored; how many that must be is
measured on rows of the index.
"""

from collections.abc import Mapping
from math import gcd
from typing import Any

import numpy as np
from numpy.typing import NDArray

from remem.index.ranking import TOLERANCE, Positions
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

    The recall is measured on rows that the codes were not learned from, each of which looks for its
    nearest other rows.

    Args:
        faiss: The module.
        rows: The unit vectors from which the codes are learned, shape (n, dimension).
        least_recall: The recall@10 that the candidates of a sample of rows must have.
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
        """Return the codes and what was measured."""
        return {
            "codes": self._faiss.serialize_index(self._index),
            "candidates": np.array([self.learned_at, self.candidates]),
            "recall": np.array([self.recall]),
        }

    def __len__(self) -> int:
        """Return the number of rows."""
        return int(self._index.ntotal)

    def add(self, rows: Vectors) -> None:
        """Add rows with the codes that were learned."""
        self._index.add(rows)

    def near(self, query: Vectors, top_k: int, mask: Mask, admitted: int) -> Positions | None:
        """Return candidates for the best `top_k` of the admitted rows; None: score all of these.

        They are the candidates that a search of the admitted rows alone would give, found among
        enough of the best of all rows.
        """
        wanted = min(self.candidates * -(-top_k // TOP), admitted)
        count = wanted * len(self) // admitted
        while count <= MOST:
            found = self._best(query, count)
            found = found[mask[found]]
            if len(found) >= wanted:
                return found[:wanted]
            count *= 2
        return None

    def _best(self, query: Vectors, count: int) -> Positions:
        _, positions = self._index.search(query[None], min(count, len(self)))
        return np.asarray(positions[0][positions[0] >= 0], dtype=np.int64)

    def _calibrated(self, rows: Vectors, sample: Positions, least_recall: float) -> float:
        """Raise the candidates until a sample of rows finds its neighbours; return the recall."""
        tenth = [_tenth(rows, place) for place in sample.tolist()]
        while self.candidates <= MOST:
            found = [
                self._share(rows, place, least)
                for place, least in zip(sample.tolist(), tenth, strict=True)
            ]
            if np.mean(found) >= least_recall:
                return float(np.mean(found))
            self.candidates *= 2
        return 1.0  # all rows will be scored

    def _share(self, rows: Vectors, place: int, least: float) -> float:
        """Return the share of the ten nearest others of a row that are among its candidates."""
        found = self._best(rows[place], self.candidates + 1)
        scores = np.vecdot(rows[found[found != place]], rows[place])
        return min(int(np.count_nonzero(scores >= least - TOLERANCE)), TOP) / TOP


def _tenth(rows: Vectors, place: int) -> float:
    """Return the similarity of a row with its tenth nearest other row."""
    scores = np.vecdot(rows, rows[place])
    scores[place] = -np.inf
    return float(np.partition(scores, -TOP)[-TOP])
