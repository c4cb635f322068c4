"""Make texts of data and models safe to show: remove control characters, and cut long texts."""

import re
from collections.abc import Iterable, Mapping

MOST_CHARACTERS = 2_000
"""The number of characters that are kept of a long text."""


def inert(text: str) -> str:
    r"""Remove control characters and invisible characters from a text, but keep its line ends.

    >>> inert("a\x1b[2Jb\r\n\tc\u202ed")
    'a[2Jb \n cd'
    """
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char == "\n" else _stand_in(char) for char in text)


def printable(text: str) -> str:
    r"""Return a text as one line without terminal control characters.

    >>> printable("a\n\x1b[2Jb")
    'a [2Jb'
    """
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def cut(text: str, most: int = MOST_CHARACTERS) -> str:
    """Cut a text to `most` characters, and append the number of characters that were cut off."""
    more = len(text) - most
    return text if more <= 0 else f"{text[:most]}… ({more:,} characters more)"


def _stand_in(char: str) -> str:
    return " " if char.isspace() else ""


BEGIN_FORMULAS = ("=", "+", "-", "@", "\t", "\n")
"""Start characters of formulas in OWASP's list (CSV Injection); spreadsheets may skip a tab."""
NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")


def inert_cell(text: str) -> str:
    """Escape a text so that spreadsheet programs read none of its lines as a formula.

    >>> [inert_cell(text) for text in ("=1+1", "Ann")]
    ["'=1+1", 'Ann']
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")  # csv does not quote a lone CR
    return f"'{text}" if text.startswith(BEGIN_FORMULAS) else text


def csv_text(lines: Iterable[Mapping[str, object]]) -> str:
    """Render rows as CSV; numbers are kept as they are, and texts are escaped with `inert_cell`."""
    import pandas as pd

    inert = [{name: _inert_value(value) for name, value in line.items()} for line in lines]
    return pd.DataFrame(inert).to_csv(index=False, lineterminator="\n")


def _inert_value(value: object) -> object:
    if not isinstance(value, str) or NUMBER.fullmatch(value):
        return value
    return inert_cell(value)
