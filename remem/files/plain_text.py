"""Texts of data and models without terminal control characters."""


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


def _stand_in(char: str) -> str:
    return " " if char.isspace() else ""
