"""A disk that cannot be written: full, read-only, over quota. It ends a run, with what to do.

It says nothing about a question, so it never becomes the error of one.
"""

import errno
import os
import resource
import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import BinaryIO

from remem.protocols import StopRunError

ADVICE: Mapping[int, str] = {
    errno.ENOSPC: "free space on its disk",
    errno.EDQUOT: "free space within your quota",
    errno.EROFS: "make its disk writable, or choose another folder (paths.results=...)",
    errno.EFBIG: "raise the limit on the size of files (ulimit -f)",
}
"""What to do about each error of a disk. Other errors may have to do with a question."""
NO_PERMISSION = frozenset({errno.EACCES, errno.EPERM})
SQLITE_DISK = frozenset({sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR})
GOES_ON = "then run the same command to continue"
ASIDE = ".set-aside"
UNITS = ("bytes", "kB", "MB", "GB", "TB")


class DiskError(StopRunError):
    """A file cannot be written."""


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn an error of the disk into one that names the file and ends the run.

    Raises:
        DiskError: The disk is full, read-only or over quota, or the file must not be written.
    """
    try:
        yield
    except OSError as error:
        if error.errno not in ADVICE and error.errno not in NO_PERMISSION:
            raise
        raise DiskError(disk_complaint(path, error)) from error


def stop_at_disk_error(error: BaseException) -> None:
    """Raise DiskError if a disk that cannot be written is behind the error of a question."""
    seen: BaseException | None = error
    while seen is not None:
        if _is_of_disk(seen):
            raise DiskError(disk_complaint(None, seen)) from error
        seen = seen.__cause__ or seen.__context__


def disk_complaint(path: Path | None, error: BaseException) -> str:
    """Say which file cannot be written, why, how much room there is, and what to do.

    Args:
        path: The file; None where only the error may name it.
        error: What was raised.
    """
    named = getattr(error, "filename", None)
    place = Path(os.fsdecode(named)) if isinstance(named, str | bytes) else path
    number = getattr(error, "errno", None) or errno.ENOSPC
    said = getattr(error, "strerror", None) or str(error)
    advice = ADVICE.get(number, "make it and its folder writable")
    left = f" ({room(place, number)})" if place else ""
    return f"{place or 'a file'} cannot be written: {said}{left}; {advice}, {GOES_ON}"


def is_full(error: OSError) -> bool:
    """Tell whether a disk is full, read-only or over quota."""
    return error.errno in ADVICE


def room(path: Path, number: int = errno.ENOSPC) -> str:
    """Say how much room there is for a file."""
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
    limited = f", no file may exceed {size(limit)}" if limit != resource.RLIM_INFINITY else ""
    there = next((parent for parent in (path, *path.absolute().parents) if parent.exists()), None)
    if there is None or (limited and number == errno.EFBIG):
        return limited.removeprefix(", ") or "its folder is gone"
    return f"{size(shutil.disk_usage(there).free)} free on its disk{limited}"


def size(count: int) -> str:
    """Return a number of bytes with a unit, as 1.2 GB."""
    if count < 1000:
        return f"{count} bytes"
    step = min((len(str(count)) - 1) // 3, len(UNITS) - 1)
    return f"{count / 1000**step:.1f} {UNITS[step]}"


def open_to_append(path: Path) -> BinaryIO:
    """Open a file for appending, without a buffer, new or as it is.

    Raises:
        ValueError: It is a link: a stranger's folder could have one that leads out of it.
    """
    if path.is_symlink():
        raise ValueError(f"{path} is a link to another file; replace it by the file itself")
    return path.open("ab", buffering=0)


def append_whole(file: BinaryIO, content: bytes) -> None:
    """Append to an unbuffered file; where that fails, leave the file as it was."""
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
    """Move a damaged file or folder out of the way, next to where it was, and return where to."""
    names = (f"{path.name}{ASIDE}{number or ''}" for number in count())
    place = next(one for one in map(path.with_name, names) if not one.exists())
    with writing(path):
        path.rename(place)
    return place


def _is_of_disk(error: BaseException) -> bool:
    if isinstance(error, OSError):
        return is_full(error)
    if isinstance(error, sqlite3.Error):
        return (getattr(error, "sqlite_errorcode", 0) & 0xFF) in SQLITE_DISK
    return False
