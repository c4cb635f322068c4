"""The entries and weights of each term, and a search that skips most of them.

Terms are read in descending order of what they can add to a score. Once the unread terms cannot
lift a new entry into the best, only the entries found so far are looked up in the longer lists
(MaxScore, Turtle and Flood 1995). The scores equal the sum over all lists, in the order of the
query.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from remem.index.ranking import TOLERANCE, Positions, Scores
from remem.protocols import Mask

FEW = 50
"""If a mask allows fewer than one entry in `FEW`, only those are looked up in the lists."""


@dataclass(frozen=True, slots=True)
class Postings:
    """The entries and weights of each term.

    Those of term t are at `starts[t] : starts[t + 1]`, in ascending order of `entries`.
    """

    weights: NDArray[np.float64]
    entries: NDArray[np.int32]
    starts: NDArray[np.int64]
    ceilings: NDArray[np.float64]
    """The largest weight of each term."""
    size: int

    @classmethod
    def of(
        cls,
        weights: NDArray[np.float64],
        entries: NDArray[np.int32],
        starts: NDArray[np.int64],
        size: int,
    ) -> "Postings":
        """Return postings with the largest weight of each term."""
        ceilings, used = np.zeros(len(starts) - 1), np.diff(starts) > 0
        if len(weights):
            ceilings[used] = np.maximum.reduceat(weights, starts[:-1][used])
        return cls(weights, entries, starts, ceilings, size)

    def search(self, terms: Sequence[int], allowed: Mask, top_k: int) -> tuple[Positions, Scores]:
        """Return allowed entries that share a term, with scores; they include the best `top_k`."""
        terms = [term for term in terms if self._has(term)]
        few = np.count_nonzero(allowed) * FEW < self.size
        found = self._sharing(terms, allowed) if few else self._promising(terms, allowed, top_k)
        scores = np.zeros(len(found))
        for term in terms:
            scores += self._looked_up(term, found)
        return found, scores

    def _promising(self, terms: Sequence[int], allowed: Mask, top_k: int) -> Positions:
        scores, shared = np.zeros(self.size), np.zeros(self.size, dtype=np.bool_)
        bound, unread = -np.inf, list(self._from_the_highest(terms))
        left = sum(ceiling for _, ceiling, _ in unread)
        while unread and left >= bound - TOLERANCE:
            term, ceiling, times = unread.pop(0)
            entries, weights = self._list(term)
            scores[entries] += times * weights
            shared[entries] = True
            left -= ceiling
            bound = max(bound, _least_of_best(scores[entries[allowed[entries]]], top_k))
        found = np.flatnonzero(shared & allowed)
        for term, ceiling, times in unread:
            found = found[scores[found] + left >= bound - TOLERANCE]
            scores[found] += times * self._looked_up(term, found)
            left -= ceiling
            bound = max(bound, _least_of_best(scores[found], top_k))
        return found

    def _from_the_highest(self, terms: Sequence[int]) -> Iterator[tuple[int, float, int]]:
        """Yield each term, its maximum contribution to a score and its count in the query."""
        asked = Counter(terms)
        for term in sorted(
            asked, key=lambda asked_term: -asked[asked_term] * self.ceilings[asked_term]
        ):
            yield term, float(asked[term] * self.ceilings[term]), asked[term]

    def _sharing(self, terms: Sequence[int], allowed: Mask) -> Positions:
        found = np.flatnonzero(allowed)
        shared = np.zeros(len(found), dtype=np.bool_)
        for term in set(terms):
            shared |= self._places(term, found)[1]
        return found[shared]

    def _looked_up(self, term: int, found: Positions) -> Scores:
        places, there = self._places(term, found)
        return np.where(there, self._list(term)[1][places], 0.0)

    def _places(self, term: int, found: Positions) -> tuple[Positions, Mask]:
        """Return the positions of the entries in the list of a term, and a mask of those found."""
        entries, _ = self._list(term)
        places = np.searchsorted(entries, found.astype(np.int32))
        places = np.minimum(places, len(entries) - 1)
        return places, entries[places] == found

    def _has(self, term: int) -> bool:
        return term < len(self.ceilings) and bool(self.starts[term] < self.starts[term + 1])

    def _list(self, term: int) -> tuple[NDArray[np.int32], Scores]:
        begin, end = self.starts[term], self.starts[term + 1]
        return self.entries[begin:end], self.weights[begin:end]


def _least_of_best(scores: Scores, top_k: int) -> float:
    """Return the `top_k`-th highest score, or minus infinity if there are fewer."""
    if top_k < 1 or len(scores) < top_k:
        return -np.inf
    return float(np.partition(scores, -top_k)[-top_k])
