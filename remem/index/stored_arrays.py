"""Store an index: its arrays are in one file, which is mapped into memory instead of read.

A second file lists the arrays and has a checksum of both files. It is written last, so a folder
without it is incomplete. The checksum (CRC-32) detects any flipped bit. It does not protect against
people who change both the files and the checksum, so the content is validated too.
"""

import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Annotated, Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, ValidationError

from remem.errors import DamagedIndexError
from remem.files.adapters import adapter, parsed
from remem.files.opened import read_file

ARRAYS_NAME, LIST_NAME = "arrays.bin", "arrays.json"
ALIGNMENT = 64
"""Each array begins at a multiple of so many bytes."""
DAMAGES = (OSError, ValueError, KeyError, IndexError, TypeError, OverflowError)
"""Errors that numpy, JSON and our own checks raise for a damaged file."""

Arrays = dict[str, NDArray[Any]]
Count = Annotated[int, Field(ge=0)]
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class StoredArray:
    """The data type and shape of an array, and where it begins in the file."""

    kind: Annotated[str, Field(pattern=r"^(\|u1|<[if][48])$")]
    shape: tuple[Count, ...]
    begin: Count

    def of(self, content: NDArray[np.uint8]) -> NDArray[Any]:
        """Return this array from the bytes of the file."""
        end = self.begin + prod(self.shape) * np.dtype(self.kind).itemsize
        return content[self.begin : end].view(self.kind).reshape(self.shape)


@dataclass(frozen=True, slots=True)
class ArrayList:
    """The content of the second file; its checksum covers the first file and `arrays`."""

    format: str
    arrays: dict[str, StoredArray]
    checksum: int


def write_arrays(folder: Path, form: str, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays into an existing folder; `form` is the name and version of their format."""
    listed: dict[str, StoredArray] = {}
    total = 0
    part = folder / f"{ARRAYS_NAME}.part"
    with part.open("wb") as file:
        for name, array in arrays.items():
            whole = np.ascontiguousarray(array)
            listed[name] = StoredArray(whole.dtype.str, whole.shape, file.tell())
            for piece in (whole.data, bytes(-whole.nbytes % ALIGNMENT)):
                file.write(piece)
                total = zlib.crc32(piece, total)
    part.replace(folder / ARRAYS_NAME)  # not in place: an earlier file may be mapped
    content = ArrayList(form, listed, _with_list(total, listed))
    (folder / LIST_NAME).write_bytes(adapter(ArrayList).dump_json(content) + b"\n")


def open_arrays(folder: Path, form: str) -> Arrays:
    """Map the arrays of a folder into memory; changes to them are not written to the file.

    Raises:
        ValueError: The folder is incomplete or has another format, or a file is damaged.
    """
    listed = _read_list(folder)
    if listed.format != form:
        raise ValueError(f"found the format {listed.format!r}, expected {form!r}")
    if not (folder / ARRAYS_NAME).is_file():
        raise ValueError(f"{ARRAYS_NAME} is missing")
    content = np.asarray(np.memmap(folder / ARRAYS_NAME, np.uint8, "c"))
    if _with_list(zlib.crc32(content.data), listed.arrays) != listed.checksum:
        raise ValueError(
            f"{ARRAYS_NAME} or {LIST_NAME} changed since they were written (wrong checksum)"
        )
    return {name: array.of(content) for name, array in listed.arrays.items()}


def stored_checksum(folder: Path) -> int:
    """Return the checksum that identifies the arrays of a folder."""
    return _read_list(folder).checksum


def holds_arrays(folder: Path, form: str) -> bool:
    """Return whether a folder contains arrays of a format.

    Raises:
        ValueError: The list of the arrays cannot be read.
    """
    return (folder / LIST_NAME).exists() and _read_list(folder).format == form


@contextmanager
def naming_damage(folder: Path, what: str) -> Iterator[None]:
    """Convert errors about the content of a folder to DamagedIndexError, which names the folder."""
    try:
        yield
    except DAMAGES as error:
        reason = f"{error} is missing" if isinstance(error, KeyError) else error
        raise DamagedIndexError(f"{folder}: not a complete {what} ({reason})") from error


def arrays_below(arrays: Mapping[str, NDArray[Any]], beginning: str) -> Arrays:
    """Return the arrays whose names start with `beginning`, with that prefix removed."""
    return {
        name.removeprefix(beginning): array
        for name, array in arrays.items()
        if name.startswith(beginning)
    }


def json_array(kind: type[Value], value: Value) -> NDArray[np.uint8]:
    """Return the JSON of a value as an array of bytes."""
    return np.frombuffer(adapter(kind).dump_json(value), dtype=np.uint8)


def from_json(kind: type[Value], content: bytes, what: str) -> Value:
    """Read a value from JSON; raise a ValueError that names `what` if the JSON is invalid."""
    try:
        return parsed(kind, content, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = "".join(f"[{step!r}]" for step in first["loc"])
        raise ValueError(f"{what}{place}: {first['msg']}") from error


def _read_list(folder: Path) -> ArrayList:
    if not (folder / LIST_NAME).is_file():
        raise ValueError(f"{LIST_NAME} is missing")
    return from_json(ArrayList, read_file(folder / LIST_NAME), LIST_NAME)


def _with_list(total: int, listed: Mapping[str, StoredArray]) -> int:
    """Return the checksum of the arrays, extended by that of their list."""
    return zlib.crc32(adapter(dict[str, StoredArray]).dump_json(dict(listed)), total)
