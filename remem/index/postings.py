"""The postings of terms, their entries and weights, and a search that skips most of them.

Terms are read in descending order of what they can add to a score. Once the unread terms cannot
lift a new entry into the best, only the entries found so far are looked up in the longer lists
(MaxScore, Turtle and Flood 1995). The scores equal the sum over all lists, in the order of the
query.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from remem.index.ranking import TOLERANCE, Positions, Scores
from remem.protocols import Mask

FEW = 50
"""If a mask allows fewer than one entry in `FEW`, only those are looked up in the lists."""


@dataclass(frozen=True, slots=True)
class TermList:
    """The entries of one term in ascending order, their weights, and the largest weight."""

    entries: NDArray[np.int32]
    weights: NDArray[np.float64]
    ceiling: float


def search(
    lists: Mapping[int, TermList], terms: Sequence[int], allowed: Mask, top_k: int
) -> tuple[Positions, Scores]:
    """Return allowed entries that share a term, with scores; they include the best `top_k`.

    Args:
        lists: The list of each term of the query.
        terms: The terms of the query, in its order.
        allowed: The entries that may be found.
        top_k: The number of entries that are wanted.
    """
    few = np.count_nonzero(allowed) * FEW < len(allowed)
    found = _sharing(lists, allowed) if few else _promising(lists, terms, allowed, top_k)
    scores = np.zeros(len(found))
    for term in terms:
        scores += _looked_up(lists[term], found)
    return found, scores


def _promising(
    lists: Mapping[int, TermList], terms: Sequence[int], allowed: Mask, top_k: int
) -> Positions:
    scores, shared = np.zeros(len(allowed)), np.zeros(len(allowed), dtype=np.bool_)
    bound, unread = -np.inf, list(_from_the_highest(lists, terms))
    left = sum(ceiling for _, ceiling, _ in unread)
    while unread and left >= bound - TOLERANCE:
        of_term, ceiling, times = unread.pop(0)
        entries = of_term.entries
        scores[entries] += times * of_term.weights
        shared[entries] = True
        left -= ceiling
        bound = max(bound, _least_of_best(scores[entries[allowed[entries]]], top_k))
    found = np.flatnonzero(shared & allowed)
    for of_term, ceiling, times in unread:
        found = found[scores[found] + left >= bound - TOLERANCE]
        scores[found] += times * _looked_up(of_term, found)
        left -= ceiling
        bound = max(bound, _least_of_best(scores[found], top_k))
    return found


def _from_the_highest(
    lists: Mapping[int, TermList], terms: Sequence[int]
) -> Iterator[tuple[TermList, float, int]]:
    """Yield each list, its maximum contribution to a score and its term's count in the query."""
    asked = Counter(terms)
    for term in sorted(asked, key=lambda term: -asked[term] * lists[term].ceiling):
        yield lists[term], asked[term] * lists[term].ceiling, asked[term]


def _sharing(lists: Mapping[int, TermList], allowed: Mask) -> Positions:
    found = np.flatnonzero(allowed)
    shared = np.zeros(len(found), dtype=np.bool_)
    for of_term in lists.values():
        shared |= _places(of_term, found)[1]
    return found[shared]


def _looked_up(of_term: TermList, found: Positions) -> Scores:
    places, there = _places(of_term, found)
    return np.where(there, of_term.weights[places], 0.0)


def _places(of_term: TermList, found: Positions) -> tuple[Positions, Mask]:
    """Return the positions of the entries in the list of a term, and a mask of those found."""
    entries = of_term.entries
    places = np.searchsorted(entries, found.astype(np.int32))
    places = np.minimum(places, len(entries) - 1)
    return places, entries[places] == found


def _least_of_best(scores: Scores, top_k: int) -> float:
    """Return the `top_k`-th highest score, or minus infinity if there are fewer."""
    if top_k < 1 or len(scores) < top_k:
        return -np.inf
    return float(np.partition(scores, -top_k)[-top_k])
