"""Parse the elements of a large JSON array one after the other, so that few exist at a time."""

import re
from collections.abc import Iterator
from json import JSONDecodeError, JSONDecoder
from typing import Any

from remem.benchmarks.json_files import parse_json

SPACE = re.compile(r"\s*")
REFETCH = "fetch the file again"


def json_elements(content: bytes, name: str) -> Iterator[Any]:
    """Yield the elements of a JSON array, each parsed as `parse_json` parses a file.

    Raises:
        ValueError: The content is not one JSON array; the message has the number of the element.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{name} is not UTF-8 at byte {error.start}: {REFETCH}") from error
    del content
    place, number = _expect(text, 0, "[", name), 0
    is_open = text[place : place + 1] != "]"
    while is_open:
        number += 1
        element = f"element {number} of {name}"
        end = _end(text, place, element)
        yield parse_json(text[place:end].encode("utf-8", "surrogatepass"), element)
        place = _after(text, end)
        is_open = text[place : place + 1] != "]"
        if is_open:
            place = _expect(text, place, ",", element)
    if _after(text, place + 1) != len(text):
        raise ValueError(f"{name} has text after the end of its array: {REFETCH}")


def _end(text: str, place: int, element: str) -> int:
    """Return the end of the element that begins at a place."""
    try:
        return JSONDecoder().raw_decode(text, place)[1]
    except JSONDecodeError as error:
        raise ValueError(f"{element} is not JSON ({error.msg}): {REFETCH}") from error
    except RecursionError as error:
        raise ValueError(f"{element} is nested too deeply for a data file: {REFETCH}") from error
    except ValueError as error:  # a number of too many digits for Python
        raise ValueError(f"{element} has a number that is too long: {REFETCH}") from error


def _expect(text: str, place: int, mark: str, where: str) -> int:
    """Return the place of what follows a mark."""
    place = _after(text, place)
    if text[place : place + 1] != mark:
        raise ValueError(f"{where} has {text[place : place + 9]!r}, expected {mark!r}: {REFETCH}")
    return _after(text, place + 1)


def _after(text: str, place: int) -> int:
    """Return the place of the next character that is no space."""
    match = SPACE.match(text, place)
    return match.end() if match else place
