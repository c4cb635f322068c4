"""Compute all BM25 weights of an index at once, with the same bits as the library bm25s.

The library builds its index in loops over texts, which is too slow to repeat whenever a memory
grows. The formulas and the order of the operations are those of bm25s (Kamphuis et al. 2020, Which
BM25 Do You Mean?).
"""

from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray

from remem.index.postings import Postings
from remem.index.term_counts import counted
from remem.index.term_documents import Numbers

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Weighing:
    """A method of bm25s with its constants."""

    k1: float
    b: float
    method: str


def weighed(weighing: Weighing, terms: Numbers, lengths: Numbers, vocabulary: int) -> Postings:
    """Return the postings of all texts.

    Args:
        weighing: The method and its constants.
        terms: The term numbers of all texts in one array.
        lengths: The number of terms of each text.
        vocabulary: The number of different terms.
    """
    size = len(lengths)
    if not vocabulary:
        nothing = np.zeros(1, np.int64)
        return Postings.with_ceilings(np.empty(0), np.empty(0, np.int32), nothing, size)
    found = counted(terms, lengths)
    holders = np.zeros(vocabulary, dtype=np.int64)
    holders[found.terms] = np.diff(found.starts)
    penalty = penalties(weighing, lengths)[found.entries]
    frequency = saturated(weighing, found.counts, penalty)
    weights = np.repeat(_rarities(weighing.method, holders, size), holders) * frequency
    starts = np.concatenate([[0], np.cumsum(holders)])
    return Postings.with_ceilings(weights, found.entries, starts, size)


def penalties(weighing: Weighing, lengths: Numbers) -> Floats:
    """Return what the length of each entry adds to the denominator of its scores."""
    k1, b, mean = weighing.k1, weighing.b, lengths.mean()
    return np.asarray(k1 * ((1 - b) + b * lengths / mean))


def saturated(weighing: Weighing, counts: NDArray[np.int64], penalty: Floats) -> Floats:
    """Return what counts of a term add to a score, before its rarity.

    Args:
        weighing: The method and its constants.
        counts: How often the term occurs in each entry.
        penalty: The penalty of each of these entries.
    """
    times = counts * (weighing.k1 + 1) if weighing.method == "atire" else counts
    return np.asarray(times / (penalty + counts))


def _rarities(method: str, holders: NDArray[np.int64], size: int) -> Floats:
    """Return the inverse document frequency of each term, computed once for each frequency."""
    rarities = np.zeros(int(holders.max()) + 1)
    for frequency in np.flatnonzero(np.bincount(holders)).tolist():
        # math.log, as in bm25s: numpy's logarithm may differ in the last bit.
        rarities[frequency] = rarity(method, frequency, size)
    return np.asarray(rarities[holders])


def rarity(method: str, holders: int, size: int) -> float:
    """Return the inverse document frequency of a term that `holders` of `size` entries have."""
    if not holders:
        return 0.0
    if method == "atire":
        return log(size / holders)
    odds = (size - holders + 0.5) / (holders + 0.5)
    return log(1 + odds) if method == "lucene" else log(max(odds, 1.0))
