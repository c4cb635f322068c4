"""The seal of a bundle: the sha256 of all its bytes, which are followed by it as the zip's comment.

The sums of the index cover what the entries hold; the seal covers the rest of the file too, so that
no changed bit goes unnoticed.
"""

import hashlib
from collections.abc import Callable
from pathlib import Path

SEAL_BYTES = 64
PART = 2**20
PLACE = b"0" * SEAL_BYTES
"""Keeps the seal's place in the zip while that is written."""


def write_seal(path: Path) -> None:
    """Seal a file that ends with the place for it."""
    with path.open("r+b") as file:
        file.seek(-SEAL_BYTES, 2)
        end = file.tell()
        file.seek(0)
        total = _sum(file.read, end)
        file.seek(end)
        file.write(total)


def is_sealed(path: Path) -> bool:
    """Tell whether all bytes of a file are those that were sealed."""
    end = path.stat().st_size - SEAL_BYTES
    with path.open("rb") as file:
        return end > 0 and _sum(file.read, end) == file.read()


def _sum(read: Callable[[int], bytes], count: int) -> bytes:
    total = hashlib.sha256()
    while count and (part := read(min(count, PART))):
        total.update(part)
        count -= len(part)
    return total.hexdigest().encode()
