"""The postings of an index that grows: each term is weighed at the first search for it.

Every weight of BM25 depends on all entries, so an addition changes all of them. A query has few
terms: only theirs are weighed again, from counts that an addition does not change. The weights have
the bits of `bm25_weights.weighed`.
"""

from collections.abc import Sequence

import numpy as np

from remem.index.bm25_weights import Weighing, penalties, rarity, saturated
from remem.index.postings import TermList
from remem.index.term_counts import Counted, TermCounts
from remem.index.term_documents import Numbers


class GrowingPostings:
    """The lists of all terms, with the statistics of all parts.

    Args:
        weighing: The method and its constants.
        parts: The counts of all entries, in the order of the entries.
        lengths: The number of terms of each entry.
    """

    def __init__(self, weighing: Weighing, parts: Sequence[TermCounts], lengths: Numbers) -> None:
        self.parts = tuple(parts)
        self._weighing = weighing
        self._penalties = penalties(weighing, lengths)
        self._weighed: dict[int, TermList | None] = {}

    @property
    def size(self) -> int:
        """Return the number of entries, with or without a term."""
        return len(self._penalties)

    def of(self, term: int) -> TermList | None:
        """Return the list of a term; None if no entry has it."""
        if term not in self._weighed:
            self._weighed[term] = self._list(term)
        return self._weighed[term]

    def _list(self, term: int) -> TermList | None:
        entries, counts = self._counts(term)
        if not len(entries):
            return None
        frequency = saturated(self._weighing, counts, self._penalties[entries])
        weights = rarity(self._weighing.method, len(entries), self.size) * frequency
        return TermList(entries, weights, float(weights.max()))

    def _counts(self, term: int) -> Counted:
        found = [part.of(term) for part in self.parts]
        if len(found) == 1:
            return found[0]
        entries, counts = zip(*found, strict=True)
        return np.concatenate(entries), np.concatenate(counts)
