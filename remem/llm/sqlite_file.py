"""An SQLite file for many threads and processes, with WAL, grouped commits and clear errors.

Committed data survive if the process is killed; a power failure may lose the newest data
(synchronous = NORMAL).
"""

import errno
import fcntl
import os
import sqlite3
import stat
import weakref
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread, current_thread
from typing import Any, NamedTuple

from remem.errors import CallStoreError, FullStoreError
from remem.files.disk import GOES_ON, SQLITE_DISK, room, writing

BUSY_SECONDS = 60.0
CLOSE_SECONDS = 5.0
"""How long the end of a program waits for a writer that itself may wait for another process."""
READERS = 4
MOVE_AWAY = "move it away with its -wal and -shm files (the model is then asked again)"

GONE = (
    "it, or its -wal or -shm file, was removed or replaced while in use; put it back, or run the "
    "same command again, which makes the missing calls again"
)
KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
"""Names of things that are not files, by their type in the file system."""

Rows = list[tuple[Any, ...]]
Renewal = Callable[[sqlite3.Connection], object]
"""Migrates tables of earlier versions."""


class SqliteFile:
    """An SQLite file with several reading connections and one writing connection.

    Args:
        path: The file; it is created if missing.
        schema: The statements that create missing tables.
        renew: Migrates tables of earlier versions to the schema.
    """

    def __init__(self, path: Path, schema: str, renew: Renewal = lambda _: None) -> None:
        self.path = path
        for file in (path, lock_of(path)):
            if kind := kind_of_no_file(file):
                raise CallStoreError(
                    f"{file} is {kind}, expected a file for the call store; choose another path "
                    f"with llm.build.store"
                )
        with writing(path.parent):
            path.parent.mkdir(parents=True, exist_ok=True)
        with self._naming_the_file():
            connection = create_file(path, schema, renew)
            self._readers: SimpleQueue[sqlite3.Connection] = SimpleQueue()
            for _ in range(READERS):
                self._readers.put(connect(path))
            self._identity = _identity(path)
        self._writer = _Writer(connection)
        self._end = weakref.finalize(self, _end, self._writer, self._readers)

    def rows(self, sql: str, values: Sequence[object] = ()) -> Rows:
        """Execute a statement that only reads, and return its rows."""
        with self._naming_the_file():
            self._refuse_if_over()
            reader = self._readers.get()
            try:
                return reader.execute(sql, values).fetchall()
            finally:
                self._readers.put(reader)

    def write(self, sql: str, values: Sequence[object] = ()) -> Rows:
        """Execute one statement, commit it, and return its rows."""
        with self._naming_the_file():
            self._refuse_if_over()
            return self._writer.write(sql, (values,))

    def write_many(self, sql: str, many: Sequence[Sequence[object]]) -> None:
        """Execute a statement for each tuple of values in one transaction."""
        with self._naming_the_file():
            self._refuse_if_over()
            self._writer.write(sql, many)

    def close(self) -> None:
        """Close the file; the last connection to close merges the WAL into it."""
        self._end()
        self._writer.thread.join()

    def _refuse_if_over(self) -> None:
        if not self._end.alive:
            raise sqlite3.ProgrammingError("it is closed")
        if self._writer.broken is not None:  # before paying for anything that cannot be stored
            raise self._writer.broken
        if _identity(self.path) != self._identity:  # SQLite would write to the removed file
            raise CallStoreError(f"the call store {self.path} cannot be used: {GONE}")

    @contextmanager
    def _naming_the_file(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as error:  # SQLite may quote a damaged schema
            full = is_full(error, self.path)
            raise (FullStoreError if full else CallStoreError)(
                f"the call store {self.path} cannot be used: {error}; "
                f"{advice(error, self.path, 'llm.build.store', MOVE_AWAY)}"
            ) from error


class _Write(NamedTuple):
    """A statement with its tuples of values, and the rows that one thread waits for."""

    sql: str
    many: Sequence[Sequence[object]]
    rows: Future[Rows]


class _Writer:
    """The thread that writes for all others and groups their commits; it owns the connection.

    With hundreds of threads, one commit per call would be slow. A thread still continues only after
    its reply is committed. After an SQLite error nothing more is written, as it would fail as well.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._writes: SimpleQueue[_Write | None] = SimpleQueue()
        self.broken: sqlite3.Error | None = None
        self.thread = Thread(target=self._work, name="sqlite-writer", daemon=True)
        self.thread.start()

    def write(self, sql: str, many: Sequence[Sequence[object]]) -> Rows:
        """Execute a statement for each tuple of values in one transaction.

        Return the rows of the last execution.
        """
        write = _Write(sql, many, Future())
        self._writes.put(write)
        return write.rows.result()

    def end(self) -> None:
        """Ask the thread to close the connection after the pending writes; do not wait for it."""
        self._writes.put(None)

    def _work(self) -> None:
        while (write := self._writes.get()) is not None:
            writes = [write, *self._waiting()]
            try:
                results = self._commit(writes)
            except Exception as error:  # noqa: BLE001  (the threads that wait for it raise it)
                if isinstance(error, sqlite3.Error):
                    self.broken = error
                for write in writes:
                    write.rows.set_exception(error)
            else:
                for write, rows in zip(writes, results, strict=True):
                    write.rows.set_result(rows)
        self._connection.close()

    def _waiting(self) -> Iterator[_Write]:
        with suppress(Empty):
            while (write := self._writes.get_nowait()) is not None:
                yield write
            self._writes.put(None)

    def _commit(self, writes: Sequence[_Write]) -> list[Rows]:
        """Execute all writes in one commit, or none."""
        if self.broken is not None:
            raise self.broken
        with transaction(self._connection) as connection:
            results: list[Rows] = []
            for write in writes:
                rows: Rows = []
                for values in write.many:
                    rows = connection.execute(write.sql, values).fetchall()
                results.append(rows)
        return results


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """Commit all statements of the block, or none of them if the block raises an error."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # some errors have already ended it
            connection.rollback()
        raise


@contextmanager
def file_lock(path: Path) -> Iterator[None]:
    """Hold a file lock, which excludes other threads and other processes."""
    with writing(path):
        file = path.open("ab")
    with file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def create_file(path: Path, schema: str, renew: Renewal = lambda _: None) -> sqlite3.Connection:
    """Open a file, create its missing tables, set it to WAL mode, and return the connection."""
    # Enabling WAL does not wait for other processes that open the file at the same time.
    with file_lock(lock_of(path)):
        connection = connect(path)
        try:
            connection.executescript(schema)  # before WAL, so that its pragmas are in the file
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            renew(connection)
        except BaseException:
            connection.close()
            raise
        return connection


def lock_of(path: Path) -> Path:
    """Return the path of the file that is locked while an SQLite file is opened."""
    return path.with_name(f"{path.name}.lock")


def kind_of_no_file(path: Path) -> str:
    """Return what is at a path instead of a file, such as "a pipe"; "" for a file or nothing."""
    try:
        return KINDS.get(stat.S_IFMT(path.stat().st_mode), "")
    except FileNotFoundError:
        folder = Path(os.path.realpath(path)).parent
        return "a link to nothing" if path.is_symlink() and not folder.is_dir() else ""
    except OSError as error:
        return "a link to itself" if error.errno == errno.ELOOP else ""


def _identity(path: Path) -> tuple[int, int] | None:
    """Return what identifies the file at a path; None if there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def connect(path: Path) -> sqlite3.Connection:
    """Return a connection that any thread may use and that commits each statement."""
    return sqlite3.connect(
        path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )


def _end(writer: _Writer, readers: "SimpleQueue[sqlite3.Connection]") -> None:
    for _ in range(READERS):
        readers.get().close()
    writer.end()
    if writer.thread is not current_thread():  # whichever thread drops the last reference ends it
        writer.thread.join(CLOSE_SECONDS)


def advice(error: Exception, path: Path, setting: str, if_damaged: str) -> str:
    """Return what the user should do about an SQLite error.

    Args:
        error: The error.
        path: The file.
        setting: The setting that contains the path of the file.
        if_damaged: What the user should do with a damaged file.
    """
    code = _code(error)
    if _is_gone(error, path):
        return GONE
    if is_full(error, path):
        return f"free space on its disk ({room(path)}), {GOES_ON}"
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return "another process is using it; run the same command again when that has ended"
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return f"make it and its folder writable, or choose another file with {setting}"
    return f"if it is damaged, {if_damaged}"


def is_full(error: Exception, path: Path) -> bool:
    """Return whether the disk, not a truncated or missing file, caused an SQLite error."""
    is_cut = getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_IOERR_SHORT_READ
    return _code(error) in SQLITE_DISK and not is_cut and not _is_gone(error, path)


def _is_gone(error: Exception, path: Path) -> bool:
    """Return whether a file or its unmerged WAL does not exist."""
    files = (path, path.with_name(f"{path.name}-wal"))
    return _code(error) == sqlite3.SQLITE_IOERR and not all(file.exists() for file in files)


def _code(error: Exception) -> int:
    return int(getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)) & 0xFF
