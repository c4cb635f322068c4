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
        return Postings.of(np.empty(0), np.empty(0, np.int32), np.zeros(1, np.int64), size)
    text = np.repeat(np.arange(size), lengths)
    pairs, counts = _counted(terms * np.int64(size) + text)
    term, entries = np.divmod(pairs, size)
    holders = np.bincount(term, minlength=vocabulary)
    frequency = _saturated(weighing, counts.astype(np.float64), lengths[entries], lengths.mean())
    weights = _rarity(weighing.method, holders, size)[term] * frequency
    starts = np.concatenate([[0], np.cumsum(holders)])
    return Postings.of(weights, entries.astype(np.int32), starts, size)


def _counted(pairs: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the different values in order, and how often each occurs."""
    pairs.sort()
    firsts = np.flatnonzero(np.concatenate([[True], pairs[1:] != pairs[:-1]]))
    return pairs[firsts], np.diff(firsts, append=len(pairs))


def _saturated(weighing: Weighing, counts: Floats, lengths: Numbers, mean: np.float64) -> Floats:
    k1, b = weighing.k1, weighing.b
    if weighing.method == "atire":
        return np.asarray((counts * (k1 + 1)) / (counts + k1 * (1 - b + b * lengths / mean)))
    return np.asarray(counts / (k1 * ((1 - b) + b * lengths / mean) + counts))


def _rarity(method: str, holders: NDArray[np.int64], size: int) -> Floats:
    """Return the inverse document frequency of each term, computed once for each frequency."""
    rarities = np.zeros(int(holders.max()) + 1)
    for frequency in np.flatnonzero(np.bincount(holders)).tolist():
        # math.log, as in bm25s: numpy's logarithm may differ in the last bit.
        rarities[frequency] = _rarity_of(method, frequency, size)
    return np.asarray(rarities[holders])


def _rarity_of(method: str, holders: int, size: int) -> float:
    if not holders:
        return 0.0
    if method == "atire":
        return log(size / holders)
    odds = (size - holders + 0.5) / (holders + 0.5)
    return log(1 + odds) if method == "lucene" else log(max(odds, 1.0))
