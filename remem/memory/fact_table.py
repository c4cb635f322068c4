"""The facts of a graph: the text under which each fact is searched, and a table of names.

In find_entity_contexts, a name that is in the table matches only itself. Any other name matches all
names that contain it, ignoring case. Names are looked up in the entire table, before other
conditions apply, so a name that exists never matches longer names.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from remem.protocols import Mask
from remem.time_scope import TimePoint
from remem.types import Fact

BORDER = "\n"


class NameTable:
    """Numbered names, which can be found by the exact name or by a part of it.

    A part must not split a number, so the unknown name E7 does not match E71. For the search, the
    case-folded names are joined into one text.
    """

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self._folded: tuple[str, NDArray[np.int64]] = "", np.empty(0, dtype=np.int64)

    def number(self, name: str) -> int:
        """Return the number of a name; a new name gets the next number."""
        return self.numbers.setdefault(name, len(self.numbers))

    def matching(self, name: str) -> Sequence[int]:
        """Return the number of a known name, else the numbers of all names that contain `name`."""
        if name in self.numbers:
            return [self.numbers[name]]
        part = folded(name)
        if not part:
            return range(len(self.numbers))
        text, ends = self._folded_names()
        places = np.fromiter(_places(text, part), dtype=np.int64)
        number = np.searchsorted(ends, places, side="right")
        begins = np.concatenate([[0], ends[:-1]])[number]
        whole = places + len(part) < ends[number]
        there = zip(places[whole].tolist(), begins[whole].tolist(), strict=True)
        held = [_stands(text, begin, at, len(part)) for at, begin in there]
        numbers: list[int] = np.unique(number[whole][held]).tolist()
        return numbers

    def _folded_names(self) -> tuple[str, NDArray[np.int64]]:
        """Return all case-folded names in one text with a separator after each, and their ends.

        Several questions may search at once, so additions for new names are stored in one step.
        """
        text, ends = self._folded
        if len(ends) < len(self.numbers):
            names = [folded(name) + BORDER for name in list(self.numbers)[len(ends) :]]
            new_ends = np.cumsum([len(name) for name in names]) + len(text)
            text, ends = "".join([text, *names]), np.append(ends, new_ends)
            self._folded = text, ends
        return text, ends


def folded(name: str) -> str:
    """Return a name case-folded and in Unicode normal form C, which keeps accents."""
    return unicodedata.normalize("NFC", name.casefold())


def _places(text: str, part: str) -> Iterator[int]:
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + 1)


def _stands(text: str, begin: int, at: int, length: int) -> bool:
    """Return True if the substring at `at` does not split a number or an accented letter."""
    return not (at > begin and _splits(text, at)) and not _splits(text, at + length)


def _splits(text: str, at: int) -> bool:
    if not 0 < at < len(text):
        return False
    in_number = text[at - 1].isdecimal() and text[at].isdecimal()
    return in_number or bool(unicodedata.combining(text[at]))


Columns = NDArray[np.int32]


class FactTable:
    """The triples of one graph, stored as columns in which numbers stand for names."""

    def __init__(self) -> None:
        self.phrases = NameTable()
        self.predicates = NameTable()
        self._columns: list[Columns] = [np.empty((3, 0), dtype=np.int32)]

    @property
    def columns(self) -> Columns:
        """Return the numbers of subjects, predicates and objects, as an array of shape (3, n)."""
        if len(self._columns) > 1:
            self._columns = [np.concatenate(self._columns, axis=1)]
        return self._columns[0]

    def add(self, facts: Sequence[Fact]) -> None:
        """Append facts."""
        rows = [
            (
                self.phrases.number(fact.subject),
                self.predicates.number(fact.predicate),
                self.phrases.number(fact.object),
            )
            for fact in facts
        ]
        self._columns.append(np.array(rows, dtype=np.int32).reshape(-1, 3).T)

    def restore(self, columns: Columns) -> None:
        """Restore the columns of a saved table; the names must already be restored."""
        self._columns = [columns]

    def matching(self, *, subject: str | None, predicate: str | None, obj: str | None) -> Mask:
        """Return a mask of the facts that match all given fields, shape (n,)."""
        fields = ((subject, self.phrases), (predicate, self.predicates), (obj, self.phrases))
        passes = np.ones(self.columns.shape[1], dtype=np.bool_)
        for column, (name, table) in zip(self.columns, fields, strict=True):
            if name is not None:
                passes &= _are_any(column, table.matching(name), len(table.numbers))
        return passes


def _are_any(column: Columns, wanted: Sequence[int], names: int) -> Mask:
    if len(wanted) == 1:
        return np.asarray(column == wanted[0])
    among = np.zeros(names, dtype=np.bool_)
    among[list(wanted)] = True
    return np.asarray(among[column])


FactString = Literal["bars", "released"]


def searched_text(fact: Fact, form: FactString) -> str:
    """Return the text under which a fact is embedded and searched.

    >>> fact = Fact("f1", "Ann", "saw", "a film", None, "s1", (), TimePoint(2023, 6, 19))
    >>> searched_text(fact, "bars")
    'Ann | saw | a film | said 2023-06-19'
    >>> searched_text(fact, "released")
    '(Ann, saw, a film), {"record_time": "2023-06-19"}'
    """
    if form == "bars":
        return fact.text
    triple = f"({fact.subject}, {fact.predicate}, {fact.object})"
    times = ", ".join(f'"{name}": "{point}"' for name, point in _times(fact).items() if point)
    return f"{triple}, {{{times}}}" if times else triple


def _times(fact: Fact) -> dict[str, TimePoint | None]:
    scope = fact.time
    return {
        "point_in_time": scope.point_in_time if scope else None,
        "start_time": scope.start_time if scope else None,
        "end_time": scope.end_time if scope else None,
        "record_time": fact.record_time,
    }
