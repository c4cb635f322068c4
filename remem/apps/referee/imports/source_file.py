"""Read a file to import: limit its size, unpack it, and state the checksum of the file on disk."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from remem.files.json_text import parse_json
from remem.files.opened import gunzip, read_file
from remem.protocols import DataFile

MAX_BYTES = 256 * 2**20
"""Maximum size of a file, packed or unpacked."""
MOST_ANSWERS = 200_000
"""Maximum number of answers in a file."""
FIX = "fix it there, or export the file again"
GZIP = b"\x1f\x8b"


@dataclass(frozen=True)
class SourceFile:
    """A file of published answers, unpacked."""

    path: Path
    content: bytes
    data: DataFile

    @staticmethod
    def read(path: Path) -> "SourceFile":
        """Read a file, unpacked if it is gzipped.

        Raises:
            FileNotFoundError: There is no such file.
            ValueError: The file has more than 256 MiB, packed or unpacked.
        """
        if not path.exists() or path.is_dir():
            raise FileNotFoundError(
                f"no file of answers at {str(path)!r} (relative to {Path.cwd()}); name a file, not "
                f"a folder"
            )
        packed = read_file(path, MAX_BYTES)
        unpacked = gunzip(packed, str(path), MAX_BYTES) if packed.startswith(GZIP) else packed
        return SourceFile(path, unpacked, DataFile(path.name, hashlib.sha256(packed).hexdigest()))

    @property
    def stem(self) -> str:
        """Return the name of the file without its suffixes."""
        return self.path.name.removesuffix(".gz").removesuffix(self.ending)

    @property
    def ending(self) -> str:
        """Return the suffix of the name in lower case, without .gz."""
        return self.path.with_name(self.path.name.lower().removesuffix(".gz")).suffix

    @cached_property
    def document(self) -> Any:
        """Return the content as JSON.

        Raises:
            ValueError: The content is not one JSON value.
        """
        return parse_json(self.content, str(self.path), FIX)

    @property
    def is_json(self) -> bool:
        """Return whether the content is one JSON list or object, judging by its start."""
        start = self.content.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
        return self.ending not in (".jsonl", ".csv", ".tsv") and start in (b"{", b"[")

    def lines(self) -> Iterator[tuple[Any, str]]:
        """Yield each value of a JSON Lines file with its place.

        Raises:
            ValueError: A line is not JSON.
        """
        for number, line in enumerate(self.content.splitlines(), start=1):
            if line.strip():
                place = f"{self.path}:{number}"
                yield parse_json(line, place, "fix the line or remove it"), place

    def text(self) -> str:
        """Return the content as text.

        Raises:
            ValueError: The content is not UTF-8.
        """
        try:
            return self.content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise ValueError(
                f"{self.path} is not UTF-8 text ({error.reason} at byte {error.start}): save it as "
                f"UTF-8"
            ) from error
