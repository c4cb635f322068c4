"""An SQLite file with problems: a full disk, another's lock, no permission, closing."""

import gc
import os
import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from remem.errors import CallStoreError, FullStoreError
from remem.llm import sqlite_file
from remem.llm.sqlite_file import SqliteFile

INSERT = "INSERT INTO notes VALUES (?)"
SCHEMA = "CREATE TABLE IF NOT EXISTS notes (text TEXT UNIQUE);"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "notes.sqlite"


@pytest.fixture
def file(path: Path) -> Iterator[SqliteFile]:
    file = SqliteFile(path, SCHEMA)
    yield file
    file.close()


def texts(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return [text for (text,) in connection.execute("SELECT text FROM notes ORDER BY text")]


def fill_the_disk(file: SqliteFile) -> None:
    pages = file.write("PRAGMA page_count")[0][0]
    file.write(f"PRAGMA max_page_count = {pages}")


def test_many_values_are_written_all_or_none(file: SqliteFile, path: Path) -> None:
    file.write_many(INSERT, [("a",), ("b",)])
    with pytest.raises(CallStoreError, match="UNIQUE"):
        file.write_many(INSERT, [("c",), ("a",)])
    assert texts(path) == ["a", "b"]


def test_what_threads_write_together_is_committed_when_each_goes_on(
    file: SqliteFile, path: Path
) -> None:
    together = threading.Barrier(16)

    def write(name: int) -> bool:
        together.wait(timeout=30)
        file.write(INSERT, (f"{name:02}",))
        return f"{name:02}" in texts(path)

    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(write, range(16))) == [True] * 16


def test_a_full_disk_is_told_and_nothing_is_sent_to_it_any_more(
    file: SqliteFile, path: Path
) -> None:
    file.write(INSERT, ("kept",))
    fill_the_disk(file)
    with pytest.raises(CallStoreError, match=r"notes\.sqlite cannot be used: .*full; free space"):
        file.write(INSERT, ("x" * 100_000,))
    for use in (lambda: file.write(INSERT, ("y",)), lambda: file.rows("SELECT 1")):
        with pytest.raises(CallStoreError, match="free space"):
            use()
    assert texts(path) == ["kept"]


def test_a_lock_that_another_process_does_not_give_up_is_told(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_file, "BUSY_SECONDS", 0.01)
    file = SqliteFile(path, "CREATE TABLE notes (text TEXT);")
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(CallStoreError, match="locked; another process is using it"):
            file.write(INSERT, ("a",))
        other.rollback()
    file.close()


def test_what_sqlite_cannot_take_does_not_end_the_file(file: SqliteFile, path: Path) -> None:
    with pytest.raises(OverflowError):
        file.write(INSERT, (2**64,))
    file.write(INSERT, ("a",))
    assert texts(path) == ["a"]


def test_a_closed_file_says_so(file: SqliteFile) -> None:
    file.close()
    for use in (lambda: file.rows("SELECT 1"), lambda: file.write(INSERT, ("a",))):
        with pytest.raises(CallStoreError, match="it is closed"):
            use()


def test_a_file_that_nobody_holds_any_more_is_merged_and_ends_its_thread(path: Path) -> None:
    file = SqliteFile(path, "CREATE TABLE notes (text TEXT);")
    file.write(INSERT, ("a",))
    writer = file._writer
    assert len(list(path.parent.glob("*-*"))) == 2
    del file
    gc.collect()
    assert not writer.thread.is_alive()
    assert list(path.parent.glob("*-*")) == []


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.unlink(),
        lambda path: path.rename(path.with_name("elsewhere")),
        lambda path: shutil.rmtree(path.parent),
        lambda path: (path.unlink(), path.touch()),  # another file takes its place
    ],
)
def test_a_file_that_vanishes_in_use_is_named_and_no_free_space_is_asked_for(
    file: SqliteFile, path: Path, damage: Callable[[Path], object]
) -> None:
    file.write(INSERT, ("a",))
    damage(path)
    for use in (
        lambda: file.rows("SELECT text FROM notes"),
        lambda: file.write(INSERT, ("b",)),
    ):
        with pytest.raises(CallStoreError, match=r"removed or replaced while in") as raised:
            use()
        assert not isinstance(raised.value, FullStoreError) and str(path) in str(raised.value)


def test_what_was_written_and_is_cut_off_is_no_full_disk(file: SqliteFile, path: Path) -> None:
    file.write(INSERT, ("a",))
    os.truncate(path.with_name(f"{path.name}-wal"), 0)
    with pytest.raises(CallStoreError, match=r"if it is damaged, move it away") as raised:
        file.rows("SELECT text FROM notes")
    assert not isinstance(raised.value, FullStoreError)


@pytest.mark.parametrize(
    ("kind", "make"),
    [
        ("a pipe", os.mkfifo),
        ("a folder", Path.mkdir),
        ("a device", lambda path: path.symlink_to("/dev/null")),
        ("a link to nothing", lambda path: path.symlink_to("no/folder")),
        ("a link to itself", lambda path: path.symlink_to(path)),
    ],
)
@pytest.mark.parametrize("name", ["x.sqlite", "x.sqlite.lock"])
def test_a_path_that_holds_no_file_is_refused_by_its_name(
    tmp_path: Path, kind: str, make: Callable[[Path], object], name: str
) -> None:
    make(tmp_path / name)
    with pytest.raises(CallStoreError, match=rf"{name} is {kind}.*llm\.build\.store"):
        SqliteFile(tmp_path / "x.sqlite", SCHEMA)


def test_a_link_to_a_file_or_to_nothing_in_a_folder_holds_one(tmp_path: Path) -> None:
    (tmp_path / "x.sqlite").symlink_to("there")
    for _ in range(2):
        SqliteFile(tmp_path / "x.sqlite", SCHEMA).close()
    assert (tmp_path / "there").stat().st_size > 0
