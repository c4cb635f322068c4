"""Find and read the data files of the benchmarks, `<data>/<dataset>/<file>` or the same `.gz`.

A file is read once, completely, with the sha256 of its bytes on disk.
"""

import gzip
import hashlib
import json
import re
import zlib
from collections.abc import Iterator
from decimal import Decimal
from io import BytesIO
from json import JSONDecodeError, JSONDecoder
from math import inf
from pathlib import Path
from typing import Any, TypeVar

from remem.protocols import DataFile

T = TypeVar("T")


def read_texts(file: Path, kind: type[T]) -> T:
    """Return the content of a file, checked against a type.

    Raises:
        ValueError: The content does not match the type; pydantic's message names the place.
    """
    import yaml
    from pydantic import TypeAdapter

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml is ten times as fast
    return TypeAdapter(kind).validate_python(loader(file.read_bytes()).get_single_data())


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


def gold_text(value: object, where: str) -> str:
    """Return a gold answer as people write it: a text as it is, 3.0 as "3", 2.50 as "2.5".

    Raises:
        ValueError: The value is neither a text nor a finite number.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < inf:
        raise ValueError(f"{where} has the answer {value!r}, expected a text or a finite number")
    return number_text(value)


def number_text(number: float) -> str:
    """Return a finite number as people write it, without an exponent or closing zeros.

    >>> number_text(3.0), number_text(2.50), number_text(-0.0), number_text(1e-7)
    ('3', '2.5', '0', '0.0000001')
    """
    digits = format(Decimal(str(number)), "f")
    if "." in digits:
        digits = digits.rstrip("0").rstrip(".")
    return "0" if digits == "-0" else digits


def is_blank(text: str) -> bool:
    """Return whether a text shows nothing: no characters, or only spaces and invisible ones."""
    return not any(sign.isprintable() and not sign.isspace() for sign in text)


MAX_BYTES = 512 * 2**20
"""Maximum size of a file, packed or unpacked; a larger one is a mistake or an attack."""
MOST_DIGITS = 300
"""Maximum digits of an integer in JSON; Python's own limit is higher and its error has no place."""
SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
"""JSON escape of half of a surrogate pair; both halves together are one character."""


def missing_file(expected: Path, dataset: str) -> FileNotFoundError:
    """Return the error for a missing data file, with its place and how to get it."""
    return FileNotFoundError(
        f"no data at {expected} (nor .gz): remem data fetch {dataset} gets it, with REMEM_DATA set "
        f"to the folder that contains {dataset}/ (datasets/{dataset}/README.md)"
    )


def find_data_file(data: Path, dataset: str, file: str) -> Path:
    """Return the path of a data file; a plain file takes precedence over a gzipped one."""
    plain = data / dataset / file
    for path in (plain, plain.with_name(f"{plain.name}.gz")):
        if path.is_file():
            return path
    raise missing_file(plain, dataset)


def read_bytes(
    data: Path, dataset: str, file: str, most: int | None = None
) -> tuple[bytes, DataFile]:
    """Return a data file, unpacked if it is gzipped, with the sha256 of its bytes on disk.

    Args:
        data: The folder of the data.
        dataset: The folder of the dataset.
        file: The name of the file, without .gz.
        most: The maximum size in bytes, packed or unpacked; `MAX_BYTES` by default.
    """
    path = find_data_file(data, dataset, file)
    check_size(path.stat().st_size, str(path), most)
    packed = path.read_bytes()
    content = gunzip(packed, str(path), most) if path.suffix == ".gz" else packed
    name = path.relative_to(data).as_posix()
    source = DataFile(name, hashlib.sha256(packed).hexdigest())
    return content, source


def read_json(data: Path, dataset: str, file: str) -> tuple[Any, DataFile]:
    """Return the content of a JSON data file."""
    content, source = read_bytes(data, dataset, file)
    return parse_json(content, source.name), source


def gunzip(packed: bytes, name: str, most: int | None = None) -> bytes:
    """Return unpacked gzip data."""
    try:
        with gzip.open(BytesIO(packed)) as stream:
            content = stream.read((most or MAX_BYTES) + 1)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ValueError(f"{name} is not a complete gzip file ({error}): fetch it again") from error
    check_size(len(content), name, most)
    return content


def parse_json(
    content: bytes,
    name: str,
    mend: str = "fetch the file again",
    *,
    keep_surrogates: bool = False,
) -> Any:
    """Parse UTF-8 JSON; a repeated key in an object is an error.

    Args:
        content: The bytes to parse.
        name: The name of the source, for error messages.
        mend: What the user should do about unreadable content.
        keep_surrogates: Accept halves of characters; the caller has to replace them.

    Raises:
        ValueError: The content is not valid JSON, or has values that no file can store.
    """

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members = dict(pairs)
        if len(members) < len(pairs):
            keys = [key for key, _ in pairs]
            repeated = next(key for key in keys if keys.count(key) > 1)
            raise ValueError(f"{name} has the key {repeated!r} twice in one object: remove one")
        return members

    def whole_number(digits: str) -> int:
        if len(digits) > MOST_DIGITS:
            raise ValueError(f"{name} has a number of {len(digits)} digits: {mend}")
        return int(digits)

    try:
        text = content.decode("utf-8-sig", "surrogatepass" if keep_surrogates else "strict")
        value = json.loads(text, object_pairs_hook=unique, parse_int=whole_number)
        if SURROGATE.search(text) and not keep_surrogates:
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeDecodeError as error:
        place = _place(name, content, content.count(b"\n", 0, error.start) + 1)
        raise ValueError(f"{place} is not UTF-8: {mend}") from error
    except json.JSONDecodeError as error:
        place = _place(name, content, error.lineno)
        raise ValueError(f"{place} is not JSON ({error.msg}): {mend}") from error
    except UnicodeEncodeError as error:
        raise ValueError(f"{name} has half of a character (a lone surrogate): {mend}") from error
    except RecursionError as error:
        raise ValueError(f"{name} is nested too deeply for a data file: {mend}") from error
    return value


def _place(name: str, content: bytes, line: int) -> str:
    """Return the name with the line number if the content has several lines."""
    return f"{name}:{line}" if b"\n" in content.rstrip() else name


def check_size(size: int, name: str, most: int | None = None) -> None:
    """Raise ValueError if a file has more than `most` bytes; `MAX_BYTES` by default."""
    most = MAX_BYTES if most is None else most
    if size > most:
        raise ValueError(f"{name} has more than {most} bytes, the maximum of a data file")
