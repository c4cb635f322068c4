"""Fuzz the reader of the vectors next to a call store, and corrupt call stores."""

import sqlite3
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np
from fuzzing.data_targets import folder
from fuzzing.harness import Target
from fuzzing.mutation import SCALARS, changed_bytes, changed_document, changed_text

from remem.errors import CallStoreError
from remem.llm.vector_store import VectorStore, vector_sum

COLUMNS = ("text", "tool_calls", "finish_reason", "calls", "prompt_tokens", "completion_tokens")
OTHERS = ("stage", "outcome", "error", "latency_seconds", "waited_seconds", "time_utc", "request")
CALLS = [{"name": "t", "arguments": '{"a": 1}'}]
DIMENSION = 4
KEYS = ("a" * 64, "b" * 64)
ROWS = np.array([[1, 0, 0, 0], [0, 1, 0, 0]], np.float32)


def column_value(rng: Random, column: str) -> object:
    """Return a value that SQLite can hold in a column that is not null."""
    if column == "tool_calls" and rng.random() < 0.8:
        return changed_document(rng, CALLS)
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


def changed_store(rng: Random, whole: bytes) -> bytes:
    """Return an SQLite file with changed bytes, mostly in places that are in use, or truncated."""
    content = bytearray(whole)
    places = written(whole)
    for _ in range(rng.choice((1, 1, 2, 5))):
        at = rng.choice((*rng.sample(range(200), 4), rng.choice(places), rng.choice(places)))
        content[at] = rng.choice((0, 0xFF, content[at] ^ 1 << rng.randrange(8), rng.randrange(256)))
    return bytes(content[: rng.randrange(len(content))] if rng.random() < 0.03 else content)


@cache
def written(content: bytes) -> tuple[int, ...]:
    """Return the positions of all bytes of a file that are not zero."""
    return tuple(at for at, byte in enumerate(content) if byte)


class Vectors(NamedTuple):
    """The bytes of a file of vectors, and the rows of the table that describes it."""

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
    """Return a store of two vectors, a connection to its table, and its file of vectors."""
    path = folder() / "vectors" / "calls.sqlite"
    store = VectorStore(store=str(path), model="m", dimension=DIMENSION)
    store.put_many(dict(zip(KEYS, ROWS, strict=True)))
    [file] = Path(f"{path}.vectors").glob("*.f32")
    return store, sqlite3.connect(path, isolation_level=None), file


def read_vectors(given: Vectors) -> None:
    """Check that a vector comes back unchanged or not at all, and can be stored again."""
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


TARGETS = (Target("calls: vectors", _vectors, read_vectors, (CallStoreError, ValueError)),)
