"""Find and read the data files of benchmarks: `<data>/<dataset>/<file>`, plain or as `.gz`.

A file is read only once and as a whole, and its sha256 is that of the bytes on disk.
"""

import hashlib
import json
from decimal import Decimal
from math import inf
from pathlib import Path
from typing import Any, TypeVar

from remem.files.json_text import parse_json
from remem.files.opened import gunzip, read_file
from remem.protocols import DataFile

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
    """Return `value` if it is of type `kind`, else raise ValueError; a bool is always refused."""
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
    """Return a finite number as people write it, without an exponent or trailing zeros.

    >>> number_text(3.0), number_text(2.50), number_text(-0.0), number_text(1e-7)
    ('3', '2.5', '0', '0.0000001')
    """
    digits = format(Decimal(str(number)), "f")
    if "." in digits:
        digits = digits.rstrip("0").rstrip(".")
    return "0" if digits == "-0" else digits


def is_blank(text: str) -> bool:
    """Return whether a text is empty or has only spaces and invisible characters."""
    return not any(sign.isprintable() and not sign.isspace() for sign in text)


def missing_file(expected: Path, dataset: str) -> FileNotFoundError:
    """Return the error for a missing data file; it says where to put the file and how to get it."""
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
        most: The maximum size in bytes, both before and after unpacking; `MAX_BYTES` by default.
    """
    path = find_data_file(data, dataset, file)
    packed = read_file(path, most)
    content = gunzip(packed, str(path), most) if path.suffix == ".gz" else packed
    name = path.relative_to(data).as_posix()
    source = DataFile(name, hashlib.sha256(packed).hexdigest())
    return content, source


def generated_file(name: str, records: Any) -> DataFile:
    """Return a `DataFile` for generated records, with the sha256 of their canonical JSON."""
    canonical = json.dumps(records, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return DataFile(name, hashlib.sha256(canonical.encode()).hexdigest())


def read_json(data: Path, dataset: str, file: str) -> tuple[Any, DataFile]:
    """Return the content of a JSON data file."""
    content, source = read_bytes(data, dataset, file)
    return parse_json(content, source.name), source
