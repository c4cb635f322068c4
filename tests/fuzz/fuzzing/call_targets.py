"""What reads the call store: its rows, the bytes of its file, and the vectors next to it."""

import sqlite3
from contextlib import closing
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np
from fuzzing.data_targets import folder, write
from fuzzing.harness import Target
from fuzzing.mutation import SCALARS, changed_bytes, changed_document, changed_text, deep

from remem.errors import CallStoreError
from remem.llm.call_store import CallStore, Sent
from remem.llm.replay import KEY as KEY_COLUMN
from remem.llm.replay import OUTCOME, REPLY, reply_sum
from remem.llm.vector_store import VectorStore, vector_sum
from remem.protocols import ChatReply, NativeCall
from remem.types import Usage

KEY = "k" * 64
REPLIED = ChatReply("Kres", (NativeCall("t", '{"a": 1}'),), truncated=False, usage=Usage(1, 2, 3))
COLUMNS = ("text", "tool_calls", "finish_reason", "calls", "prompt_tokens", "completion_tokens")
OTHERS = ("stage", "outcome", "error", "latency_seconds", "waited_seconds", "time_utc", "request")
CALLS = [{"name": "t", "arguments": '{"a": 1}'}]
DIMENSION = 4
KEYS = ("a" * 64, "b" * 64)
ROWS = np.array([[1, 0, 0, 0], [0, 1, 0, 0]], np.float32)


class Row(NamedTuple):
    """What is changed of a row, and whether its sum is that of the changes."""

    changes: dict[str, object]
    has_right_sum: bool


def _row(rng: Random) -> Row:
    names = rng.sample((*COLUMNS, *OTHERS), rng.choice((1, 1, 1, 2, 3)))
    return Row({name: column_value(rng, name) for name in names}, rng.random() < 0.7)


def column_value(rng: Random, column: str) -> object:
    """Return what SQLite can hold in a column that is not null."""
    if column == "tool_calls" and rng.random() < 0.8:
        return deep(rng).encode() if rng.random() < 0.01 else changed_document(rng, CALLS)
    kind = rng.randrange(4)
    if kind == 0:
        return changed_text(rng, "length").encode("utf-8", "surrogatepass")
    if kind == 1:
        return changed_bytes(rng, b"Kres")
    chosen = rng.choice(SCALARS)
    if isinstance(chosen, str):
        return chosen.encode("utf-8", "surrogatepass")
    held = isinstance(chosen, int | float) and abs(chosen) < 2**63
    return chosen if held else repr(chosen).encode()


@cache
def row_store() -> tuple[CallStore, sqlite3.Connection]:
    """Return a store of one row, and a connection that changes it."""
    path = folder() / "rows" / "calls.sqlite"
    store = CallStore(path)
    return store, sqlite3.connect(path, isolation_level=None)


def read_row(row: Row) -> None:
    """Serve a row that was changed; the store may set it aside or serve what is a reply."""
    store, connection = row_store()
    connection.text_factory = bytes
    connection.execute("DELETE FROM calls")
    store.keep_reply(Sent(KEY, "read", "{}", 0.5), REPLIED)
    for name, value in row.changes.items():
        text = "CAST(? AS TEXT)" if isinstance(value, bytes) and name in COLUMNS else "?"
        connection.execute(f"UPDATE calls SET {name} = {text}", (value,))
    if row.has_right_sum:
        found = connection.execute(f"SELECT {KEY_COLUMN}, {OUTCOME}, {', '.join(REPLY)} FROM calls")
        connection.execute("UPDATE calls SET sum = ?", (reply_sum(*found.fetchone()),))
    _use(store)


def _use(store: CallStore) -> None:
    found = store.received(KEY)
    if found is not None:
        found.reply.text.encode()
        "".join(call.name + call.arguments for call in found.reply.tool_calls)
        assert min((found.reply.usage + Usage()).calls, found.reply.usage.prompt_tokens) >= 0
    assert store.received(KEY) == found
    seconds, last = store.waited_since(0)
    assert isinstance(seconds + 0.5, float) and last >= 0
    for stage, outcome in store.outcomes():
        f"{stage}{outcome}".encode()


