"""How often each term occurs in each entry, for every part of a growing index."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from remem.index.term_documents import Numbers

Counted = tuple[NDArray[np.int32], NDArray[np.int64]]
"""Entries in ascending order, and how often each has a term."""


FEW = 512
"""Fewer entries are not counted at once: a search reads the terms of them all."""


class TermCounts(Protocol):
    """The counts of neighbouring entries."""

    @property
    def begin(self) -> int:
        """Return the first entry."""

    @property
    def end(self) -> int:
        """Return the number after the last entry."""

    def of(self, term: int) -> Counted:
        """Return the entries that have a term, with their counts."""


@dataclass(frozen=True)
class CountedTerms:
    """The counts of entries that were counted at once.

    Those of `terms[i]` are at `starts[i] : starts[i + 1]`; both `terms` and the entries of a term
    are in ascending order.
    """

    begin: int
    end: int
    terms: NDArray[np.int64]
    starts: NDArray[np.int64]
    entries: NDArray[np.int32]
    counts: NDArray[np.int64]

    def of(self, term: int) -> Counted:
        """Return the entries that have a term, with their counts."""
        at = int(np.searchsorted(self.terms, term))
        if at == len(self.terms) or self.terms[at] != term:
            return self.entries[:0], self.counts[:0]
        own = slice(int(self.starts[at]), int(self.starts[at + 1]))
        return self.entries[own], self.counts[own]


@dataclass(frozen=True)
class ReadTerms:
    """Entries whose terms are only counted when they are asked for: few, or from a saved index.

    `terms` and `lengths` are those of the entries from `begin` on.
    """

    begin: int
    terms: Numbers
    lengths: Numbers
    known: dict[int, Counted] = field(default_factory=dict)

    @property
    def end(self) -> int:
        """Return the number after the last entry."""
        return self.begin + len(self.lengths)

    def of(self, term: int) -> Counted:
        """Return the entries that have a term, with their counts."""
        if term not in self.known:
            self.known[term] = self._counted(term)
        return self.known[term]

    def _counted(self, term: int) -> Counted:
        places = (self.terms == term).nonzero()[0]
        entries = self._ends.searchsorted(places, side="right")
        firsts = _firsts(entries)
        found = (entries[firsts] + self.begin).astype(np.int32)
        return found, _distances(firsts, len(entries))

    @cached_property
    def _ends(self) -> NDArray[np.int64]:
        """Return the place after each entry's last term."""
        return np.cumsum(self.lengths, dtype=np.int64)


def appended(
    parts: Sequence[TermCounts], terms: Numbers, lengths: Numbers
) -> tuple[TermCounts, ...]:
    """Return the parts with one more, for the entries after them.

    The new part takes in the parts before it that are not larger, or few together with it. So the
    parts get smaller from the first to the last, and an entry is seldom read again.

    Args:
        parts: The parts so far, in the order of their entries.
        terms: The term numbers of all entries in one array.
        lengths: The number of terms of each entry.
    """
    kept, end = list(parts), len(lengths)
    begin = kept[-1].end if kept else 0
    while kept and (begin - kept[-1].begin <= end - begin or end - kept[-1].begin <= FEW):
        begin = kept.pop().begin
    if end - begin < FEW:
        first = int(lengths[:begin].sum(dtype=np.int64))
        return *kept, ReadTerms(begin, terms[first:], lengths[begin:])
    return *kept, counted(terms, lengths, begin)


def counted(terms: Numbers, lengths: Numbers, begin: int = 0) -> CountedTerms:
    """Count the terms of the entries from `begin` on; the arrays are those of all entries."""
    own = lengths[begin:]
    size = max(len(own), 1)
    entry = np.repeat(np.arange(len(own)), own)
    pairs = terms[int(lengths[:begin].sum(dtype=np.int64)) :] * np.int64(size) + entry
    pairs.sort()
    firsts = _firsts(pairs)
    term, entries = np.divmod(pairs[firsts], size)
    starts = _firsts(term)
    return CountedTerms(
        begin,
        len(lengths),
        term[starts],
        np.append(starts, len(term)),
        (entries + begin).astype(np.int32),
        _distances(firsts, len(pairs)),
    )


def _firsts(ordered: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the place of the first of each run of equal numbers."""
    changes = np.ones(len(ordered), dtype=np.bool_)  # np.diff takes ten times as long for a few
    np.not_equal(ordered[1:], ordered[:-1], out=changes[1:])
    return changes.nonzero()[0]


def _distances(firsts: NDArray[np.int64], end: int) -> NDArray[np.int64]:
    """Return the distance of each place to the next, and of the last one to the end."""
    nexts = np.full(len(firsts), end)
    nexts[:-1] = firsts[1:]
    return nexts - firsts
