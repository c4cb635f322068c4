"""Compute the BM25 weights of a few new entries from the statistics of the existing ones.

The library bm25s cannot do this. The formulas are those of the methods of bm25s (Kamphuis et al.
2020, Which BM25 Do You
Mean?).
"""

import numpy as np
from numpy.typing import NDArray

from remem.index.bm25_weights import Weighing
from remem.index.postings import Postings
from remem.index.term_documents import Numbers


def segment(weighing: Weighing, base: Postings, terms: Numbers, lengths: Numbers) -> Postings:
    """Return the postings of the entries after those of `base`, with the statistics of `base`.

    `terms` and `lengths` cover all entries.
    """
    own = lengths[base.size :]
    before = int(lengths[: base.size].sum(dtype=np.int64))
    entry = np.repeat(np.arange(len(own)), own)
    pairs, counts = np.unique(terms[before:] * np.int64(len(own)) + entry, return_counts=True)
    term, entries = np.divmod(pairs, len(own))
    holders = np.bincount(term)
    known = np.diff(base.starts)[: len(holders)]
    counted = holders.copy()  # a term that is new has these statistics alone
    counted[: len(known)][known > 0] = known[known > 0]
    relative = own[entries] / (before / base.size)
    saturation = weighing.k1 * (1 - weighing.b + weighing.b * relative)
    weights = _idf(weighing.method, counted, base.size)[term] * counts / (counts + saturation)
    if weighing.method == "atire":
        weights *= weighing.k1 + 1
    starts = np.concatenate([[0], np.cumsum(holders)])
    return Postings.of(weights, entries.astype(np.int32), starts, len(own))


def _idf(method: str, holders: NDArray[np.int64], size: int) -> NDArray[np.float64]:
    holders = np.clip(holders, 1, size)
    if method == "atire":
        return np.asarray(np.log(size / holders))
    odds = (size - holders + 0.5) / (holders + 0.5)
    return np.asarray(np.log1p(odds) if method == "lucene" else np.log(np.maximum(odds, 1.0)))
