"""Read replies and vectors from stores in order to pack them, and write packed ones to stores."""

import hashlib
import os
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from remem.bundle.archive import BundleWriter
from remem.bundle.layout import Call, PackedVectors, VectorRow
from remem.bundle.portable import without_secrets
from remem.bundle.reading import Bundle
from remem.embed.cached import Role, content_key
from remem.errors import CallStoreError, VectorMissError, VerificationFailedError
from remem.llm.call_store import CallStore, Sent, has_column
from remem.llm.replay import ADDED_COLUMNS, OUTCOME, REPLY, is_whole, read_reply
from remem.llm.vector_store import VectorStore
from remem.protocols import ChatReply, QueryTarget, Vectors
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
    """Write a reply from a bundle to a call store; the reply is parsed only when it is used."""
    usage = Usage(call.calls, call.prompt_tokens, call.completion_tokens)
    reply = ChatReply(call.text, call.tool_calls, call.truncated, usage, call.model, call.remarks)
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
            f"no call store at {path}; start this command in the folder where the run was started"
        )
    # To read a file in WAL mode, SQLite writes next to it, which a read-only folder does not allow.
    is_open = path.with_name(f"{path.name}-wal").exists()
    mode = "rw" if is_open or os.access(path.parent, os.W_OK) else "ro&immutable=1"
    address = f"{path.absolute().as_uri()}?mode={mode}"
    connection = sqlite3.connect(address, timeout=60, check_same_thread=False, uri=True)
    connection.execute("PRAGMA query_only = TRUE")
    return connection


def _replied(connection: sqlite3.Connection) -> str:
    """Return the SQL that selects all replies; stores of earlier versions lack some columns."""
    stored_sum = "sum" if has_column(connection, "sum") else "NULL"
    added = REPLY[-ADDED_COLUMNS:] if has_column(connection, "model") else ("x''",) * ADDED_COLUMNS
    columns = ", ".join((stored_sum, OUTCOME, *OTHERS, *REPLY[:-ADDED_COLUMNS], *added))
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
    usage, content = reply.usage, (reply.text, reply.tool_calls, reply.truncated)
    counts = (usage.calls, usage.prompt_tokens, usage.completion_tokens)
    sent = (latency, waited, without_secrets(address), at)
    return Call(key, stage, *content, *counts, *sent, reply.model, reply.remarks)


AT_ONCE = 500
"""Vectors read at a time; each is briefly in memory twice."""


class Readable(Protocol):
    """A source of vectors that are looked up by key."""

    def get_many(self, keys: Sequence[str]) -> Mapping[str, NDArray[np.float32]]:
        """Return the vectors of the keys that are found."""


class VectorsByKey:
    """An embedder whose vectors are looked up by the keys of texts."""

    def __init__(self, identity: str, dimension: int, vectors: Readable) -> None:
        self._identity = identity
        self._dimension = dimension
        self._vectors = vectors

    @property
    def dimension(self) -> int:
        """Return the length of a vector."""
        return self._dimension

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return one vector for each document."""
        return self._embed(texts, "document", "")

    def embed_queries(self, texts: Sequence[str], target: QueryTarget) -> Vectors:
        """Return one vector for each query."""
        return self._embed(texts, "query", target)

    def _embed(self, texts: Sequence[str], role: Role, target: str) -> Vectors:
        keys = [content_key(self._identity, role, target, text) for text in texts]
        return read_vectors(self._vectors, keys, self._dimension)


class StoredVectors(VectorsByKey):
    """An embedder that serves stored vectors.

    Args:
        identity: The identity of the original embedder, as JSON; part of every key.
        model: The name under which the store has the embedder's vectors.
        dimension: The length of a vector.
        store: The SQLite file of the store; the vectors are in files next to it.
    """

    def __init__(self, *, identity: str, model: str, dimension: int, store: str) -> None:
        if not Path(store).is_file():
            raise FileNotFoundError(f"no vector store at {store}; unpack the bundle first")
        vectors = VectorStore(store=store, model=model, dimension=dimension)
        super().__init__(identity, dimension, vectors)


def read_vectors(vectors: Readable, keys: Sequence[str], dimension: int) -> Vectors:
    """Return an array of shape (len(keys), dimension) with one vector for each key.

    Raises:
        VectorMissError: A key has no vector.
    """
    rows = np.empty((len(keys), dimension), np.float32)
    for begin in range(0, len(keys), AT_ONCE):
        part = keys[begin : begin + AT_ONCE]
        stored = vectors.get_many(list(dict.fromkeys(part)))
        for at, key in enumerate(part, start=begin):
            if key not in stored:
                raise VectorMissError(
                    f"the store has no vector for text {at + 1} of {len(keys)} (key {key})"
                )
            rows[at] = stored[key]
    return rows


LITTLE_ENDIAN = np.dtype("<f4")


def vector_entries(number: int) -> tuple[str, str]:
    """Return the entry names of a vector table's rows and keys; tables are counted from 1."""
    return f"vectors/{number}.f32", f"vectors/{number}.jsonl"


