"""Get typed values from parsed JSON, with errors that name the record."""

from typing import Any, TypeVar

T = TypeVar("T")


def field(record: object, key: str, kind: type[T], where: str) -> T:
    """Return the value of type `kind` under `key`.

    Raises:
        ValueError: `record` is not an object, has no such key, or its value has another type.
    """
    if not isinstance(record, dict):
        raise ValueError(f"{where} is {type(record).__name__}, expected a JSON object")
    if key not in record:
        raise ValueError(f"{where} has no {key!r}, expected {kind.__name__}")
    return checked(record[key], kind, f"{key!r} of {where}")


def checked(value: Any, kind: type[T], where: str) -> T:
    """Return `value` if it is of type `kind`; a bool is never accepted, not even as a number."""
    if not isinstance(value, kind) or isinstance(value, bool):
        raise ValueError(f"{where} is {type(value).__name__}, expected {kind.__name__}")
    return value


def strings(record: object, key: str, where: str) -> list[str]:
    """Return the list of strings under `key`."""
    values = field(record, key, list, where)
    return [checked(value, str, f"an item of {key!r} of {where}") for value in values]
