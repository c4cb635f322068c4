"""Read the replies of a call store for a bundle, and write a bundle's replies to a new store."""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from remem.bundle.layout import Call
from remem.bundle.portable import without_secrets
from remem.errors import CallStoreError
from remem.llm.call_store import HAS_SUMS, CallStore, Sent
from remem.llm.stored_reply import OUTCOME, REPLY, is_whole, read_reply
from remem.protocols import ChatReply
from remem.types import Usage

OTHERS = ("stage", "latency_seconds", "waited_seconds", "address", "time_utc")


class CallSource:
    """A call store that is opened for reading only."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with _naming(path):
            self._connection = _opened(path)
            self._replied = _replied(self._connection)

    def find(self, key: str) -> Call | None:
        """Return the first stored reply to the call with this key, or None if there is none."""
        sql = f"{self._replied} AND key = ? ORDER BY id LIMIT 1"
        with _naming(self._path):
            row = self._connection.execute(sql, (key,)).fetchone()
        return None if row is None else _call(self._path, *row)

    def close(self) -> None:
        """Close the store's file."""
        self._connection.close()


def stored_calls(path: Path) -> Iterator[Call]:
    """Yield the first reply to every call, sorted by key; yield nothing if there is no store."""
    if not path.is_file():
        return
    with _naming(path), closing(_opened(path)) as connection:
        last = ""
        for row in connection.execute(f"{_replied(connection)} ORDER BY key, id"):
            if row[0] != last:
                yield _call(path, *row)
            last = row[0]


def keep_call(store: CallStore, call: Call) -> None:
    """Write a reply from a bundle to a call store; it is parsed again when it is used."""
    usage = Usage(call.calls, call.prompt_tokens, call.completion_tokens)
    reply = ChatReply(call.text, call.tool_calls, call.truncated, usage)
    at = datetime.fromisoformat(call.time_utc)
    times = (call.latency_seconds, call.waited_seconds)
    store.keep_reply(Sent(call.key, call.stage, "", *times, call.address, at), reply)


def restore_calls(path: Path, calls: Iterable[Call]) -> None:
    """Create a call store at a path and write replies to it."""
    store = CallStore(path)
    for call in calls:
        keep_call(store, call)
    store.close()


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise CallStoreError(f"the call store {path} cannot be read: {error}") from error


def _opened(path: Path) -> sqlite3.Connection:
    if not path.is_file():
        raise FileNotFoundError(
            f"no call store at {path}; run this in the folder where the run was started"
        )
    connection = sqlite3.connect(path, timeout=60, check_same_thread=False)
    connection.execute("PRAGMA query_only = TRUE")
    return connection


def _replied(connection: sqlite3.Connection) -> str:
    """Return the SQL that selects all replies; stores of earlier versions have no checksums."""
    stored_sum = "sum" if connection.execute(HAS_SUMS).fetchone() else "NULL"
    columns = ", ".join((stored_sum, OUTCOME, *OTHERS, *REPLY))
    return f"SELECT key, {columns} FROM calls WHERE outcome != 'error'"


def _call(path: Path, key: str, stored_sum: bytes | None, outcome: bytes, *row: Any) -> Call:
    """Return the call in a row.

    Raises:
        CallStoreError: The row does not match its checksum, or its reply is malformed.
    """
    (stage, latency, waited, address, at), columns = row[: len(OTHERS)], row[len(OTHERS) :]
    if stored_sum is not None and not is_whole(stored_sum, key, outcome, *columns):
        raise CallStoreError(
            f"{path}: the reply to call {key} changed since it was stored (wrong checksum); "
            f"repeat the run that made this call: it sets the reply aside and makes the call again"
        )
    try:
        reply = read_reply(*columns)
    except ValueError as error:
        raise CallStoreError(f"{path}: the reply to call {key}: {error}") from error
    usage, said = reply.usage, (reply.text, reply.tool_calls, reply.truncated)
    counts = (usage.calls, usage.prompt_tokens, usage.completion_tokens)
    return Call(key, stage, *said, *counts, latency, waited, without_secrets(address), at)
