"""Checksums of the blocks of a mapped memory, so that damaged files are never used.

CRC-32 detects any flipped bit, at several GB/s. It does not protect against a person who changes a
file and its checksums.
"""

import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from remem.files.adapters import adapter
from remem.protocols import DamagedIndexError

FILE_NAME = "sums.json"
BLOCK = 2**18
"""Bytes per block; each block has a checksum of 8 hex digits."""
REMEDY = "delete the folder of the memory to index again"
Sums = Mapping[str, list[str]]


class Blocks:
    """An array whose blocks are verified when they are first read."""

    def __init__(self, path: Path, array: NDArray[Any], sums: list[str]) -> None:
        self._path = path
        self._begin = _begin(path.name, array)
        self._bytes = _bytes(array)
        self._sums = sums
        self._unread = set(range(_count(self._bytes)))
        if len(sums) != len(self._unread):
            raise DamagedIndexError(
                f"{path}: found {len(sums)} checksums of its blocks in {FILE_NAME}, expected "
                f"{len(self._unread)}; {REMEDY}"
            )

    def check(self, begin: int = 0, end: int | None = None) -> None:
        """Verify the blocks of these bytes that were not verified before.

        Raises:
            DamagedIndexError: A block does not match its checksum.
        """
        last = len(self._bytes) if end is None else end
        for number in range(begin // BLOCK, -(-last // BLOCK)):
            if number not in self._unread:
                continue
            if _sum(self._begin, self._bytes, number) != self._sums[number]:
                raise DamagedIndexError(
                    f"{self._path}: its contents from byte {number * BLOCK:,} on changed since "
                    f"they were written (wrong checksum); {REMEDY}"
                )
            self._unread.discard(number)


def sums_of(name: str, array: NDArray[Any]) -> list[str]:
    """Return the checksum of each block of an array; each one covers name, type and shape too."""
    begin, content = _begin(name, array), _bytes(array)
    return [_sum(begin, content, number) for number in range(_count(content))]


def sum_of(name: str, arrays: Mapping[str, NDArray[Any]]) -> int:
    """Return one checksum of several arrays."""
    found = zlib.crc32(name.encode())
    for part in sorted(arrays):
        found = zlib.crc32(_bytes(arrays[part]), zlib.crc32(_head(part, arrays[part]), found))
    return found


def sums_json(sums: Sums) -> bytes:
    """Return the content of the checksum file."""
    return adapter(dict[str, list[str]]).dump_json(dict(sums)) + b"\n"


def read_sums(folder: Path) -> Sums:
    """Read the checksum file.

    Raises:
        ValueError: The file is not a checksum file.
    """
    found: Sums = adapter(dict[str, list[str]]).validate_json((folder / FILE_NAME).read_bytes())
    return found


def _head(name: str, array: NDArray[Any]) -> bytes:
    return f"{name} {array.dtype.str} {array.shape}".encode()


def _begin(name: str, array: NDArray[Any]) -> int:
    return zlib.crc32(_head(name, array))


def _bytes(array: NDArray[Any]) -> memoryview:
    flat = np.ascontiguousarray(array).reshape(-1)
    return flat.view(np.uint8).data if flat.size else memoryview(b"")


def _count(content: memoryview) -> int:
    """Return the number of blocks; an empty array has one, so that its type is checked too."""
    return max(1, -(-len(content) // BLOCK))


def _sum(begin: int, content: memoryview, number: int) -> str:
    block = content[number * BLOCK : (number + 1) * BLOCK]
    return f"{zlib.crc32(block, zlib.crc32(b'%d' % number, begin)):08x}"
