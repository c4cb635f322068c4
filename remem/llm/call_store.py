"""Every call to a model in one SQLite file: what was sent, what came back, what became of it.

Errors, truncated and rejected replies are kept too; only a call whose outcome is "ok" is an answer.
"""

import json
import sqlite3
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from remem.llm.sqlite_file import CallStoreError, SqliteFile
from remem.protocols import ChatReply, NativeCall
from remem.types import Usage

Outcome = Literal["ok", "rejected", "truncated", "error"]

NOTHING = Usage()

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
  request TEXT NOT NULL -- the longest comes last: what stands before it is read without it
);
CREATE INDEX IF NOT EXISTS calls_by_key ON calls (key);
"""

HAS_ONE_CALL = "SELECT 1 FROM pragma_table_info('calls') WHERE name = 'tool_name'"
"""Stores of earlier versions kept the first tool call alone, in two columns."""
ONE_CALL_AS_LIST = """CASE tool_name WHEN '' THEN '[]' ELSE
  json_array(json_object('name', tool_name, 'arguments', tool_arguments)) END"""
RENEWAL = f"""
BEGIN IMMEDIATE;
UPDATE calls SET tool_name = {ONE_CALL_AS_LIST};
ALTER TABLE calls RENAME COLUMN tool_name TO tool_calls;
ALTER TABLE calls DROP COLUMN tool_arguments;
COMMIT;
"""

INSERT = f"INSERT INTO calls SELECT NULL{', ?' * 15}"
FIRST_RECEIVED = """
SELECT id, outcome, text, tool_calls, finish_reason,
  calls, prompt_tokens, completion_tokens, error
FROM calls WHERE key = ? AND outcome != 'error' ORDER BY id LIMIT 1
"""
WAITED_SINCE = """
SELECT coalesce(sum(seconds), 0.0), coalesce(max(last), ?) FROM (
  SELECT max(latency_seconds + waited_seconds) AS seconds, max(id) AS last
  FROM calls WHERE id > ? GROUP BY CASE stage WHEN 'embed' THEN id ELSE key END
)
"""
"""The rows of one call, malformed replies and all, have each what was waited for all of them."""
UNLESS_RECEIVED = "WHERE NOT EXISTS (SELECT 1 FROM calls WHERE key = ? AND outcome != 'error')"


@dataclass(frozen=True, slots=True)
class Sent:
    """A call that was sent: its key, what it is for, and all of it as canonical JSON.

    `stage` is one of the four, or "embed". The latency is what the endpoint took; what the caller
    waited besides (limiter, earlier tries, pauses) is apart. `at` is when the reply came.
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
    """A reply as the store has it; `error` says why it was rejected."""

    id: int
    outcome: Outcome
    reply: ChatReply
    error: str


