"""Store all calls to models in one SQLite file: the request, the reply and its outcome.

Errors, truncated and rejected replies are stored too; only replies with outcome "ok" are answers.
"""

import logging
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Any, Literal

from remem.errors import CallStoreError
from remem.llm.replay import (
    KEY,
    OUTCOME,
    REPLY,
    is_whole,
    read_reply,
    reply_columns,
    reply_sum,
)
from remem.llm.sqlite_file import MOVE_AWAY, SqliteFile
from remem.protocols import ChatReply, NativeCall
from remem.types import Usage

log = logging.getLogger(__name__)

Outcome = Literal["ok", "rejected", "truncated", "error"]

NOTHING = Usage()
RECEIVED: Mapping[bytes, Outcome] = {
    b"ok": "ok",
    b"rejected": "rejected",
    b"truncated": "truncated",
}
"""The possible outcomes of a reply, as stored in the table."""

SCHEMA = """
CREATE TABLE IF NOT EXISTS calls (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL,
  stage TEXT NOT NULL,
  outcome TEXT NOT NULL,
  text TEXT NOT NULL,
  tool_calls TEXT NOT NULL,
  finish_reason TEXT NOT NULL,
  calls INTEGER NOT NULL,
  prompt_tokens INTEGER NOT NULL,
  completion_tokens INTEGER NOT NULL,
  error TEXT NOT NULL,
  latency_seconds REAL NOT NULL,
  waited_seconds REAL NOT NULL,
  address TEXT NOT NULL,
  time_utc TEXT NOT NULL,
  sum BLOB,
  model TEXT NOT NULL DEFAULT '',
  remarks TEXT NOT NULL DEFAULT '',
  request TEXT NOT NULL -- the longest comes last: what stands before it is read without it
);
CREATE INDEX IF NOT EXISTS calls_by_key ON calls (key);
"""

HAS_COLUMN = "SELECT 1 FROM pragma_table_info('calls') WHERE name = ?"
"""Detects stores of earlier versions, which lack `sum`, or `model` and `remarks`."""
ADD_REMARKS = """
BEGIN IMMEDIATE;
ALTER TABLE calls ADD COLUMN model TEXT NOT NULL DEFAULT '';
ALTER TABLE calls ADD COLUMN remarks TEXT NOT NULL DEFAULT '';
COMMIT;
"""
ADD_SUMS = f"""
BEGIN IMMEDIATE;
ALTER TABLE calls ADD COLUMN sum BLOB;
UPDATE calls SET sum = reply_sum({KEY}, {OUTCOME}, {", ".join(REPLY)});
COMMIT;
"""

INSERT = f"""
INSERT INTO calls (
  key, stage, outcome, text, tool_calls, finish_reason, calls, prompt_tokens, completion_tokens,
  model, remarks, error, latency_seconds, waited_seconds, address, time_utc, sum, request
) SELECT ?{", ?" * 17}
"""
FIRST_RECEIVED = f"""
SELECT id, CAST(error AS BLOB), CAST(address AS BLOB), sum, {OUTCOME}, {", ".join(REPLY)}
FROM calls WHERE key = ? AND outcome != 'error' ORDER BY id LIMIT 1
"""
ROW = f"SELECT sum, {KEY}, {OUTCOME}, {', '.join(REPLY)} FROM calls WHERE id = ?"
SET_ASIDE = "UPDATE calls SET outcome = 'error', error = ? WHERE id = ?"
ALTERED = "set aside: the row is not as it was stored"
WAITED_SINCE = """
SELECT coalesce(sum(seconds), 0.0), coalesce(max(last), ?) FROM (
  SELECT max(latency_seconds + waited_seconds) AS seconds, max(id) AS last
  FROM calls WHERE id > ? GROUP BY CASE stage WHEN 'embed' THEN id ELSE key END
)
"""
"""The waits since a row; all rows of one call, also of malformed replies, have the same wait."""
UNLESS_RECEIVED = "WHERE NOT EXISTS (SELECT 1 FROM calls WHERE key = ? AND outcome != 'error')"


