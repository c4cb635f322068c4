"""Write a file atomically."""

import os
import re
import shutil
import time
from pathlib import Path
from uuid import uuid4

from remem.files.disk import writing
from remem.files.live_process import host_name, is_alive


def write_whole(path: Path, content: bytes) -> None:
    """Write a file atomically: readers see the old content or the new content."""
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
    """Return the temporary path at which to write a file or folder before it is renamed."""
    return path.with_name(f"{path.name}.{host_name()}.{uuid4().hex[:12]}.{os.getpid()}.part")


def remove_left_over(folder: Path, name: str | None = None) -> None:
    """Remove parts and bundling folders whose writing processes have ended.

    Args:
        folder: The folder to clean.
        name: The name of the parts to remove; None for all names.
    """
    if not folder.is_dir():
        return
    for path in list(folder.iterdir()):
        found = PARTS.fullmatch(path.name)
        if found is None or (found["part"] and name not in (None, found["name"])):
            continue
        pid = int(found["part"] or found["bundle"] or 0)
        is_ours = found["host"] in (None, host_name())
        if not (is_ours and is_alive(pid)) and _is_untouched(path):
            _remove(path)


def _is_untouched(path: Path) -> bool:
    """Return whether no file of a part was modified within UNTOUCHED_SECONDS."""
    try:
        latest = max(part.lstat().st_mtime for part in (path, *path.rglob("*")))
    except OSError:  # somebody else is removing it
        return False
    return time.time() - latest > UNTOUCHED_SECONDS


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