def write_vectors(writer: BundleWriter, number: int, table: PackedVectors, store: Path) -> None:
    """Write the vectors of one embedder to a bundle, sorted by key."""
    rows, keys = vector_entries(number)
    row_of: dict[str, int] = {}
    listed: list[VectorRow] = []
    with writer.stream(rows, compressed=False) as write:
        for key, vector in _stored(table, store):
            content = vector.astype(LITTLE_ENDIAN).tobytes()
            total = hashlib.sha256(content).hexdigest()
            if total not in row_of:
                row_of[total] = len(row_of)
                write(content)
            listed.append(VectorRow(key, row_of[total], total))
    writer.lines(keys, VectorRow, listed)


def restore_vectors(bundle: Bundle, number: int, table: PackedVectors, path: Path) -> int:
    """Copy the vectors of one embedder from a bundle to a store; return how many there are.

    Raises:
        VerificationFailedError: A row does not match its checksum, or is missing.
    """
    store = VectorStore(store=str(path), model=table.model, dimension=table.dimension)
    vectors, count = packed_vectors(bundle, number, table), 0
    while part := dict(islice(vectors, AT_ONCE)):
        store.put_many(part)
        count += len(part)
    store.close()
    return count


def packed_vectors(
    bundle: Bundle, number: int, table: PackedVectors
) -> Iterator[tuple[str, Vectors]]:
    """Yield the key and vector of each line, after checking the vector against its checksum.

    Raises:
        VerificationFailedError: A row does not match its checksum, or is missing.
    """
    rows, keys = vector_entries(number)
    keys_of: defaultdict[int, list[VectorRow]] = defaultdict(list)
    for line in bundle.lines(keys, VectorRow):
        keys_of[line.row].append(line)
    for row, vector in enumerate(_rows(bundle, rows, table.dimension)):
        total = hashlib.sha256(vector.tobytes()).hexdigest()
        for line in keys_of.pop(row, ()):
            if line.sha256 != total:
                raise VerificationFailedError(
                    f"{bundle.path}: {rows}: row {row} is not the vector of {line.key}"
                )
            yield line.key, vector
    if keys_of:
        raise VerificationFailedError(f"{bundle.path}: {rows} has no row {min(keys_of)}")


def _rows(bundle: Bundle, name: str, dimension: int) -> Iterator[Vectors]:
    size = dimension * LITTLE_ENDIAN.itemsize
    for content in bundle.parts(name, size):
        if len(content) != size:
            raise VerificationFailedError(f"{bundle.path}: {name} ends in the middle of a row")
        yield np.frombuffer(content, LITTLE_ENDIAN)


def _stored(table: PackedVectors, path: Path) -> Iterator[tuple[str, Vectors]]:
    store = VectorStore(store=str(path), model=table.model, dimension=table.dimension)
    keys = _keys(table, path)
    for begin in range(0, len(keys), AT_ONCE):
        part = keys[begin : begin + AT_ONCE]
        stored = store.get_many(part)
        yield from ((key, stored[key]) for key in part)
    store.close()


def _keys(table: PackedVectors, path: Path) -> Sequence[str]:
    """Return the sorted keys of the vectors that a store has for the model of a table."""
    ours = f"{table.model}-%-{table.dimension}.f32"
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT key FROM vectors WHERE file LIKE ? ORDER BY key", (ours,))
        return [key for (key,) in rows]
