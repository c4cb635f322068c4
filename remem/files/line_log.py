"""An append-only file of JSON lines with checksums: altered lines are reported and set aside.

The checksum is the last field of a line: 16 hex digits, computed from the rest of the line and from
the owner of the file, which is a text such as the fingerprint of a run.
"""

import fcntl
import logging
import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO

from remem.errors import AlteredError, RunInUseError
from remem.files.disk import ASIDE, append_whole, open_to_append, part_of, writing
from remem.files.opened import lines_of, opened, read_file

log = logging.getLogger(__name__)

FIELD = b',"sum":"'
SUM = re.compile(rb',"sum":"[0-9a-f]{16}"\}')
LENGTH = len(FIELD) + 16 + len(b'"}')
ALTERED = "changed since this run wrote it (wrong checksum)"

Fault = Callable[[bytes], str]
"""Returns what is wrong with the content of a line, or ""."""


def summed(content: bytes, owner: str) -> bytes:
    """Append the checksum to a non-empty JSON object as its last field."""
    hasher = blake2b(owner.encode() + b"\n", digest_size=8)
    hasher.update(content)
    return b'%b%b%b"}' % (content[:-1], FIELD, hasher.hexdigest().encode())


def without_sum(line: bytes, owner: str) -> bytes | None:
    """Return a JSON object without its checksum; None if the checksum is wrong or missing."""
    content = line[:-LENGTH] + b"}"
    return content if summed(content, owner) == line else None


def has_sum(line: bytes) -> bool:
    """Return whether a line (without its newline) has a checksum, which may be wrong."""
    return SUM.fullmatch(line[-LENGTH:]) is not None


def has_sums(path: Path) -> bool:
    """Return whether any line of a file has a checksum; files of earlier versions have none."""
    with opened(path, root=path.parent) as file:
        return any(has_sum(line[:-1]) for line in lines_of(file, str(path)))


def read_plain_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the number and content of each line of a file without checksums.

    A missing file has no lines. A last line that is still being written is skipped.
    """
    lines = read_file(path, root=path.parent).splitlines(keepends=True) if path.exists() else []
    for number, line in enumerate(lines, start=1):
        if line.endswith(b"\n"):
            yield number, line


def read_lines(path: Path, owner: str | None) -> Iterator[tuple[int, bytes]]:
    """Yield the number and the content of each line; skip a last line that is still being written.

    Args:
        path: The file.
        owner: The owner of the lines; None for a file of an earlier version, without checksums.

    Raises:
        AlteredError: A line does not match its checksum.
    """
    with opened(path, root=path.parent) as file:
        for number, line in enumerate(lines_of(file, str(path)), start=1):
            whole = line.endswith(b"\n")
            content = line[:-1] if owner is None else without_sum(line[:-1], owner)
            if not whole and (owner is None or content is None):
                return  # another process is writing it right now
            if content is None or not whole:
                raise AlteredError(
                    f"{path}:{number}: the line {ALTERED}; repeat the command that wrote this "
                    f"file: it moves the line to another file and produces the content again"
                )
            yield number, content


class LineLog:
    """A file whose lines have checksums; only one process at a time can open it (`open_log`)."""

    def __init__(self, path: Path, owner: str, file: BinaryIO) -> None:
        self.path = path
        self.owner = owner
        self._file = file

    def append(self, content: bytes) -> None:
        """Append a JSON object as a line; it is on disk when this returns."""
        with writing(self.path):
            append_whole(self._file, summed(content, self.owner) + b"\n")

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield the number and the content of each line."""
        return read_lines(self.path, self.owner)

    def set_aside(self, fault: Fault) -> None:
        """Move faulty lines to a second file in the same folder, and log their number."""
        faulty_lines = [(number, reason) for number, reason in self._faults(fault) if reason]
        if not faulty_lines:
            return
        numbers = {number for number, _ in faulty_lines}
        aside = self.path.with_name(f"{self.path.name}{ASIDE}")
        with writing(aside), open_to_append(aside) as file:
            for number, line in self._raw():
                if number in numbers:
                    append_whole(file, line.removesuffix(b"\n") + b"\n")
        self._replace(self._lines_to_keep(numbers))
        number, reason = faulty_lines[0]
        more = f" (and {len(faulty_lines) - 1} more)" if len(faulty_lines) > 1 else ""
        log.warning(
            "%s: line %s%s %s; moved to %s; missing answers and verdicts are requested again",
            *(self.path, number, more, reason, aside.name),
        )

    def change_owner(self, owner: str, content: Callable[[bytes], bytes | None]) -> None:
        """Assign the file to another owner, and give lines the checksums of this owner.

        Args:
            owner: The new owner.
            content: Returns the new content of a line, given its bytes; None to keep it unchanged.
        """
        held = ((line, content(line.removesuffix(b"\n"))) for _, line in self._raw())
        self._replace(line if of is None else summed(of, owner) + b"\n" for line, of in held)
        self.owner = owner

    def close(self) -> None:
        """Close the file, which releases its lock."""
        self._file.close()

    def _raw(self) -> Iterator[tuple[int, bytes]]:
        with opened(self.path, root=self.path.parent) as file:
            yield from enumerate(lines_of(file, str(self.path)), start=1)

    def _faults(self, fault: Fault) -> Iterator[tuple[int, str]]:
        for number, line in self._raw():
            content = without_sum(line.removesuffix(b"\n"), self.owner)
            yield number, ALTERED if content is None else fault(content)

    def _lines_to_keep(self, set_aside: set[int]) -> Iterator[bytes]:
        """Yield the lines to keep, and the intact parts of the lines that are set aside."""
        for number, line in self._raw():
            if number not in set_aside:
                yield line
            elif without_sum(line.removesuffix(b"\n"), self.owner) is None:
                yield from (piece + b"\n" for piece in _whole_pieces(line, self.owner))

    def _replace(self, lines: Iterable[bytes]) -> None:
        """Replace the file atomically by these lines, and lock the new file."""
        part = part_of(self.path)
        with writing(part):
            file = part.open("wb", buffering=0)
            try:
                fcntl.flock(file, fcntl.LOCK_EX)
                for line in lines:
                    append_whole(file, line)
                os.fsync(file.fileno())
                part.replace(self.path)
            except BaseException:
                file.close()
                part.unlink(missing_ok=True)
                raise
        self._file.close()
        self._file = file


