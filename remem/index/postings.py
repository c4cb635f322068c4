"""Postings for BM25: the counts of terms in a growing index, and the search for the best entries.

Terms are those of the library bm25s: lower-case words without stop words, stemmed. The search skips
most postings: terms are read in descending order of what they can add to a score. At some point the
unread terms add too little to make a new entry one of the best. Then only the entries found so far
are looked up in the remaining lists (MaxScore, Turtle and Flood 1995). A score is the sum over all
lists, added in the order of the query.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from remem.files.unspaced_scripts import CHARACTER, OTHER
from remem.index.ranking import TOLERANCE, Positions, Scores
from remem.protocols import Mask

TOKEN = re.compile(r"(?u)\b\w\w+\b")
CHARACTER_TOKEN = re.compile(f"{CHARACTER}|(?:{OTHER}){{2,}}")
"""Like TOKEN, but each character of a script without spaces is a word."""
FEW_ENTRIES = 512
"""Neighbouring parts with at most this many entries in total are merged."""

Numbers = NDArray[np.int32]


class StemmedTerms:
    """The stems of the words met so far.

    bm25s stems the words of every batch again. Here each word is stemmed only once, with the same
    result.

    Args:
        token: The pattern that a word matches.
    """

    def __init__(self, token: re.Pattern[str] = TOKEN) -> None:
        self._token = token
        self._stems: dict[str, str] = {}

    def add(self, texts: Iterable[str]) -> list[list[str]]:
        """Return the terms of each text, and remember their stems."""
        from bm25s.stopwords import STOPWORDS_EN  # type: ignore[import-untyped]  # ships no types

        stopped, known = frozenset(STOPWORDS_EN), self._stems
        words = [
            [word for word in self._token.findall(text.lower()) if word not in stopped]
            for text in texts
        ]
        new = dict.fromkeys(word for row in words for word in row if word not in known)
        known |= zip(new, _stemmed(new), strict=True)
        return [[known[word] for word in row] for row in words]

    def of(self, text: str) -> list[str]:
        """Return the terms of a text, such as a query, without remembering new stems."""
        [terms] = StemmedTerms(self._token).add([text])
        return terms


@dataclass(frozen=True, slots=True)
class TermCounts:
    """How often each term occurs in the entries from `begin` up to, but not including, `end`.

    The slice `starts[i] : starts[i + 1]` of `entries` and of `counts` belongs to `terms[i]`. Both
    `terms` and the entries of a term are in ascending order.
    """

    begin: int
    end: int
    terms: Numbers
    starts: NDArray[np.int64]
    entries: Numbers
    counts: Numbers

    def of(self, term: int) -> tuple[Numbers, Numbers]:
        """Return the entries that contain a term, and how often it occurs in each entry."""
        at = int(np.searchsorted(self.terms, term))
        if at == len(self.terms) or self.terms[at] != term:
            return self.entries[:0], self.counts[:0]
        own = slice(int(self.starts[at]), int(self.starts[at + 1]))
        return self.entries[own], self.counts[own]


def counted(terms: Numbers, lengths: Numbers, begin: int = 0) -> TermCounts:
    """Count the terms of new entries.

    Args:
        terms: The term numbers of all entries, one entry after the other.
        lengths: The number of terms of each entry.
        begin: The number of the first entry.
    """
    size = max(len(lengths), 1)
    pairs = terms * np.int64(size) + np.repeat(np.arange(len(lengths)), lengths)
    pairs.sort()
    firsts = _firsts(pairs)
    term, entry = np.divmod(pairs[firsts], size)
    counts = np.diff(firsts, append=len(pairs))
    return _grouped((begin, begin + len(lengths)), term, entry + begin, counts)


def merged(parts: Sequence[TermCounts]) -> TermCounts:
    """Merge consecutive parts into one part."""
    if len(parts) == 1:
        return parts[0]
    terms = np.concatenate([np.repeat(part.terms, np.diff(part.starts)) for part in parts])
    order = np.argsort(terms, kind="stable")  # keeps the entries of a term in ascending order
    return _grouped(
        (parts[0].begin, parts[-1].end),
        terms[order],
        np.concatenate([part.entries for part in parts])[order],
        np.concatenate([part.counts for part in parts])[order],
    )


def appended(parts: Sequence[TermCounts], new: TermCounts) -> tuple[TermCounts, ...]:
    """Return the parts with a new part appended, which is merged with the small parts before it.

    The new part absorbs the part before it while that part is not larger, or while the two have few
    entries in total. So the parts get smaller from first to last, and entries are seldom merged
    again.
    """
    place, begin = len(parts), new.begin
    while place and (
        parts[place - 1].end - parts[place - 1].begin <= new.end - begin
        or new.end - parts[place - 1].begin <= FEW_ENTRIES
    ):
        place -= 1
        begin = parts[place].begin
    return (*parts[:place], merged([*parts[place:], new]))


def _grouped(
    span: tuple[int, int],
    terms: NDArray[np.integer],
    entries: NDArray[np.integer],
    counts: NDArray[np.integer],
) -> TermCounts:
    """Build the counts from columns of terms, entries and counts that are sorted by term."""
    starts = _firsts(terms)
    return TermCounts(
        *span,
        terms[starts].astype(np.int32),
        np.append(starts, len(terms)),
        entries.astype(np.int32),
        counts.astype(np.int32),
    )


def _firsts(ordered: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return the index at which each run of equal numbers begins; no number may be negative."""
    return np.flatnonzero(np.diff(ordered, prepend=-1))


