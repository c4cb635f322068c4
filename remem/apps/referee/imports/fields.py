"""Optional values of JSON records: None if they are missing, an error if of a wrong type."""

import sys
from collections.abc import Iterable
from typing import Any, TypeVar

from remem.benchmarks.json_files import checked, field, number_text

T = TypeVar("T")

LONGEST_ID = 300
MOST_COUNTED = 2**53
"""From here on a JSON number may not be a whole number any more."""


def optional(record: dict[str, Any], key: str, kind: type[T], where: str) -> T | None:
    """Return the value of a key, None if it is missing or null.

    Raises:
        ValueError: The value has another type.
    """
    value = record.get(key)
    return None if value is None else checked(value, kind, f"{key!r} of {where}")


def text(record: dict[str, Any], *keys: str, where: str) -> str:
    """Return the first text or number under one of the keys, "" if there is none.

    Raises:
        ValueError: A value is neither a text nor a number.
    """
    for key in keys:
        value = record.get(key)
        if value is not None and value != "":
            return as_text(value, f"{key!r} of {where}")
    return ""


def as_text(value: object, where: str) -> str:
    """Return a text, or a number as people write it.

    Raises:
        ValueError: The value is something else, or no finite number.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{where} is {type(value).__name__}, expected text or a number")
    number(value, where)
    return number_text(value)


def identifier(record: dict[str, Any], *keys: str, where: str) -> str:
    """Return the id under one of the keys, "" if there is none.

    Raises:
        ValueError: It is no text or number, or longer than an id is.
    """
    written = text(record, *keys, where=where)
    if len(written) > LONGEST_ID:
        raise ValueError(f"{where} has an id of {len(written):,} characters, at most {LONGEST_ID}")
    return written


def name_of(record: object, key: str, where: str) -> str:
    """Return the id or name under a key, which must be there.

    Raises:
        ValueError: It is missing, empty, no text, or longer than a name is.
    """
    name = field(record, key, str, where)
    if not 0 < len(name) <= LONGEST_ID:
        raise ValueError(
            f"{key!r} of {where} has {len(name):,} characters, expected 1 to {LONGEST_ID}"
        )
    return name


def share(value: object, where: str, most: float = 1) -> float:
    """Return a verdict as a share from 0 to 1; `most` is the largest value on its scale.

    Raises:
        ValueError: The value is no truth value and no number on the scale.
    """
    if isinstance(value, bool):
        return float(value)
    if not isinstance(value, int | float) or not 0 <= value <= most:
        raise ValueError(
            f"{where} is {str(value)[:60]!r}, expected true, false or a number from 0 to {most:g}"
        )
    return value / most


def number(value: object, where: str) -> float:
    """Return a finite number.

    Raises:
        ValueError: The value is something else.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{where} is {str(value)[:60]!r}, expected a number")
    if not abs(value) <= sys.float_info.max:
        raise ValueError(
            f"{where} is {str(value)[:60]}, which is not a number that can be read; expected a "
            f"finite number"
        )
    return float(value)


def count(record: dict[str, Any], key: str, where: str) -> int | None:
    """Return the whole number from 0 under a key, None if it is missing or null.

    Raises:
        ValueError: It is something else.
    """
    value = record.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < MOST_COUNTED:
        raise ValueError(
            f"{key!r} of {where} is {str(value)[:60]!r}, expected a whole number from 0"
        )
    return value


def texts(value: object, where: str) -> tuple[str, ...]:
    """Return a list of texts or numbers as texts; a single one is a list of one.

    Raises:
        ValueError: An item is neither a text nor a number.
    """
    items: Iterable[object] = value if isinstance(value, list) else (value,)
    return tuple(as_text(item, f"an item of {where}") for item in items)
