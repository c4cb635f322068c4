"""Write a bundle as a zip: hash each entry while it is written, and end with an index.

The same content gives the same bytes: the archive contains no time stamps and no local paths.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from pydantic import TypeAdapter

from remem.bundle.layout import INDEX, NAME, Entry, Index
from remem.files.opened import opened

EARLIEST = (1980, 1, 1, 0, 0, 0)
"""The date of every entry: the earliest that the zip format can store."""


class BundleWriter:
    """Writes the entries of a bundle in order, and its index last."""

    def __init__(self, archive: ZipFile) -> None:
        self._archive = archive
        self._entries: list[Entry] = []

    @contextmanager
    def stream(self, name: str, *, compressed: bool = True) -> Iterator[Callable[[bytes], None]]:
        """Open a new entry and yield the function that writes bytes to it.

        Args:
            name: The name of the entry.
            compressed: Whether to deflate the entry; False for vectors.

        Raises:
            ValueError: An entry of a bundle may not have this name.
        """
        if not NAME.fullmatch(name):
            raise ValueError(
                f"{name!r} cannot be the name of an entry of a bundle; expected a plain name"
            )
        total, size = hashlib.sha256(), 0
        with self._archive.open(_info(name, compressed), "w", force_zip64=True) as file:

            def write(part: bytes) -> None:
                nonlocal size
                total.update(part)
                size += len(part)
                file.write(part)

            yield write
        self._entries.append(Entry(name, total.hexdigest(), size))

    def lines(self, name: str, kind: Any, values: Iterable[object]) -> None:
        """Write an entry with one line of JSON for each value of type `kind`."""
        adapter: TypeAdapter[Any] = TypeAdapter(kind)
        with self.stream(name) as write:
            for value in values:
                write(adapter.dump_json(value) + b"\n")

    def document(self, name: str, content: bytes) -> None:
        """Write an entry with this content."""
        with self.stream(name) as write:
            write(content)

    def close(self, index: Index) -> Index:
        """Add the written entries to the index, write it as the last entry, and return it."""
        listed = replace(index, entries=tuple(self._entries))
        self.document(INDEX, TypeAdapter(Index).dump_json(listed, indent=1) + b"\n")
        self._archive.comment = PLACE
        return listed


def _info(name: str, compressed: bool) -> ZipInfo:
    info = ZipInfo(name, EARLIEST)
    info.compress_type = ZIP_DEFLATED if compressed else ZIP_STORED
    info.create_system = 3
    info.external_attr = 0o644 << 16
    return info


SEAL_BYTES = 64
PART = 2**20
PLACE = b"0" * SEAL_BYTES
"""The placeholder for the seal while the zip is written."""


def write_seal(path: Path) -> None:
    """Replace the placeholder at the end of a file with its seal, the sha256 of the rest."""
    with path.open("r+b") as file:
        file.seek(-SEAL_BYTES, 2)
        end = file.tell()
        file.seek(0)
        total = _sum(file.read, end)
        file.seek(end)
        file.write(total)


def is_sealed(path: Path) -> bool:
    """Return whether a file ends with the sha256 of all bytes before it."""
    end = path.stat().st_size - SEAL_BYTES
    with opened(path) as file:
        return end > 0 and _sum(file.read, end) == file.read()


def _sum(read: Callable[[int], bytes], count: int) -> bytes:
    total = hashlib.sha256()
    while count and (part := read(min(count, PART))):
        total.update(part)
        count -= len(part)
    return total.hexdigest().encode()
