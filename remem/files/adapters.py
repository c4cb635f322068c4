"""Cache pydantic adapters for reading and writing JSON, because building an adapter is slow.

Validation errors become one sentence: the key, the value found, and what was expected.
"""

from collections.abc import Hashable
from functools import cache
from typing import Any, TypeVar, cast

from pydantic import TypeAdapter, ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

from remem.files.json_text import MOST_VALUES, check_values, parse_json

Kind = TypeVar("Kind")

LONGEST_SHOWN, LONGEST_VALUE = 100, 60
REFUSED = "refused"
"""The type of our own error: the text is refused before it is parsed."""
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
    made: TypeAdapter[Kind] = _new_adapter(cast("Hashable", kind))
    return made


def parsed(
    kind: type[Kind], content: bytes | str, *, strict: bool | None = None, most: int = MOST_VALUES
) -> Kind:
    """Parse JSON and validate the value as an instance of a type.

    Args:
        kind: The type.
        content: The JSON.
        strict: Whether to refuse values that need conversion; None for the type's own setting.
        most: The maximum number of values.

    Raises:
        ValidationError: The content is not JSON, not of the type, or has too many values.
    """
    if isinstance(content, str):
        content = content.encode("utf-8", "surrogatepass")
    try:
        check_values(content, "the text", most)
    except ValueError as error:
        raise _invalid(kind, error) from error
    return adapter(kind).validate_json(content, strict=strict)


def parsed_once(kind: type[Kind], content: bytes, *, strict: bool | None = None) -> Kind:
    """Parse JSON like `parsed`, but refuse repeated keys, because parsers disagree about them.

    Raises:
        ValidationError: `parsed` refuses the content, or an object has a key twice.
    """
    value = parsed(kind, content, strict=strict)
    try:
        parse_json(content, "it")
    except ValueError as error:
        raise _invalid(kind, error) from error
    return value


def _invalid(kind: Any, error: ValueError) -> ValidationError:
    refused = PydanticCustomError(REFUSED, "{reason}", {"reason": str(error)})
    details = [InitErrorDetails(type=refused, input="")]
    return ValidationError.from_exception_data(getattr(kind, "__name__", "value"), details)


@cache
def _new_adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def parse_line(kind: type[Kind], content: bytes, place: str, what: str, remedy: str) -> Kind:
    """Parse a line of a JSON Lines file; raise ValueError if it is not of the type.

    Args:
        kind: The type of the line.
        content: The line, without a checksum.
        place: The file and the number of the line, for error messages.
        what: What the line should be, such as "a record", for error messages.
        remedy: What the user should do about an invalid line.
    """
    try:
        return parsed(kind, content)
    except ValidationError as error:
        raise ValueError(f"{place}: not {what} ({error.errors()[0]['msg']}); {remedy}") from error


def is_json_of(kind: type[Any], content: bytes) -> bool:
    """Return whether the content is JSON that is valid for a type."""
    try:
        parsed(kind, content)
    except ValidationError:
        return False
    return True


def first_fault(error: ValidationError) -> str:
    """Describe the first validation error: the key, the value found, and what was expected."""
    first = error.errors(include_url=False)[0]
    key = ".".join(map(str, first["loc"]))[:LONGEST_SHOWN] or "it"
    if first["type"] == "missing":
        return f"{key} is missing"
    if first["type"] == "json_invalid":
        return f"not JSON: {first['ctx']['error']}"
    if first["type"] == REFUSED:
        return first["msg"]
    sentence_of_type = EXPECTED.get(first["type"])
    sentence = sentence_of_type.format(**first.get("ctx", {})) if sentence_of_type else first["msg"]
    expected = sentence.removeprefix("Input should be ")
    return f"{key} is {repr(first['input'])[:LONGEST_VALUE]}, expected {expected}"
