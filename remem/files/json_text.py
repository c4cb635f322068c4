"""Parse untrusted JSON, with a limit on the number of values as well as on the bytes.

No other module parses JSON. A value that has two bytes in a file may take 250 bytes of memory, so a
limit on the size of the file alone does not limit the memory.
"""

import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from json import JSONDecodeError, JSONDecoder
from typing import Any

from remem.files.opened import REFETCH

MOST_VALUES = 5_000_000
"""Maximum number of values of a document, objects and lists included."""
MOST_VALUES_OF_ARRAY = 20_000_000
"""Maximum number of values of an array whose elements are read one by one."""
MOST_DIGITS = 300
"""Maximum digits of an integer in JSON; Python's own limit is higher and its error has no place."""
SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
"""JSON escape of half of a surrogate pair; both halves together are one character."""
SPACE = re.compile(r"\s*")
MOST_DEPTH = 100
"""Maximum depth of a reply. Python's own limit depends on the depth of the calls at that moment, so
the same reply could be read in one place and not in another."""
TOO_DEEP = f"lists and objects are nested more than {MOST_DEPTH} deep"
CHUNK = 1 << 20

_DECODER = JSONDecoder()

Members = Callable[[list[tuple[str, Any]]], Any]


@cache
def _reply_decoder(members: Members | None) -> JSONDecoder:
    return JSONDecoder(strict=False, object_pairs_hook=members)


def check_values(content: bytes, name: str, most: int = MOST_VALUES) -> None:
    """Raise ValueError if JSON has more than `most` values; they are counted without parsing."""
    if _value_marks(content) <= most:  # no more values than marks, whichever are in texts
        return
    if any(count > most for count in _marks_outside_texts(content)):
        raise ValueError(f"{name} has more than {most:,} JSON values, the maximum")


def _value_marks(content: bytes) -> int:
    return content.count(b",") + content.count(b"[") + content.count(b"{")


def _marks_outside_texts(content: bytes) -> Iterator[int]:
    """Yield, after each chunk, the number of commas and opening brackets outside texts so far."""
    import numpy as np

    plain = content.replace(rb"\\", b"").replace(rb"\"", b"")  # only quotes around texts are left
    count, is_inside = 0, np.uint8(0)
    for start in range(0, len(plain), CHUNK):
        part = np.frombuffer(plain[start : start + CHUNK], np.uint8)
        inside = np.bitwise_xor.accumulate((part == ord('"')).view(np.uint8)) ^ is_inside
        is_mark = (part == ord(",")) | (part == ord("[")) | (part == ord("{"))
        count += int(np.count_nonzero(is_mark & (inside == 0)))
        yield count
        is_inside = inside[-1]


def parse_json(
    content: bytes | str,
    name: str,
    remedy: str = REFETCH,
    *,
    keep_surrogates: bool = False,
) -> Any:
    """Parse UTF-8 JSON; a repeated key in an object is an error.

    Args:
        content: What to parse.
        name: The name of the source, for error messages.
        remedy: What the user should do about unreadable content.
        keep_surrogates: Whether to accept lone surrogates, which the caller must then replace.

    Raises:
        ValueError: The content is not valid JSON, has too many values, or has a lone surrogate,
            which cannot be written to a file.
    """
    if isinstance(content, str):
        content = content.encode("utf-8", "surrogatepass")
    check_values(content, name)

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members = dict(pairs)
        if len(members) < len(pairs):
            raise ValueError(
                f"{name} has the key {_repeated(pairs)!r} twice in one object: remove one"
            )
        return members

    def whole_number(digits: str) -> int:
        if len(digits) > MOST_DIGITS:
            raise ValueError(f"{name} has a number of {len(digits)} digits: {remedy}")
        return int(digits)

    try:
        text = content.decode("utf-8-sig", "surrogatepass" if keep_surrogates else "strict")
        value = json.loads(text, object_pairs_hook=unique, parse_int=whole_number)
        if SURROGATE.search(text) and not keep_surrogates:
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeDecodeError as error:
        place = _place(name, content, content.count(b"\n", 0, error.start) + 1)
        raise ValueError(f"{place} is not UTF-8: {remedy}") from error
    except JSONDecodeError as error:
        place = _place(name, content, error.lineno)
        raise ValueError(f"{place} is not JSON ({error.msg}): {remedy}") from error
    except UnicodeEncodeError as error:
        raise ValueError(f"{name} has half of a character (a lone surrogate): {remedy}") from error
    except RecursionError as error:
        raise ValueError(f"{name} is nested too deeply for a data file: {remedy}") from error
    return value


def json_value(content: bytes | str) -> Any:
    """Parse the JSON of a reply, such as a model's; if a key is repeated, use its last value.

    Raises:
        ValueError: The content is not JSON, is nested too deeply or has too many values.
    """
    check_values(content if isinstance(content, bytes) else content.encode(errors="replace"), "it")
    try:
        return json.loads(content)
    except RecursionError as error:
        raise ValueError(TOO_DEEP) from error


def json_prefix(text: str, at: int, members: Members | None = None) -> tuple[Any, int]:
    """Parse the JSON value at a position of a reply; return the value and where it ends.

    Args:
        text: The reply, which must be of limited length; its strings may contain raw line ends.
        at: The position.
        members: Builds an object from its keys and values; None for a dict.

    Raises:
        ValueError: No JSON begins there, or it is nested too deeply.
    """
    try:
        return _reply_decoder(members).raw_decode(text, at)
    except RecursionError as error:
        raise ValueError(TOO_DEEP) from error


def _repeated(pairs: list[tuple[str, Any]]) -> str:
    """Return the first key that occurs a second time, cut to what a message can show."""
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            return key[:100]
        seen.add(key)
    raise ValueError("no key is repeated")


def _place(name: str, content: bytes, line: int) -> str:
    """Return the name with the line number if the content has several lines."""
    return f"{name}:{line}" if b"\n" in content.rstrip() else name


def json_elements(content: bytes, name: str) -> Iterator[Any]:
    """Yield the elements of a JSON array; each one is parsed by `parse_json`.

    Raises:
        ValueError: The content is not a single JSON array, or has too many values; the message
            has the number of the element.
    """
    check_values(content, name, MOST_VALUES_OF_ARRAY)
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
        yield parse_json(text[place:end], element)
        place = _after(text, end)
        is_open = text[place : place + 1] != "]"
        if is_open:
            place = _expect(text, place, ",", element)
    if _after(text, place + 1) != len(text):
        raise ValueError(f"{name} has text after the end of its array: {REFETCH}")


def _end(text: str, place: int, element: str) -> int:
    """Return the end of the element that begins at a place."""
    try:
        return _DECODER.raw_decode(text, place)[1]
    except JSONDecodeError as error:
        raise ValueError(f"{element} is not JSON ({error.msg}): {REFETCH}") from error
    except RecursionError as error:
        raise ValueError(f"{element} is nested too deeply for a data file: {REFETCH}") from error
    except ValueError as error:  # a number of too many digits for Python
        raise ValueError(f"{element} has a number that is too long: {REFETCH}") from error


def _expect(text: str, place: int, mark: str, where: str) -> int:
    """Check that a mark comes next, and return the place of what follows it."""
    place = _after(text, place)
    if text[place : place + 1] != mark:
        raise ValueError(f"{where} has {text[place : place + 9]!r}, expected {mark!r}: {REFETCH}")
    return _after(text, place + 1)


def _after(text: str, place: int) -> int:
    """Return the place of the next character that is not a space."""
    match = SPACE.match(text, place)
    return match.end() if match else place
