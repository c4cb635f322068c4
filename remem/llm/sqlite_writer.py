"""A thread that writes an SQLite file for all other threads and groups their commits.

With hundreds of threads, one commit per call would be slow. A thread still continues only after
its reply is committed.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any

Rows = list[tuple[Any, ...]]


class _Write:
    """A statement with its tuples of values, which one thread waits for."""

    __slots__ = ("done", "error", "many", "rows", "sql")

    def __init__(self, sql: str, many: Sequence[Sequence[object]]) -> None:
        self.sql = sql
        self.many = many
        self.rows: Rows = []
        self.error: Exception | None = None
        self.done = Lock()
        self.done.acquire()


class SqliteWriter:
    """The writing thread; it owns the connection.

    After an SQLite error it stops writing, since later writes would fail as well.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._writes: SimpleQueue[_Write | None] = SimpleQueue()
        self.broken: sqlite3.Error | None = None
        self._thread = Thread(target=self._work, name="sqlite-writer", daemon=True)
        self._thread.start()

    def write(self, sql: str, many: Sequence[Sequence[object]]) -> Rows:
        """Execute a statement for each tuple of values in one transaction; return the last rows."""
        write = _Write(sql, many)
        self._writes.put(write)
        write.done.acquire()
        if write.error is not None:
            raise write.error
        return write.rows

    def end(self) -> None:
        """Have the connection closed after the pending writes, and return at once."""
        self._writes.put(None)

    def join(self) -> None:
        """Wait until the connection is closed."""
        self._thread.join()

    def _work(self) -> None:
        while (write := self._writes.get()) is not None:
            gathered = [write, *self._gathered()]
            error = self.broken or self._commit(gathered)
            if isinstance(error, sqlite3.Error):
                self.broken = error
            for entry in gathered:
                entry.error = error
                entry.done.release()
        self._connection.close()

    def _gathered(self) -> Iterator[_Write]:
        with suppress(Empty):
            while (write := self._writes.get_nowait()) is not None:
                yield write
            self._writes.put(None)

    def _commit(self, writes: Sequence[_Write]) -> Exception | None:
        """Execute all writes in one commit, or none; return the error, if any."""
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            for write in writes:
                for values in write.many:
                    write.rows = self._connection.execute(write.sql, values).fetchall()
            self._connection.execute("COMMIT")
        except Exception as error:  # noqa: BLE001  (the threads that wait for it raise it)
            if self._connection.in_transaction:
                self._connection.rollback()
            return error
        return None
