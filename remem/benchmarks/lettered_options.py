"""Read the options of a multiple-choice question: lines "(a) ..", "(b) .." and so on.

An option may have several lines. A letter that is out of order starts no option.
"""

import re
from collections.abc import Sequence
from string import ascii_lowercase

_MARK = re.compile(r"^\(([a-z])\)[ \t]", re.MULTILINE)


def read_options(text: str, where: str) -> tuple[str, ...]:
    """Return the texts of the options without their letters.

    Raises:
        ValueError: The text has fewer than two options, an empty one, or text before the first.
    """
    marks = _in_order(list(_MARK.finditer(text)))
    if len(marks) < 2:
        raise ValueError(
            f"{where} has {len(marks)} options, expected at least the lines '(a) ...', '(b) ...'"
        )
    if text[: marks[0].start()].strip():
        raise ValueError(f"{where} has text before its option (a), expected only the options")
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    options = tuple(text[mark.end() : end].strip() for mark, end in zip(marks, ends, strict=True))
    for letter, option in zip(ascii_lowercase, options, strict=False):
        if not option:
            raise ValueError(f"option ({letter}) of {where} is empty, expected some text")
    return options


def equal_options(options: Sequence[str], position: int) -> tuple[int, ...]:
    """Return the positions of the other options with the same text.

    >>> equal_options(["tea", "rum", "tea"], 0)
    (2,)
    """
    return tuple(
        place
        for place, option in enumerate(options)
        if place != position and option == options[position]
    )


def _in_order(marks: Sequence[re.Match[str]]) -> list[re.Match[str]]:
    """Return the marks whose letters continue the alphabet from "a"."""
    found: list[re.Match[str]] = []
    for mark in marks:
        if len(found) < len(ascii_lowercase) and mark[1] == ascii_lowercase[len(found)]:
            found.append(mark)
    return found
