"""Handle a disk that is full, read-only or over quota: the run ends with advice to the user.

If a disk error occurs during a question, the question is not recorded as failed.
"""

import errno
import os
import re
import resource
import shutil
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

from remem.errors import DiskError
from remem.files.live_process import host_name, is_alive

ADVICE: Mapping[int, str] = {
    errno.ENOSPC: "free space on its disk",
    errno.EDQUOT: "free space within your quota",
    errno.EROFS: "make its disk writable, or choose another folder (paths.results=...)",
    errno.EFBIG: "raise the limit on the size of files (ulimit -f)",
}
"""Advice for each disk error; any other error may concern only one question."""
NO_PERMISSION = frozenset({errno.EACCES, errno.EPERM})
SQLITE_DISK = frozenset({sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR})
GOES_ON = "then run the same command to continue"
ASIDE = ".set-aside"
UNITS = ("bytes", "kB", "MB", "GB", "TB")


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Convert disk errors in the block to DiskError, which names the file and ends the run.

    Raises:
        DiskError: The disk is full, read-only or over quota, or there is no permission to write.
    """
    try:
        yield
    except OSError as error:
        if error.errno not in ADVICE and error.errno not in NO_PERMISSION:
            raise
        raise DiskError(disk_complaint(path, error)) from error


def stop_at_disk_error(error: BaseException) -> None:
    """Raise DiskError if a question failed because a disk cannot be written."""
    seen: BaseException | None = error
    while seen is not None:
        if _is_of_disk(seen):
            raise DiskError(disk_complaint(None, seen)) from error
        seen = seen.__cause__ or seen.__context__


def disk_complaint(path: Path | None, error: BaseException) -> str:
    """Return a message: which file cannot be written and why, the free space, and what to do.

    Args:
        path: The file to name if the error names none; None if it is unknown.
        error: The exception that was raised.
    """
    named = getattr(error, "filename", None)
    place = Path(os.fsdecode(named)) if isinstance(named, str | bytes) else path
    number = getattr(error, "errno", None) or errno.ENOSPC
    reason = getattr(error, "strerror", None) or str(error)
    advice = ADVICE.get(number, "make it and its folder writable")
    left = f" ({room(place, number)})" if place else ""
    return f"{place or 'a file'} cannot be written: {reason}{left}; {advice}, {GOES_ON}"


def is_full(error: OSError) -> bool:
    """Return whether an error means that the disk is full, read-only or over quota."""
    return error.errno in ADVICE


def room(path: Path, number: int = errno.ENOSPC) -> str:
    """Return a phrase with the free space of a file's disk and the limit on file sizes, if any."""
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
    limited = f", no file may exceed {size(limit)}" if limit != resource.RLIM_INFINITY else ""
    there = next((parent for parent in (path, *path.absolute().parents) if parent.exists()), None)
    if there is None or (limited and number == errno.EFBIG):
        return limited.removeprefix(", ") or "its folder is gone"
    return f"{size(shutil.disk_usage(there).free)} free on its disk{limited}"


def size(count: int) -> str:
    """Format a number of bytes with a unit, such as 1.2 GB."""
    if count < 1000:
        return f"{count} bytes"
    step = min((len(str(count)) - 1) // 3, len(UNITS) - 1)
    return f"{count / 1000**step:.1f} {UNITS[step]}"


def open_to_append(path: Path) -> BinaryIO:
    """Open a file for unbuffered appending; create it if it does not exist.

    Raises:
        ValueError: The path is a pipe, a device, or a link (which may lead out of a folder).
    """
    if path.is_symlink():
        raise ValueError(f"{path} is a link to another file; replace it with the file itself")
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise ValueError(f"{path} is not a regular file; move it away")
    # O_NONBLOCK: to open a pipe must not wait for its reader
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
    return os.fdopen(os.open(path, flags, 0o666), "ab", buffering=0)


def append_whole(file: BinaryIO, content: bytes) -> None:
    """Append to an unbuffered file; if writing fails, restore the previous length of the file."""
    end = os.fstat(file.fileno()).st_size
    try:
        left = memoryview(content)
        while left:
            left = left[os.write(file.fileno(), left) :]
    except OSError:
        with suppress(OSError):
            os.ftruncate(file.fileno(), end)
        raise


def moved_aside(path: Path) -> Path:
    """Rename a damaged file or folder within its parent folder and return the new path."""
    names = (f"{path.name}{ASIDE}{number or ''}" for number in count())
    place = next(free for free in map(path.with_name, names) if not free.exists())
    with writing(path):
        path.rename(place)
    return place


def _is_of_disk(error: BaseException) -> bool:
    if isinstance(error, OSError):
        return is_full(error)
    if isinstance(error, sqlite3.Error):
        return (getattr(error, "sqlite_errorcode", 0) & 0xFF) in SQLITE_DISK
    return False


def write_whole(path: Path, content: bytes) -> None:
    """Write a file atomically: readers see either the old content or the new content."""
    remove_left_over(path.parent, path.name)
    part = part_of(path)
    with writing(path):
        try:
            part.write_bytes(content)
            part.replace(path)
        except OSError:
            part.unlink(missing_ok=True)
            raise


PID = r"[1-9]\d{0,8}"
TOKEN = r"[0-9a-f]{12}"
PARTS = re.compile(
    rf"(?P<name>.*?)(\.(?P<host>[\w-]+)\.{TOKEN})?\.(?P<part>{PID})\.part"
    rf"|\.bundling-((?P<bundle>{PID})-)?.*",
    re.ASCII,
)
"""Names of unfinished files; earlier versions had no host in them, or no process id."""
UNTOUCHED_SECONDS = 600.0
"""Minimum age of an unfinished file before removal, because its writer may be on another host."""


def part_of(path: Path) -> Path:
    """Return the temporary path to which a file or folder is written before it is renamed."""
    return path.with_name(f"{path.name}.{host_name()}.{uuid4().hex[:12]}.{os.getpid()}.part")


def remove_left_over(folder: Path, name: str | None = None) -> None:
    """Remove unfinished files and temporary bundle folders whose processes have ended.

    Args:
        folder: The folder to clean.
        name: The final name of the unfinished files to remove; None for all names.
    """
    if not folder.is_dir():
        return
    for path in list(folder.iterdir()):
        match = PARTS.fullmatch(path.name)
        if match is None or (match["part"] and name not in (None, match["name"])):
            continue
        pid = int(match["part"] or match["bundle"] or 0)
        is_ours = match["host"] in (None, host_name())
        if not (is_ours and is_alive(pid)) and _is_untouched(path):
            _remove(path)


def _is_untouched(path: Path) -> bool:
    """Return whether nothing in an unfinished file or folder changed within UNTOUCHED_SECONDS."""
    try:
        latest = max(part.lstat().st_mtime for part in (path, *path.rglob("*")))
    except OSError:  # another process is removing it
        return False
    return time.time() - latest > UNTOUCHED_SECONDS


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