@cache
def whole_store() -> bytes:
    """Return the file of a small call store."""
    path = folder() / "whole" / "calls.sqlite"
    store = CallStore(path)
    for key, text in ((KEY, "Kres"), ("l" * 64, "Holm" * 50)):
        store.keep_reply(
            Sent(key, "read", "{}", 0.5), ChatReply(text, (), truncated=False, usage=Usage(1, 2, 3))
        )
    store.close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return path.read_bytes()


def _store_bytes(rng: Random) -> bytes:
    return changed_store(rng, whole_store())


def changed_store(rng: Random, whole: bytes) -> bytes:
    """Return a file of SQLite with bytes changed where something is written, or cut."""
    content = bytearray(whole)
    places = written(whole)
    for _ in range(rng.choice((1, 1, 2, 5))):
        at = rng.choice((*rng.sample(range(200), 4), rng.choice(places), rng.choice(places)))
        content[at] = rng.choice((0, 0xFF, content[at] ^ 1 << rng.randrange(8), rng.randrange(256)))
    return bytes(content[: rng.randrange(len(content))] if rng.random() < 0.03 else content)


@cache
def written(content: bytes) -> tuple[int, ...]:
    """Return where a file is not empty."""
    return tuple(at for at, byte in enumerate(content) if byte)


def read_store(content: bytes) -> None:
    """Open a store, read it and write to it."""
    for ending in ("", "-wal", "-shm"):  # SQLite knows a file by its inode
        (folder() / f"bytes/calls.sqlite{ending}").unlink(missing_ok=True)
    path = write("bytes/calls.sqlite", content)
    store = CallStore(path)
    try:
        _use(store)
        kept = store.keep_reply(Sent("m" * 64, "read", "{}", 0.5), REPLIED)
        assert kept.reply == REPLIED
    finally:
        store.close()


class Vectors(NamedTuple):
    """The bytes of a file of vectors, and what the table says of its rows."""

    content: bytes
    rows: tuple[tuple[str, object, object], ...]


def _vectors(rng: Random) -> Vectors:
    content = ROWS.tobytes()
    if rng.random() < 0.6:
        content = changed_bytes(rng, content, 2)
    listed: list[tuple[str, object, object]] = []
    for at, key in enumerate(KEYS):
        row: object = at if rng.random() < 0.7 else rng.choice((-1, 2, 10**9, 2**62, 0.5, "x", b""))
        given = rng.choice((b"", b"x" * 8, "text", 7, None))
        listed.append(
            (key, row, vector_sum(key, ROWS[at].tobytes()) if rng.random() < 0.8 else given)
        )
    return Vectors(content, tuple(listed))


@cache
def vector_store() -> tuple[VectorStore, sqlite3.Connection, Path]:
    """Return a store of two vectors, a connection that changes its table, and its file."""
    path = folder() / "vectors" / "calls.sqlite"
    store = VectorStore(store=str(path), model="m", dimension=DIMENSION)
    store.put_many(dict(zip(KEYS, ROWS, strict=True)))
    [file] = Path(f"{path}.vectors").glob("*.f32")
    return store, sqlite3.connect(path, isolation_level=None), file


def read_vectors(given: Vectors) -> None:
    """See that a vector comes back as it was stored or not at all, and can be stored again."""
    store, connection, file = vector_store()
    file.write_bytes(given.content)
    connection.execute("DELETE FROM vectors")
    rows = [(file.name, *row) for row in given.rows]
    connection.executemany("INSERT INTO vectors (file, key, row, sum) VALUES (?, ?, ?, ?)", rows)
    _served(store)
    store.put_many(dict(zip(KEYS, ROWS, strict=True)))
    assert set(_served(store)) == set(KEYS)


def _served(store: VectorStore) -> dict[str, Any]:
    found = store.get_many(KEYS)
    for key, vector in found.items():
        assert np.array_equal(vector, ROWS[KEYS.index(key)])
    return found


TARGETS = (
    Target("calls: rows", _row, read_row, (CallStoreError,)),
    Target("calls: files", _store_bytes, read_store, (CallStoreError,)),
    Target("calls: vectors", _vectors, read_vectors, (CallStoreError, ValueError)),
)
