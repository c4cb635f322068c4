"""Open files for reading: only regular files, and with limits on what is read and unpacked.

No other module opens files for reading, so these rules apply to the user's files and to untrusted
ones. A pipe could block a run, a device has no end, and files in /proc and /sys reveal the
environment of a process.
"""

import gzip
import hashlib
import os
import zlib
from codecs import BOM_UTF8
from collections.abc import Iterator
from errno import EISDIR
from functools import cache
from io import BufferedReader, BytesIO
from pathlib import Path
from stat import S_ISDIR, S_ISREG

MAX_BYTES = 512 * 2**20
"""Maximum size of a file, packed or unpacked; a larger one is a mistake or an attack."""
LONGEST_LINE = 64 * 2**20
"""Maximum number of bytes of a line of a file that is read line by line."""
ATTEMPTS = 20
"""Maximum attempts to open a file that is replaced in the meantime."""
REFETCH = "fetch the file again"


def opened(path: Path, *, root: Path | None = None) -> BufferedReader:
    """Open a regular file for reading bytes.

    Args:
        path: The file; it may be a link.
        root: An untrusted folder that no link may lead out of; None for a file that the user
            named.

    Raises:
        OSError: The file is missing, is a folder, or cannot be read.
        ValueError: The file is a device, a pipe, in /proc or /sys, or outside of `root`.
    """
    for _ in range(ATTEMPTS):
        # O_NONBLOCK: to open a pipe must not wait for its writer
        number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            _check(path, os.fstat(number), root)
            return os.fdopen(number, "rb")
        except _ReplacedError:  # by a run that goes on, or by somebody who swaps links
            os.close(number)
        except BaseException:
            os.close(number)
            raise
    raise ValueError(f"{path} was replaced {ATTEMPTS} times while it was opened; start again")


class _ReplacedError(Exception):
    """The opened file is not the one at the path."""


def _check(path: Path, status: os.stat_result, root: Path | None) -> None:
    if S_ISDIR(status.st_mode):
        raise IsADirectoryError(EISDIR, "it is a folder, expected a file", str(path))
    if not S_ISREG(status.st_mode) or status.st_dev in _devices_of_the_system():
        raise ValueError(
            f"{path} is a device, a pipe or a file of the operating system; expected a regular file"
        )
    if root is not None:
        check_inside(path, root)
        if not os.path.samestat(status, path.resolve().stat()):
            raise _ReplacedError


def leads_out(path: Path, root: Path) -> bool:
    """Return whether a path leads out of a folder once all links are followed."""
    return not path.resolve().is_relative_to(root.resolve())


def check_inside(path: Path, root: Path) -> None:
    """Raise ValueError if a path leads out of a folder through a link."""
    if leads_out(path, root):
        raise ValueError(
            f"{path} leads out of {root} through a link; replace the link with its target"
        )


@cache
def _devices_of_the_system() -> frozenset[int]:
    """Return the device numbers of the file systems in which the kernel shows its own state."""
    return frozenset(Path(name).stat().st_dev for name in ("/proc", "/sys") if Path(name).is_dir())


def read_file(path: Path, most: int | None = None, *, root: Path | None = None) -> bytes:
    """Return the bytes of a file.

    Args:
        path: The file.
        most: The maximum number of bytes; `MAX_BYTES` by default.
        root: An untrusted folder, as in `opened`.

    Raises:
        OSError: The file is missing, is a folder, or cannot be read.
        ValueError: The file is larger than `most`, not a regular file, or outside of `root`.
    """
    most = MAX_BYTES if most is None else most
    with opened(path, root=root) as file:
        check_size(os.fstat(file.fileno()).st_size, str(path), most)
        content = file.read(most + 1)  # it may grow meanwhile
    check_size(len(content), str(path), most)
    return content


def lines_of(file: BufferedReader, name: str) -> Iterator[bytes]:
    """Yield the lines of a file of any size; raise ValueError if a line is too long."""
    while line := file.readline(LONGEST_LINE + 1):
        check_size(len(line), f"a line of {name}", LONGEST_LINE)
        yield line


def read_text(path: Path, most: int | None = None) -> str:
    """Return the text of a UTF-8 file with unchanged line ends; `most` limits the bytes.

    Raises:
        OSError: The file is missing, is a folder, or cannot be read.
        ValueError: The file is not UTF-8, or `read_file` refuses it.
    """
    content = read_file(path, most).removeprefix(BOM_UTF8)
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ValueError(
            f"{path}:{line} is not UTF-8 text ({error.reason}): save it as UTF-8"
        ) from error


def file_sum(path: Path) -> str:
    """Return the sha256 of a file of any size."""
    with opened(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def gunzip(packed: bytes, name: str, most: int | None = None) -> bytes:
    """Unpack gzip data; raise ValueError if it is damaged or unpacks to more than `most` bytes."""
    most = MAX_BYTES if most is None else most
    try:
        with gzip.open(BytesIO(packed)) as stream:
            content = stream.read(most + 1)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ValueError(f"{name} is not a complete gzip file ({error}): {REFETCH}") from error
    check_size(len(content), name, most)
    return content


def check_size(size: int, name: str, most: int) -> None:
    """Raise ValueError if a file has more than `most` bytes."""
    if size > most:
        raise ValueError(f"{name} has more than {most:,} bytes, the maximum")
