"""Readers that choose an option without looking at the evidence: lower bounds for tables.

A memory that does not help its reader to beat them shows nothing about the memory.
"""

from collections.abc import Sequence
from string import ascii_lowercase
from typing import Literal

from remem.types import Answer, Evidence, Query

Length = Literal["longest", "shortest"]


def options_of(query: Query) -> tuple[str, ...]:
    """Return the options of a question.

    Raises:
        ValueError: It has none.
    """
    if not query.options:
        raise ValueError(
            f"question {query.id} has no options to choose from, which this reader needs; use "
            f"dataset=personamem, or reader=extractive"
        )
    return query.options


def chosen(position: int) -> Answer:
    """Return the answer that names the option at a position, counted from 0.

    >>> chosen(2).text
    '(c)'
    """
    return Answer(f"({ascii_lowercase[position]})")


class OptionByLength:
    """Chooses the longest or the shortest option in characters; the first of equal ones."""

    def __init__(self, *, length: Length) -> None:
        if length not in ("longest", "shortest"):
            raise ValueError(f"unknown length {length!r}, expected 'longest' or 'shortest'")
        self._sign = 1 if length == "longest" else -1

    def read(self, query: Query, evidence: Evidence) -> Answer:
        """Return the letter of the option."""
        lengths = [self._sign * len(option) for option in options_of(query)]
        return chosen(lengths.index(max(lengths)))


class SameOption:
    """Always chooses the same letter."""

    def __init__(self, *, letter: str) -> None:
        if letter not in _letters(26):
            raise ValueError(f"unknown letter {letter!r}, expected a letter from a to z")
        self._letter = letter

    def read(self, query: Query, evidence: Evidence) -> Answer:
        """Return the letter.

        Raises:
            ValueError: The question has no such option.
        """
        letters = _letters(len(options_of(query)))
        if self._letter not in letters:
            raise ValueError(
                f"question {query.id} has no option ({self._letter}), only {', '.join(letters)}"
            )
        return chosen(letters.index(self._letter))


def _letters(count: int) -> Sequence[str]:
    return list(ascii_lowercase[:count])