class CallStore:
    """The calls of any number of runs; threads and processes may share the file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = SqliteFile(path, SCHEMA, renew)

    def received(self, key: str) -> Received | None:
        """Return the first reply to a call, whatever became of it; errors are no replies."""
        rows = self._file.rows(FIRST_RECEIVED, (key,))
        return _received(rows[0]) if rows else None

    def serve(self, key: str) -> ChatReply | None:
        """Return the reply to a call if it may be used as an answer."""
        found = self.received(key)
        return found.reply if found is not None and found.outcome == "ok" else None

    def keep_reply(self, sent: Sent, reply: ChatReply) -> Received:
        """Commit a reply, before anyone uses it, and return the one to use.

        That is the first one stored: another process may have been faster.
        """
        try:
            return self._keep(sent, _storable_reply(reply))
        except CallStoreError as error:
            raise CallStoreError(
                f"{error}; the reply to call {sent.key} was received and is lost: "
                f"{reply.usage.prompt_tokens} tokens in, {reply.usage.completion_tokens} out"
            ) from error

    def _keep(self, sent: Sent, reply: ChatReply) -> Received:
        outcome: Outcome = "truncated" if reply.truncated else "ok"
        values = _values(sent, outcome, reply, "")
        kept = self._file.write(f"{INSERT} {UNLESS_RECEIVED} RETURNING id", (*values, sent.key))
        if kept:
            return Received(kept[0][0], outcome, reply, "")
        self._file.write(INSERT, values)  # it was paid for
        return _received(self._file.rows(FIRST_RECEIVED, (sent.key,))[0])

    def keep_error(self, sent: Sent, error: str, came: str = "", usage: Usage = NOTHING) -> None:
        """Commit that a call got no reply, and what came instead; it is asked again."""
        reply = ChatReply(_storable(came), (), truncated=False, usage=usage)
        self._file.write(INSERT, _values(sent, "error", reply, _storable(error)))

    def mark(self, received: Received, outcome: Outcome, error: str = "") -> None:
        """Note what became of a reply."""
        self._file.write(
            "UPDATE calls SET outcome = ?, error = ? WHERE id = ?", (outcome, error, received.id)
        )

    def waited_since(self, last: int) -> tuple[float, int]:
        """Return the seconds waited for calls behind the row `last`, and the number of the last."""
        ((seconds, newest),) = self._file.rows(WAITED_SINCE, (last, last))
        return seconds, newest

    def outcomes(self) -> dict[tuple[str, str], int]:
        """Count the calls by stage and by what became of them."""
        rows = self._file.rows("SELECT stage, outcome, count(*) FROM calls GROUP BY 1, 2", ())
        return {(stage, outcome): count for stage, outcome, count in rows}

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def renew(connection: sqlite3.Connection) -> None:
    """Bring the table of an earlier version into today's shape, all of it or nothing."""
    if connection.execute(HAS_ONE_CALL).fetchone():
        connection.executescript(RENEWAL)


def read_tool_calls(text: str) -> tuple[NativeCall, ...]:
    """Read the tool calls of a reply as the store has them."""
    return tuple(NativeCall(call["name"], call["arguments"]) for call in json.loads(text))


def _received(row: tuple[Any, ...]) -> Received:
    """Read a row of FIRST_RECEIVED."""
    at, outcome, text, tool_calls, finish_reason, *counts, error = row
    truncated = finish_reason == "length"
    reply = ChatReply(text, read_tool_calls(tool_calls), truncated, Usage(*counts))
    return Received(at, outcome, reply, error)


def _values(sent: Sent, outcome: Outcome, reply: ChatReply, error: str) -> tuple[object, ...]:
    """Return a row in the order of the table."""
    usage = reply.usage
    return (
        *(sent.key, sent.stage, outcome, reply.text, _tool_calls_json(reply)),
        "" if outcome == "error" else _finish_reason(reply),
        *(usage.calls, usage.prompt_tokens, usage.completion_tokens),
        *(error, sent.latency_seconds, sent.waited_seconds, sent.address),
        *(sent.at.isoformat(timespec="milliseconds"), sent.request),
    )


def _tool_calls_json(reply: ChatReply) -> str:
    calls = [{"name": call.name, "arguments": call.arguments} for call in reply.tool_calls]
    return json.dumps(calls, ensure_ascii=False)


def _finish_reason(reply: ChatReply) -> str:
    """Return why a reply ended, in the words of the OpenAI protocol."""
    if reply.truncated:
        return "length"
    return "tool_calls" if reply.tool_calls else "stop"


def _storable_reply(reply: ChatReply) -> ChatReply:
    return replace(
        reply,
        text=_storable(reply.text),
        tool_calls=tuple(
            NativeCall(_storable(call.name), _storable(call.arguments)) for call in reply.tool_calls
        ),
    )


def _storable(text: str) -> str:
    r"""Replace the lone surrogates that a JSON reply may hold ("\ud83d") and UTF-8 cannot."""
    return text.encode("utf-8", "replace").decode("utf-8")
