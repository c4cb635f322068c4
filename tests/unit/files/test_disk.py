"""If the disk cannot be written, a run ends and names the file, the free space and what to do."""

import errno
import os
import sqlite3
from pathlib import Path

import pytest

from remem.config.error_messages import file_complaint
from remem.errors import DiskError
from remem.files import disk
from remem.files.disk import (
    append_whole,
    moved_aside,
    size,
    stop_at_disk_error,
    write_whole,
    writing,
)

ADVICE = {
    errno.ENOSPC: r"No space left on device \(.* free on its disk.*\); free space on its disk",
    errno.EDQUOT: r"Disk quota exceeded \(.* free on its disk.*\); free space within your quota",
    errno.EROFS: r"Read-only file system \(.*\); make its disk writable, or choose another folder",
    errno.EFBIG: r"File too large \(.*\); raise the limit on the size of files \(ulimit -f\)",
    errno.EACCES: r"Permission denied \(.*\); make it and its folder writable",
}


def failure(number: int) -> OSError:
    return OSError(number, os.strerror(number))


@pytest.mark.parametrize("number", ADVICE)
def test_what_cannot_be_written_is_named_with_the_room_and_what_to_do(
    tmp_path: Path, number: int
) -> None:
    path = tmp_path / "gone" / "x.json"
    told = f"{path} cannot be written: {ADVICE[number]}.*, then run the same command to continue$"
    with pytest.raises(DiskError, match=told), writing(path):
        raise failure(number)


def test_other_errors_stay_what_they_are(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), writing(tmp_path):
        raise failure(errno.ENOENT)


def test_a_limit_on_files_is_told_as_the_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("resource.getrlimit", lambda _: (20_480, 20_480))
    with pytest.raises(DiskError, match=r"\(no file may exceed 20.5 kB\)"), writing(tmp_path):
        raise failure(errno.EFBIG)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG])
def test_a_disk_behind_the_error_of_a_question_ends_the_run(number: int) -> None:
    with pytest.raises(DiskError, match="a file cannot be written"):
        stop_at_disk_error(caused_by(failure(number)))


def test_a_full_database_of_a_rival_ends_the_run_and_a_damaged_one_is_its_own_error(
    tmp_path: Path,
) -> None:
    full = sqlite3.OperationalError("database or disk is full")
    full.sqlite_errorcode = sqlite3.SQLITE_FULL
    with pytest.raises(DiskError, match="database or disk is full; free space"):
        stop_at_disk_error(caused_by(full))
    stop_at_disk_error(caused_by(sqlite3.DatabaseError("malformed")))
    stop_at_disk_error(caused_by(failure(errno.ECONNRESET)))


def caused_by(cause: Exception) -> Exception:
    error = RuntimeError("no answer")
    error.__cause__ = cause
    return error


def test_half_an_append_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, write = tmp_path / "log", os.write

    def half_then_full(descriptor: int, content: memoryview) -> int:
        if len(content) < 6:
            raise failure(errno.ENOSPC)
        return write(descriptor, content[:4])

    with path.open("ab", buffering=0) as file:
        append_whole(file, b"whole\n")
        monkeypatch.setattr(disk.os, "write", half_then_full)
        with pytest.raises(OSError, match="No space"):
            append_whole(file, b"second\n")
    assert path.read_bytes() == b"whole\n"


def test_a_file_that_is_not_written_whole_leaves_the_earlier_one_and_no_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "table.md"
    write_whole(path, b"earlier")

    def full(self: Path, content: bytes) -> None:
        self.touch()
        raise failure(errno.ENOSPC)

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(DiskError, match=r"table\.md cannot be written: No space left"):
        write_whole(path, b"later")
    assert path.read_text() == "earlier"
    assert list(tmp_path.iterdir()) == [path]


def test_what_only_the_system_complained_of_has_the_advice_too(tmp_path: Path) -> None:
    error = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(tmp_path / "x"))
    assert file_complaint(error).startswith(f"{tmp_path / 'x'} cannot be written: No space left")
    assert "free space on its disk" in file_complaint(failure(errno.ENOSPC))


def test_nothing_is_overwritten_by_what_is_moved_aside(tmp_path: Path) -> None:
    for content in ("first", "second"):
        (tmp_path / "x").write_text(content)
        moved_aside(tmp_path / "x")
    assert (tmp_path / "x.set-aside").read_text() == "first"
    assert (tmp_path / "x.set-aside1").read_text() == "second"


@pytest.mark.parametrize(
    ("count", "shown"),
    [(999, "999 bytes"), (1000, "1.0 kB"), (2_340_000, "2.3 MB"), (5 * 10**15, "5000.0 TB")],
)
def test_a_size_has_a_unit(count: int, shown: str) -> None:
    assert size(count) == shown
