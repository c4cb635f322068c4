"""An SQLite file that threads and processes use at once: WAL, grouped commits, clear errors.

Committed data survives a kill of the process, but not a power failure (synchronous = NORMAL).
"""

import fcntl
import sqlite3
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue

from remem.files.disk import GOES_ON, SQLITE_DISK, DiskError, room, writing
from remem.llm.sqlite_writer import Rows, SqliteWriter
from remem.protocols import StopRunError

BUSY_SECONDS = 60.0
READERS = 4
MOVE_AWAY = "move it away with its -wal and -shm files (the model is then asked again)"


class CallStoreError(StopRunError):
    """The store is damaged, locked or full, so new replies would be paid for but not stored."""


class FullStoreError(CallStoreError, DiskError):
    """The disk of the store is full."""


class SqliteFile:
    """An SQLite file with several reading connections and one writing connection.

    Args:
        path: The file; it is created if missing.
        schema: The statements that create missing tables.
        renew: Migrates tables of earlier versions to the schema.
    """

    def __init__(
        self,
        path: Path,
        schema: str,
        renew: Callable[[sqlite3.Connection], None] | None = None,
    ) -> None:
        self.path = path
        with writing(path.parent):
            path.parent.mkdir(parents=True, exist_ok=True)
        # Enabling WAL does not wait for other processes that open the file at the same time.
        with file_lock(path.with_name(f"{path.name}.lock")), self._naming_the_file():
            connection = connected(path)
            try:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = NORMAL")
                connection.executescript(schema)
                if renew is not None:
                    renew(connection)
            except BaseException:
                connection.close()
                raise
            self._readers: SimpleQueue[sqlite3.Connection] = SimpleQueue()
            for _ in range(READERS):
                self._readers.put(connected(path))
        self._writer = SqliteWriter(connection)
        self._end = weakref.finalize(self, _end, self._writer, self._readers)

    def rows(self, sql: str, values: Sequence[object] = ()) -> Rows:
        """Execute one reading statement and return its rows."""
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
        """Close the file; the last one to close merges the WAL into it."""
        self._end()
        self._writer.join()

    def _refuse_if_over(self) -> None:
        if not self._end.alive:
            raise sqlite3.ProgrammingError("it is closed")
        if self._writer.broken is not None:  # before anything is paid for that cannot be kept
            raise self._writer.broken

    @contextmanager
    def _naming_the_file(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as error:  # SQLite may quote a damaged schema
            full = _code(error) in SQLITE_DISK
            raise (FullStoreError if full else CallStoreError)(
                f"the call store {self.path} cannot be used: {error}; "
                f"{advice(error, self.path, 'llm.build.store', MOVE_AWAY)}"
            ) from error


@contextmanager
def file_lock(path: Path) -> Iterator[None]:
    """Hold a file lock, which excludes other threads and other processes."""
    with writing(path):
        file = path.open("ab")
    with file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def connected(path: Path) -> sqlite3.Connection:
    """Return a connection that any thread may use and that commits each statement."""
    return sqlite3.connect(
        path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )


def _end(writer: SqliteWriter, readers: "SimpleQueue[sqlite3.Connection]") -> None:
    for _ in range(READERS):
        readers.get().close()
    writer.end()


def advice(error: Exception, path: Path, setting: str, if_damaged: str) -> str:
    """Return advice for an SQLite error.

    Args:
        error: The error.
        path: The file.
        setting: The setting that names the file.
        if_damaged: What to do with a damaged file.
    """
    code = _code(error)
    if code in SQLITE_DISK:
        return f"free space on its disk ({room(path)}), {GOES_ON}"
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return "another process is using it; run the same command again when that has ended"
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return f"make it and its folder writable, or choose another file with {setting}"
    return f"if it is damaged, {if_damaged}"


def _code(error: Exception) -> int:
    return int(getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)) & 0xFF
