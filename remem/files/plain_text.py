"""Texts of data and models: without terminal control characters, and cut if they are long."""

MOST_CHARACTERS = 2_000
"""The number of characters that are kept of a long text."""


def inert(text: str) -> str:
    r"""Remove control characters and invisible characters from a text; keep its lines.

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


def cut(text: str) -> str:
    """Cut a text to `MOST_CHARACTERS` and append the number of characters that were cut off."""
    more = len(text) - MOST_CHARACTERS
    return text if more <= 0 else f"{text[:MOST_CHARACTERS]}… ({more:,} characters more)"


def _stand_in(char: str) -> str:
    return " " if char.isspace() else ""
