"""Facts by subject, predicate and object: the match rule of find_entity_contexts.

A field matches exactly, else as a part of longer names without regard to case. Which of the two is
decided against the whole table before any other condition: a name that exists never falls back to
longer ones. A part never ends or begins within a number, else a true count of zero for an E7 that
is nowhere would become the count of E71.
"""

import unicodedata
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from remem.protocols import Mask
from remem.types import Fact


class FactTable:
    """The triples of one graph as columns of interned names."""

    def __init__(self) -> None:
        self._phrases: dict[str, int] = {}
        self._predicates: dict[str, int] = {}
        self._rows: list[tuple[int, int, int]] = []
        self._columns: NDArray[np.int64] | None = None

    def add(self, facts: Sequence[Fact]) -> None:
        """Append facts."""
        for fact in facts:
            subject = self._phrases.setdefault(fact.subject, len(self._phrases))
            predicate = self._predicates.setdefault(fact.predicate, len(self._predicates))
            obj = self._phrases.setdefault(fact.object, len(self._phrases))
            self._rows.append((subject, predicate, obj))
        self._columns = None

    def matching(self, *, subject: str | None, predicate: str | None, obj: str | None) -> Mask:
        """Return which facts agree with every field that is given, shape (n,)."""
        if self._columns is None:
            self._columns = np.array(self._rows, dtype=np.int64).reshape(-1, 3).T
        fields = (
            (subject, self._phrases),
            (predicate, self._predicates),
            (obj, self._phrases),
        )
        passes = np.ones(len(self._rows), dtype=np.bool_)
        for column, (name, table) in zip(self._columns, fields, strict=True):
            if name is not None:
                passes &= np.isin(column, _matching_names(name, table))
        return passes


def _matching_names(name: str, table: dict[str, int]) -> list[int]:
    if name in table:
        return [table[name]]
    part = _folded(name)
    return [number for known, number in table.items() if holds(_folded(known), part)]


def holds(text: str, part: str) -> bool:
    """Tell whether a text has this part, without splitting a number or an accented letter.

    >>> holds("new york city", "york c"), holds("e71", "e7")
    (True, False)
    """
    at = text.find(part)
    while at >= 0:
        if not (_splits(text, at) or _splits(text, at + len(part))):
            return True
        at = text.find(part, at + 1)
    return False


def _splits(text: str, at: int) -> bool:
    if not 0 < at < len(text):
        return False
    in_number = text[at - 1].isdecimal() and text[at].isdecimal()
    return in_number or bool(unicodedata.combining(text[at]))


def _folded(name: str) -> str:
    """Fold the case; an accent counts, however it is encoded."""
    return unicodedata.normalize("NFC", name.casefold())
