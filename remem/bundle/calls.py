"""The replies of a call store as a bundle has them, out of its file and into a new one."""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

from remem.bundle.layout import Call
from remem.bundle.portable import without_secrets
from remem.llm.call_store import (
    HAS_ONE_CALL,
    ONE_CALL_AS_LIST,
    CallStore,
    Sent,
    read_tool_calls,
)
from remem.protocols import ChatReply
from remem.types import Usage

COLUMNS = (
    "finish_reason = 'length', calls, prompt_tokens, completion_tokens, latency_seconds, "
    "waited_seconds, address, time_utc"
)


class CallSource:
    """A call store that is read and never written."""

    def __init__(self, path: Path) -> None:
        self._connection = _opened(path)
        self._replied = _replied(self._connection)

    def find(self, key: str) -> Call | None:
        """Return the first reply to a call, as the store serves it."""
        rows = self._connection.execute(f"{self._replied} AND key = ? ORDER BY id LIMIT 1", (key,))
        found = rows.fetchone()
        return None if found is None else _call(found)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


def stored_calls(path: Path) -> Iterator[Call]:
    """Yield the first reply to every call, by key; none if there is no store."""
    if not path.is_file():
        return
    with closing(_opened(path)) as connection:
        last = ""
        for row in connection.execute(f"{_replied(connection)} ORDER BY key, id"):
            if row[0] != last:
                yield _call(row)
            last = row[0]


def keep_call(store: CallStore, call: Call) -> None:
    """Write a reply into a store; what becomes of it there is for the parsers to say again."""
    usage = Usage(call.calls, call.prompt_tokens, call.completion_tokens)
    reply = ChatReply(call.text, call.tool_calls, call.truncated, usage)
    at = datetime.fromisoformat(call.time_utc)
    times = (call.latency_seconds, call.waited_seconds)
    store.keep_reply(Sent(call.key, call.stage, "", *times, call.address, at), reply)


def restore_calls(path: Path, calls: Iterable[Call]) -> None:
    """Make a call store of replies."""
    store = CallStore(path)
    for call in calls:
        keep_call(store, call)
    store.close()


def _opened(path: Path) -> sqlite3.Connection:
    if not path.is_file():
        raise FileNotFoundError(
            f"{path}: no call store; start from the folder in which the run was started"
        )
    connection = sqlite3.connect(path, timeout=60, check_same_thread=False)
    connection.execute("PRAGMA query_only = TRUE")
    return connection


def _replied(connection: sqlite3.Connection) -> str:
    """Return the statement that reads all replies; a store of an earlier version stays as it is."""
    is_old = connection.execute(HAS_ONE_CALL).fetchone()
    tool_calls = ONE_CALL_AS_LIST if is_old else "tool_calls"
    return f"SELECT key, stage, text, {tool_calls}, {COLUMNS} FROM calls WHERE outcome != 'error'"


def _call(row: tuple[Any, ...]) -> Call:
    key, stage, text, tools, truncated, calls, read, written, latency, waited, *sent = row
    said = (text, read_tool_calls(tools), bool(truncated))
    address, at = sent
    times = (latency, waited)
    return Call(key, stage, *said, calls, read, written, *times, without_secrets(address), at)