@dataclass(frozen=True, slots=True)
class Sent:
    """A call that was sent: its key, its stage and its request as canonical JSON.

    `stage` is one of the four stages, or "embed". `latency_seconds` covers only the successful try.
    `waited_seconds` is the rest of the time that the caller waited (limiter, earlier tries,
    pauses). `at` is the time of the reply.
    """

    key: str
    stage: str
    request: str
    latency_seconds: float
    waited_seconds: float = 0.0
    address: str = ""
    at: datetime = field(default_factory=lambda: datetime.now(UTC))


@dataclass(frozen=True, slots=True)
class Received:
    """A stored reply; `error` says why it was rejected, and `address` which server sent it."""

    id: int
    outcome: Outcome
    reply: ChatReply
    error: str
    address: str = ""


class CallStore:
    """A file of calls; any number of runs, threads and processes may share it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = SqliteFile(path, SCHEMA, _renew)

    def received(self, key: str) -> Received | None:
        """Return the first reply to a call, even if it was rejected; an error is not a reply.

        A row that was altered after it was stored is reported, set aside and never returned.

        Raises:
            CallStoreError: The SQLite file is damaged.
        """
        seen: set[int] = set()
        while rows := self._file.rows(FIRST_RECEIVED, (key,)):
            at, error, address, stored_sum, outcome, *columns = rows[0]
            reply = _whole_reply(columns) if is_whole(stored_sum, key, outcome, *columns) else None
            if outcome in RECEIVED and reply is not None:
                why, server = ((text or b"").decode(errors="replace") for text in (error, address))
                return Received(at, RECEIVED[outcome], reply, why, server)
            if at in seen:
                raise CallStoreError(
                    f"the call store {self.path} is damaged: row {at}, the reply to call {key}, "
                    f"changed since it was stored and cannot be set aside; {MOVE_AWAY}"
                )
            seen.add(at)
            self._set_aside(key, at)
        return None

    def keep_reply(self, sent: Sent, reply: ChatReply) -> Received:
        """Store a reply before it is used, and return the one to use.

        The reply to use is the first stored one, which may be from another process.
        """
        try:
            return self._keep(sent, _storable_reply(reply))
        except CallStoreError as error:
            raise type(error)(
                f"{error}; the reply to call {sent.key} was received but could not be stored: "
                f"{reply.usage.prompt_tokens} tokens in, {reply.usage.completion_tokens} out"
            ) from error

    def _keep(self, sent: Sent, reply: ChatReply) -> Received:
        outcome: Outcome = "truncated" if reply.truncated else "ok"
        values = _row(sent, outcome, reply, "")
        ids = self._file.write(f"{INSERT} {UNLESS_RECEIVED} RETURNING id", (*values, sent.key))
        if ids:
            return Received(ids[0][0], outcome, reply, "", sent.address)
        self._file.write(INSERT, values)  # it was paid for
        first = self.received(sent.key)
        if first is None:
            raise CallStoreError(
                f"the call store {self.path} does not contain what was just written to it"
            )
        return first

    def keep_error(
        self, sent: Sent, error: str, response: str = "", usage: Usage = NOTHING
    ) -> None:
        """Record that a call got no reply, and why; the call will be sent again."""
        reply = ChatReply(_storable(response), (), truncated=False, usage=usage)
        self._file.write(INSERT, _row(sent, "error", reply, _storable(error)))

    def mark(self, received: Received, outcome: Outcome, error: str = "") -> None:
        """Record the outcome of a reply."""
        self._file.write(
            "UPDATE calls SET outcome = ?, error = ? WHERE id = ?", (outcome, error, received.id)
        )

    def _set_aside(self, key: str, row: int) -> None:
        """Set aside a row with a wrong checksum.

        If the row is intact but belongs to another call, rebuild the index of the calls instead.
        """
        rows = self._file.rows(ROW, (row,))
        if rows and rows[0][1] != key.encode() and is_whole(*rows[0]):
            log.warning(
                "%s: the index of this call store was changed; it is built again", self.path
            )
            self._file.write("REINDEX calls_by_key")
            return
        log.warning(
            "%s: row %s, the reply to call %s, changed since it was stored (wrong checksum, or "
            "not a reply); it was set aside, and the call is made again when needed",
            *(self.path, row, key),
        )
        self._file.write(SET_ASIDE, (ALTERED, row))

    def waited_since(self, last: int) -> tuple[float, int]:
        """Return the total wait for the calls after row `last`, and the id of the newest row.

        The wait is in seconds.
        """
        ((seconds, newest),) = self._file.rows(WAITED_SINCE, (last, last))
        return seconds, newest

    def usage(self, stage: str) -> Usage:
        """Return the usage of all stored calls of a stage."""
        (row,) = self._file.rows(
            "SELECT total(calls), total(prompt_tokens), total(completion_tokens) FROM calls "
            "WHERE stage = ?",
            (stage,),
        )
        calls, prompt_tokens, completion_tokens = map(int, row)
        return Usage(calls, prompt_tokens, completion_tokens)

    def outcomes(self) -> dict[tuple[str, str], int]:
        """Return the number of calls for each pair of stage and outcome."""
        rows = self._file.rows("SELECT stage, outcome, count(*) FROM calls GROUP BY 1, 2", ())
        return {(stage, outcome): count for stage, outcome, count in rows}

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class KeyLocks:
    """One lock per key: threads with different keys do not wait for each other."""

    def __init__(self) -> None:
        self._guard = Lock()
        self._locks: dict[str, tuple[Lock, int]] = {}
        """Each lock and the number of threads that hold it or wait for it."""

    @contextmanager
    def locked(self, key: str) -> Iterator[None]:
        """Hold the lock of a key during the block."""
        with self._guard:
            lock, users = self._locks.get(key, (Lock(), 0))
            self._locks[key] = (lock, users + 1)
        try:
            with lock:
                yield
        finally:
            with self._guard:
                users = self._locks[key][1] - 1
                if users:
                    self._locks[key] = (lock, users)
                else:
                    del self._locks[key]


def _renew(connection: sqlite3.Connection) -> None:
    """Add the columns that a store of an earlier version lacks, with checksums of its rows."""
    if not has_column(connection, "model"):
        connection.executescript(ADD_REMARKS)
    if not has_column(connection, "sum"):
        connection.create_function("reply_sum", 2 + len(REPLY), reply_sum, deterministic=True)
        connection.executescript(ADD_SUMS)


def has_column(connection: sqlite3.Connection, name: str) -> bool:
    """Return whether the table of calls has a column; tables of earlier versions have fewer."""
    return connection.execute(HAS_COLUMN, (name,)).fetchone() is not None


def _whole_reply(columns: Sequence[Any]) -> ChatReply | None:
    try:
        return read_reply(*columns)
    except ValueError:
        return None


def _row(sent: Sent, outcome: Outcome, reply: ChatReply, error: str) -> tuple[object, ...]:
    """Return the values of a row in the table's column order."""
    columns = reply_columns(outcome, reply)
    return (
        *(sent.key, sent.stage, outcome, *columns),
        *(error, sent.latency_seconds, sent.waited_seconds, sent.address),
        sent.at.isoformat(timespec="milliseconds"),
        *(reply_sum(sent.key, outcome, *columns), sent.request),
    )


def _storable_reply(reply: ChatReply) -> ChatReply:
    return replace(
        reply,
        text=_storable(reply.text),
        model=_storable(reply.model),
        remarks=tuple(map(_storable, reply.remarks)),
        tool_calls=tuple(
            NativeCall(_storable(call.name), _storable(call.arguments)) for call in reply.tool_calls
        ),
    )


def _storable(text: str) -> str:
    r"""Replace lone surrogates ("\ud83d"), which JSON allows but UTF-8 cannot encode."""
    return text.encode("utf-8", "replace").decode("utf-8")
