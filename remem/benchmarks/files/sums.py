"""Compare data files with their checksums, pinned or recorded at the first download."""

import hashlib
import re
from pathlib import Path
from typing import Literal

from remem.benchmarks.files.notes import UNPINNED, read_sums
from remem.benchmarks.json_files import find_file, read_bytes
from remem.files.whole_file import write_whole

Verdict = Literal["pinned", "unpinned", "differs", "excerpt", "absent"]

EXCERPT = re.compile(r"excerpt[0-9]*_")
"""The beginning of the name of a file that is a part of a published file."""

LOCAL_RECORD = "SHA256SUMS.local"
"""File next to the data with the checksums of unpinned files at their first download."""


def judge_file(data: Path, dataset: str, file: str, pinned: str) -> Verdict:
    """Compare a file, plain or gzipped, with its pinned checksum, else with the recorded one."""
    try:
        find_file(data, dataset, file)
    except FileNotFoundError:
        return "absent"
    expected = expected_sum(data, dataset, file, pinned)
    if expected is not None and expected not in content_sums(data, dataset, file):
        return "differs"
    if EXCERPT.match(file):
        return "excerpt"
    return "unpinned" if pinned == UNPINNED else "pinned"


def expected_sum(data: Path, dataset: str, file: str, pinned: str) -> str | None:
    """Return the pinned checksum, else the recorded one, else None."""
    return recorded_sums(data / dataset).get(file) if pinned == UNPINNED else pinned


def content_sums(data: Path, dataset: str, file: str) -> tuple[str, str]:
    """Return the sha256 of a file, unpacked and as stored; they differ if it is gzipped."""
    content, source = read_bytes(data, dataset, file)
    return hashlib.sha256(content).hexdigest(), source.sha256


def recorded_sums(folder: Path) -> dict[str, str]:
    """Return the checksums recorded in a data folder, by file name."""
    path = folder / LOCAL_RECORD
    return read_sums(path) if path.exists() else {}


def record_sum(folder: Path, file: str, sha256: str) -> None:
    """Record the checksum of an unpinned file; an existing record is never replaced."""
    sums = {file: sha256} | recorded_sums(folder)
    lines = "".join(f"{sums[name]}  {name}\n" for name in sorted(sums))
    write_whole(folder / LOCAL_RECORD, lines.encode())
