"""Read values of untrusted files: a missing value is read as empty, a wrong type is an error."""

import sys
from collections.abc import Iterable
from decimal import Decimal

from remem.benchmarks.json_files import number_text

LONGEST_ID = 300
MOST_COUNTED = 2**53
"""The limit of counts: from this value on, a JSON number may not be an exact integer."""


def as_text(value: object, where: str) -> str:
    """Return a text or a number as text, and "" for None; raise ValueError for anything else."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{where} is {type(value).__name__}, expected text or a number")
    number(value, where)
    return number_text(value)


def as_identifier(value: object, where: str) -> str:
    """Return an id as text, or "" for None; raise ValueError if its type or length is wrong."""
    written = as_text(value, where)
    if len(written) > LONGEST_ID:
        raise ValueError(f"{where} has {len(written):,} characters, expected at most {LONGEST_ID}")
    return written


def as_texts(value: object, where: str) -> tuple[str, ...]:
    """Return a text or number, or a list of them, as a tuple of texts; () for None or ""."""
    if value is None or value == "":
        return ()
    items: Iterable[object] = value if isinstance(value, list) else (value,)
    return tuple(as_text(item, f"an item of {where}") for item in items)


def as_truth(value: object, where: str) -> bool | None:
    """Return True, False or None unchanged; raise ValueError for anything else."""
    if value is None or isinstance(value, bool):
        return value
    raise ValueError(f"{where} is {str(value)[:60]!r}, expected true or false")


def as_count(value: object, where: str) -> int | None:
    """Return None or an integer of at least 0 unchanged; raise ValueError for anything else."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < MOST_COUNTED:
        raise ValueError(f"{where} is {str(value)[:60]!r}, expected a whole number of at least 0")
    return value


def share(value: object, where: str, most: float = 1) -> float:
    """Return a verdict as a share from 0 to 1; `most` is the best value on its scale.

    Raises:
        ValueError: The value is neither a truth value nor a number on the scale.
    """
    if isinstance(value, bool):
        return float(value)
    if not isinstance(value, int | float) or not 0 <= value <= most:
        raise ValueError(
            f"{where} is {str(value)[:60]!r}, expected true, false or a number from 0 to {most:g}"
        )
    return value / most


def decimals(written: float, most: int = 1) -> int:
    """Return the number of decimals of a score as a share, that is, of `written / most`.

    >>> decimals(75.14, 100), decimals(0.5)
    (4, 1)
    """
    exponent = Decimal(repr(written)).as_tuple().exponent
    return len(str(most)) - 1 - int(exponent)


def number(value: object, where: str) -> float:
    """Return a finite number; raise ValueError for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{where} is {str(value)[:60]!r}, expected a number")
    if not abs(value) <= sys.float_info.max:
        raise ValueError(f"{where} is {str(value)[:60]}, expected a finite number")
    return float(value)
