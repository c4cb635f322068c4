"""Read a bundle from an untrusted source, without extracting its entries to files.

Names, types, sizes and checksums are checked before anything is used. The size of each JSON line or
document is limited, and pydantic's parser limits the depth of nesting.
"""

import hashlib
import struct
import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from stat import S_ISLNK
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from pydantic import ValidationError

from remem.bundle.layout import FORMAT, INDEX, NAME, Index
from remem.errors import VerificationFailedError
from remem.files.adapters import parsed
from remem.files.opened import opened

MOST_ENTRIES = 20_000
MOST_BYTES = 64 * 2**30
MOST_LINES = 5_000_000
LARGEST_DOCUMENT = 16 * 2**20
LARGEST_LINE = 16 * 2**20
LARGEST_RATIO = 200
"""The largest accepted ratio of unpacked to packed bytes; `SLACK` bytes are allowed on top."""
SLACK = 32 * 2**20
PART = 2**20
ENCRYPTED = 0x1
DAMAGES = (
    *(BadZipFile, zlib.error, EOFError, struct.error),
    *(NotImplementedError, KeyError, OverflowError, OSError, UnicodeDecodeError),
)
"""The exceptions that zipfile raises for damaged archives."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """An open bundle whose list of entries has been checked."""

    path: Path
    index: Index
    _archive: ZipFile

    def check_sums(self) -> None:
        """Read every entry and compare its sha256 and size with the index.

        Raises:
            VerificationFailedError: An entry differs.
        """
        for entry in self.index.entries:
            total, size = hashlib.sha256(), 0
            for part in self.parts(entry.name):
                total.update(part)
                size += len(part)
            if (total.hexdigest(), size) != (entry.sha256, entry.bytes):
                raise self._damaged(entry.name, "its sha256 or size differs from the index")

    def has(self, name: str) -> bool:
        """Return whether the bundle has an entry of this name."""
        return name in self._archive.NameToInfo

    def parts(self, name: str, size: int = PART) -> Iterator[bytes]:
        """Yield the bytes of an entry in parts of `size` bytes; the last one may be shorter."""
        with self._opened(name) as file:
            while part := file.read(size):
                yield part

    def document(self, name: str) -> bytes:
        """Return the content of an entry of up to `LARGEST_DOCUMENT` bytes.

        Raises:
            VerificationFailedError: The entry is larger.
        """
        with self._opened(name) as file:
            content = file.read(LARGEST_DOCUMENT + 1)
        if len(content) > LARGEST_DOCUMENT:
            raise self._damaged(name, f"it has more than {LARGEST_DOCUMENT} bytes")
        return content

    def value(self, name: str, kind: Any) -> Any:
        """Return the content of a small JSON entry, validated as type `kind`.

        Raises:
            VerificationFailedError: The entry is too large or not of this type.
        """
        return self._parsed(name, kind, self.document(name))

    def lines(self, name: str, kind: Any) -> Iterator[Any]:
        """Yield the JSON lines of an entry, each validated as type `kind`.

        Raises:
            VerificationFailedError: A line is too long or not of this type, or there are too many
            lines.
        """
        with self._opened(name) as file:
            for number in range(1, MOST_LINES + 2):
                line = file.readline(LARGEST_LINE)
                if not line:
                    return
                if number > MOST_LINES:
                    raise self._damaged(name, f"it has more than {MOST_LINES:,} lines")
                if not line.endswith(b"\n"):
                    long = len(line) == LARGEST_LINE
                    fault = f"longer than {LARGEST_LINE:,} bytes" if long else "incomplete"
                    raise self._damaged(name, f"line {number} is {fault}")
                yield self._parsed(f"{name}:{number}", kind, line)

    def _parsed(self, where: str, kind: Any, content: bytes) -> Any:
        try:
            return parsed(kind, content)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(map(str, first["loc"]))
            raise self._damaged(where, f"{place or 'it'}: {first['msg']}") from None

    def _damaged(self, name: str, what: str) -> VerificationFailedError:
        return VerificationFailedError(f"{self.path}: {name}: {what}; get a new copy of the bundle")

    @contextmanager
    def _opened(self, name: str) -> Iterator[IO[bytes]]:
        with _naming(f"{self.path}: {name}"), self._archive.open(name) as file:
            yield file


@contextmanager
def open_bundle(path: Path) -> Iterator[Bundle]:
    """Open a bundle and check the list of its entries, without reading the entries.

    Raises:
        VerificationFailedError: The file is not a bundle, is damaged, or would unpack to too many
            bytes.
    """
    with ExitStack() as stack:
        file = stack.enter_context(opened(path))
        with _naming(str(path)):
            archive = stack.enter_context(ZipFile(file))
        _check_members(path, archive.infolist())
        if INDEX not in archive.NameToInfo:
            raise VerificationFailedError(
                f"{path} is not a bundle: it has no {INDEX}, the list of its entries; get a new "
                f"copy of the bundle, or pack the runs again: remem bundle pack <run> --out <file>"
            )
        bundle = Bundle(path, _unread(), archive)
        bundle = replace(bundle, index=bundle.value(INDEX, Index))
        _check_listed(bundle, archive.infolist())
        yield bundle


def _unread() -> Index:
    """Return a placeholder for an index that has not been read yet."""
    return Index(FORMAT, "", "", False, (), 1, (), ())


def _check_members(path: Path, members: Sequence[ZipInfo]) -> None:
    """Refuse entries that a bundle never has: odd names or types, duplicates, and huge sizes.

    Raises:
        VerificationFailedError: An entry is refused.
    """
    if len(members) > MOST_ENTRIES:
        raise VerificationFailedError(f"{path} has {len(members)} entries, too many for a bundle")
    if sum(member.file_size for member in members) > min(
        MOST_BYTES, LARGEST_RATIO * path.stat().st_size + SLACK
    ):
        raise VerificationFailedError(
            f"{path} would unpack to far more bytes than it has, so the bundle is not read"
        )
    if len({member.filename for member in members}) < len(members):
        raise VerificationFailedError(
            f"{path} has two entries of the same name, so the bundle is not read"
        )
    for member in members:
        if not NAME.fullmatch(member.filename) or member.filename != member.orig_filename:
            raise VerificationFailedError(
                f"{path} has an entry with an invalid name, {member.filename[:200]!r}, so the "
                f"bundle is not read"
            )
        plain = not S_ISLNK(member.external_attr >> 16) and not member.flag_bits & ENCRYPTED
        if not plain or member.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
            raise VerificationFailedError(
                f"{path}: {member.filename} is a link, encrypted or packed in an unsupported way, "
                f"so the bundle is not read"
            )


def _check_listed(bundle: Bundle, members: Sequence[ZipInfo]) -> None:
    there = sorted(
        (member.filename, member.file_size) for member in members if member.filename != INDEX
    )
    listed = sorted((entry.name, entry.bytes) for entry in bundle.index.entries)
    if there != listed or len({name for name, _ in listed}) < len(listed):
        raise VerificationFailedError(
            f"{bundle.path}: the index of the bundle does not match the entries in the bundle; "
            f"get a new copy of the bundle"
        )


@contextmanager
def _naming(what: str) -> Iterator[None]:
    """Turn the exceptions of damaged archives into errors that name the file."""
    try:
        yield
    except DAMAGES as error:
        raise VerificationFailedError(
            f"{what} is damaged ({error}); get a new copy of the bundle"
        ) from error