@contextmanager
def open_log(path: Path, owner: str, old: Callable[[bytes], bool] | None) -> Iterator[LineLog]:
    """Open a file for appending; move lines with a wrong checksum to a second file.

    Args:
        path: The file.
        owner: The owner of its lines.
        old: Returns whether a line without a checksum, written by an earlier version of remem, is
            intact. If no line of the file has a checksum, the intact lines get one. Pass None for a
            file that has had checksums in every version.

    Raises:
        RunInUseError: Another process has the file open.
        DiskError: The file cannot be written.
        ValueError: The path is a link.
    """
    with writing(path):
        file = open_to_append(path)
    line_log = LineLog(path, owner, file)
    try:
        _hold(path, file)
        end_last_line(path, owner)
        if old is not None and path.stat().st_size and not has_sums(path):
            line_log.change_owner(owner, lambda line: line if old(line) else None)
            log.warning(
                "%s has no checksums; its lines count as lines of this run, and checksums are "
                "added now",
                path,
            )
        line_log.set_aside(lambda content: "")
        yield line_log
    finally:
        line_log.close()


def end_last_line(path: Path, owner: str | None = None) -> None:
    """Remove an unfinished last line; if only its newline is missing, add the newline."""
    if not path.exists():
        return
    with path.open("r+b", buffering=0) as file:
        length = file.seek(0, os.SEEK_END)
        cut = _last_line(file, length)
        begin, pieces = length - len(cut), _whole_pieces(cut, owner) if owner is not None else []
        if pieces and cut.startswith(pieces[0]):
            begin += len(pieces[0]) + 1
            os.pwrite(file.fileno(), b"\n", begin - 1)
        if cut:
            os.ftruncate(file.fileno(), begin)


def _last_line(file: BinaryIO, length: int, step: int = 1 << 16) -> bytes:
    """Return the bytes after the last newline."""
    read = min(step, length)
    file.seek(length - read)
    content = file.read(read)
    line_end = content.rfind(b"\n")
    if line_end >= 0 or read == length:
        return content[line_end + 1 :]
    return _last_line(file, length, step * 16)


def is_held(path: Path) -> bool:
    """Return whether a process has a log open for writing; the log is not changed."""
    with opened(path, root=path.parent) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def _hold(path: Path, file: BinaryIO) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise RunInUseError(f"{path.parent} is being written by another process") from error
    if os.fstat(file.fileno()).st_ino != path.stat().st_ino:  # it has just been replaced
        raise RunInUseError(f"{path.parent} is being written by another process")


def _whole_pieces(line: bytes, owner: str) -> list[bytes]:
    """Split a line whose newlines were altered, and return the intact lines in it."""
    pieces, starts = [], [0]
    for match in SUM.finditer(line):
        for start in {starts[0], starts[-1]}:
            piece = line[start : match.end()]
            if without_sum(piece, owner) is not None:
                pieces.append(piece)
                starts = []
                break
        starts.append(match.end() + 1)
    return pieces
