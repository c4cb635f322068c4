"""Cached pydantic adapters for reading and writing JSON: building one is slower than using it.

Validation errors become one sentence: the key, the value found, and what was expected.
"""

from collections.abc import Hashable
from functools import cache
from typing import Any, TypeVar, cast

from pydantic import TypeAdapter, ValidationError

Kind = TypeVar("Kind")

LONGEST_SHOWN = 100
EXPECTED = {
    "string_type": "text",
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "list_type": "a list",
    "tuple_type": "a list",
    "dict_type": "a group of values",
    "dataclass_type": "a group of values",
    "greater_than_equal": "at least {ge}",
    "less_than_equal": "at most {le}",
    "literal_error": "{expected}",
    "too_short": "at least {min_length} value",
}
"""Descriptions of the expected value by pydantic's error type; other errors use its own message."""


def adapter(kind: type[Kind]) -> TypeAdapter[Kind]:
    """Return the cached type adapter of a type."""
    made: TypeAdapter[Kind] = _made(cast("Hashable", kind))
    return made


@cache
def _made(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def first_fault(error: ValidationError) -> str:
    """Describe the first validation error: the key, the value found, and what was expected."""
    first = error.errors(include_url=False)[0]
    key = ".".join(map(str, first["loc"]))[:LONGEST_SHOWN] or "it"
    if first["type"] == "missing":
        return f"{key} is missing"
    known = EXPECTED.get(first["type"])
    said = known.format(**first.get("ctx", {})) if known else first["msg"]
    expected = said.removeprefix("Input should be ")
    return f"{key} is {repr(first['input'])[:LONGEST_SHOWN]}, expected {expected}"