def _stemmed(words: Iterable[str]) -> list[str]:
    from Stemmer import Stemmer  # type: ignore[import-not-found]  # a C extension

    stems: list[str] = Stemmer("english").stemWords(list(words))
    return stems


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
    """Return allowed entries that have a query term, including the best `top_k`, and their scores.

    Args:
        lists: The list of each term of the query.
        terms: The terms of the query, in the order of the query.
        allowed: The mask of the entries that may be returned.
        top_k: How many of the best entries must be included.
    """
    few = np.count_nonzero(allowed) * FEW < len(allowed)
    positions = _sharing(lists, allowed) if few else _promising(lists, terms, allowed, top_k)
    scores = np.zeros(len(positions))
    for term in terms:
        scores += _looked_up(lists[term], positions)
    return positions, scores


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
    positions = np.flatnonzero(shared & allowed)
    for of_term, ceiling, times in unread:
        positions = positions[scores[positions] + left >= bound - TOLERANCE]
        scores[positions] += times * _looked_up(of_term, positions)
        left -= ceiling
        bound = max(bound, _least_of_best(scores[positions], top_k))
    return positions


def _from_the_highest(
    lists: Mapping[int, TermList], terms: Sequence[int]
) -> Iterator[tuple[TermList, float, int]]:
    """Yield each list, its maximum contribution to a score and its term's count in the query."""
    asked = Counter(terms)
    for term in sorted(asked, key=lambda term: -asked[term] * lists[term].ceiling):
        yield lists[term], asked[term] * lists[term].ceiling, asked[term]


def _sharing(lists: Mapping[int, TermList], allowed: Mask) -> Positions:
    positions = np.flatnonzero(allowed)
    shared = np.zeros(len(positions), dtype=np.bool_)
    for of_term in lists.values():
        shared |= _places(of_term, positions)[1]
    return positions[shared]


def _looked_up(of_term: TermList, positions: Positions) -> Scores:
    places, there = _places(of_term, positions)
    return np.where(there, of_term.weights[places], 0.0)


def _places(of_term: TermList, positions: Positions) -> tuple[Positions, Mask]:
    """Return the positions of the entries in the list of a term, and a mask of those found."""
    entries = of_term.entries
    places = np.searchsorted(entries, positions.astype(np.int32))
    places = np.minimum(places, len(entries) - 1)
    return places, entries[places] == positions


def _least_of_best(scores: Scores, top_k: int) -> float:
    """Return the `top_k`-th highest score, or minus infinity if there are fewer."""
    if top_k < 1 or len(scores) < top_k:
        return -np.inf
    return float(np.partition(scores, -top_k)[-top_k])
