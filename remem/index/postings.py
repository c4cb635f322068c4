"""The entries of each term with their weights, and a search that leaves most of them unread.

Terms are read from the one that can add most; once what is left to read cannot lift an entry into
the best, only the entries found so far are looked up in the longer lists (as in MaxScore, Turtle
and Flood 1995). The scores are those of adding up every list, in the order of the query.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from remem.index.ranking import TOLERANCE, Positions, Scores
from remem.protocols import Mask

FEW = 50
"""Below one entry in so many that a mask allows, those are looked up in every list at once."""


@dataclass(frozen=True, slots=True)
class Postings:
    """The weights of term t are `weights[starts[t] : starts[t + 1]]`, of ascending `entries`."""

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
        """Note the ceilings."""
        ceilings, used = np.zeros(len(starts) - 1), np.diff(starts) > 0
        if len(weights):
            ceilings[used] = np.maximum.reduceat(weights, starts[:-1][used])
        return cls(weights, entries, starts, ceilings, size)

    def search(self, terms: Sequence[int], allowed: Mask, top_k: int) -> tuple[Positions, Scores]:
        """Return the allowed entries that share a term and may be among the best, with scores."""
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
        """Yield each term with what it can add to a score and how often it is asked for."""
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
        """Return where in the list of a term the entries stand, and whether they do."""
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
    """Return the score that `top_k` entries reach."""
    if top_k < 1 or len(scores) < top_k:
        return -np.inf
    return float(np.partition(scores, -top_k)[-top_k])
