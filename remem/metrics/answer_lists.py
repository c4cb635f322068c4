"""Join list answers into one text, and split them again, at the separator of their dataset."""

from collections.abc import Iterable
from typing import get_args

from remem.types import AnswerSeparator

MARKS: dict[AnswerSeparator, str] = {"commas": ",", "semicolons": ";"}


def join_answers(items: Iterable[str], separator: AnswerSeparator) -> str:
    """Join the items of a list into one answer.

    >>> join_answers(["Rome", "Oslo"], "semicolons")
    'Rome; Oslo'
    """
    return f"{MARKS[separator]} ".join(items)


def split_answers(answer: str, separator: AnswerSeparator) -> list[str]:
    """Split an answer into its items, without blank ones.

    >>> split_answers("Rome;Oslo; ", "semicolons"), split_answers("Rome; Oslo", "commas")
    (['Rome', 'Oslo'], ['Rome; Oslo'])
    """
    parts = (part.strip() for part in answer.split(MARKS[separator]))
    return [part for part in parts if part]


def checked_separator(separator: str) -> AnswerSeparator:
    """Return the separator with this name.

    Raises:
        ValueError: The name is unknown.
    """
    known: tuple[AnswerSeparator, ...] = get_args(AnswerSeparator)
    for answer in known:
        if answer == separator:
            return answer
    raise ValueError(
        f"unknown answer_separator {separator!r}; choose {' or '.join(known)} (conf/dataset)"
    )
