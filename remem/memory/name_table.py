"""A table of numbered names that can be matched exactly or as substrings.

A match never splits a number; otherwise, a count for the unknown name E7 would be the count of E71.
The case-folded names are stored in one text, which is searched for the substring.
"""

import unicodedata
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

BORDER = "\n"


class NameTable:
    """Numbered names, in the order in which they were added."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self._new: list[str] = []
        self._text = ""
        self._ends = np.empty(0, dtype=np.int64)

    def number(self, name: str) -> int:
        """Return the number of a name; assign the next number to a new name."""
        if name not in self.numbers:
            self.numbers[name] = len(self.numbers)
            self._new.append(name)
        return self.numbers[name]

    def matching(self, name: str) -> Sequence[int]:
        """Return the number of a name; if unknown, the numbers of all names that contain it."""
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
        found: list[int] = np.unique(number[whole][held]).tolist()
        return found

    def _folded_names(self) -> tuple[str, NDArray[np.int64]]:
        """Return all case-folded names in one text with a separator after each, and their ends."""
        if self._new:
            names = [folded(name) + BORDER for name in self._new]
            ends = np.cumsum([len(name) for name in names]) + len(self._text)
            self._text, self._ends = "".join([self._text, *names]), np.append(self._ends, ends)
            self._new = []
        return self._text, self._ends


def folded(name: str) -> str:
    """Return a name in one case; accents stay, in one encoding."""
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
