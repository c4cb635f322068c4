"""Seal a bundle: store the sha256 of all other bytes of the file as the zip's comment at its end.

The checksums of the index cover only the content of entries; the seal also covers the rest of the
file, so any changed bit is detected.
"""

import hashlib
from collections.abc import Callable
from pathlib import Path

SEAL_BYTES = 64
PART = 2**20
PLACE = b"0" * SEAL_BYTES
"""The placeholder for the seal while the zip is written."""


def write_seal(path: Path) -> None:
    """Replace the placeholder at the end of a file with its seal."""
    with path.open("r+b") as file:
        file.seek(-SEAL_BYTES, 2)
        end = file.tell()
        file.seek(0)
        total = _sum(file.read, end)
        file.seek(end)
        file.write(total)


def is_sealed(path: Path) -> bool:
    """Return whether the bytes of a file match its seal."""
    end = path.stat().st_size - SEAL_BYTES
    with path.open("rb") as file:
        return end > 0 and _sum(file.read, end) == file.read()


def _sum(read: Callable[[int], bytes], count: int) -> bytes:
    total = hashlib.sha256()
    while count and (part := read(min(count, PART))):
        total.update(part)
        count -= len(part)
    return total.hexdigest().encode()
