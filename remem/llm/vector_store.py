"""Store embeddings next to the calls: vectors in separate files, requests as calls.

Vectors are in an append-only float32 file per model and dimension. A table in the SQLite file of
the calls maps the hash of an input to a row. Rows are written before the table lists them, so a
killed process leaves at worst rows that are not listed.
"""

import json
import logging
import os
import re
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b, sha256
from pathlib import Path

import numpy as np

from remem.files.disk import append_whole, open_to_append, writing
from remem.files.opened import opened
from remem.llm.call_store import CallStore, Sent
from remem.llm.sqlite_file import SqliteFile, file_lock
from remem.protocols import ChatReply, Vectors
from remem.types import UNCOUNTED, Usage

log = logging.getLogger(__name__)

SCHEMA = """
CREATE TABLE IF NOT EXISTS vectors (
  file TEXT NOT NULL,
  key TEXT NOT NULL,
  row INTEGER NOT NULL,
  sum BLOB,
  PRIMARY KEY (file, key)
) WITHOUT ROWID;
"""

HAS_SUMS = "SELECT 1 FROM pragma_table_info('vectors') WHERE name = 'sum'"
"""Detects tables of earlier versions, which have no checksums."""
ADD_SUMS = """
BEGIN IMMEDIATE;
ALTER TABLE vectors ADD COLUMN sum BLOB;
UPDATE vectors SET sum = stored_sum(file, key, row);
COMMIT;
"""
PUT = "INSERT OR REPLACE INTO vectors (file, key, row, sum) VALUES (?, ?, ?, ?)"
FORGET = "DELETE FROM vectors WHERE file = ? AND key = ? AND row IS ?"
KEYS_PER_QUERY = 500
SUM_BYTES = 8


class VectorStore:
    """The stored vectors of one model; threads and processes may share the files.

    A key is the sha256 of everything on which a vector depends: text, role and instructions.
    """

    def __init__(self, *, store: str, model: str, dimension: int) -> None:
        self._dimension = dimension
        self._name = _file_name(model, dimension)
        self._path = Path(f"{store}.vectors") / self._name
        self._sqlite = SqliteFile(Path(store), SCHEMA, self._add_sums)
        with writing(self._path.parent):
            self._path.parent.mkdir(exist_ok=True)

    def get_many(self, keys: Sequence[str]) -> dict[str, Vectors]:
        """Return the stored vectors of the given keys; keys without a vector are left out."""
        rows = self._rows(keys)
        file = self._mapped() if rows else self._empty()
        vectors: dict[str, Vectors] = {}
        for key, (row, expected) in rows.items():
            # A truncated file has lost its last rows: they are embedded again.
            if isinstance(row, int) and 0 <= row < len(file):
                vector = np.array(file[row])
                if vector_sum(key, vector.tobytes()) == expected:
                    vectors[key] = vector
        if len(vectors) < len(rows):
            self._forget({key: row for key, (row, _) in rows.items() if key not in vectors})
        return vectors

    def put_many(self, vectors: Mapping[str, Vectors]) -> None:
        """Store the vector of each key; they are on disk when this returns."""
        if not vectors:
            return
        block = self._block(vectors)
        with file_lock(self._path.with_name(f"{self._name}.lock")):
            first = self._append(block)
            # Lost rows of a truncated file must not be mapped to the rows appended now.
            lost = "DELETE FROM vectors WHERE file = ? AND row >= ?"
            self._sqlite.write(lost, (self._name, first))
            listed = [
                (self._name, key, first + at, vector_sum(key, block[at].tobytes()))
                for at, key in enumerate(vectors)
            ]
            self._sqlite.write_many(PUT, listed)

    def close(self) -> None:
        """Close the SQLite file."""
        self._sqlite.close()

    def _rows(self, keys: Sequence[str]) -> dict[str, tuple[object, object]]:
        """Return the row and the checksum of each listed key."""
        rows: dict[str, tuple[object, object]] = {}
        for begin in range(0, len(keys), KEYS_PER_QUERY):
            part = keys[begin : begin + KEYS_PER_QUERY]
            marks = ", ".join("?" * len(part))
            sql = f"SELECT key, row, sum FROM vectors WHERE file = ? AND key IN ({marks})"
            listed = self._sqlite.rows(sql, (self._name, *part))
            rows.update({key: (row, expected) for key, row, expected in listed})
        return rows

    def _forget(self, rows: Mapping[str, object]) -> None:
        """Remove lost or altered vectors from the table; their rows stay in the file."""
        key, row = next(iter(rows.items()))
        log.warning(
            "%s: vectors that are missing or changed since they were stored (wrong checksum): %d, "
            "the first in row %s (%s); their texts are embedded again",
            *(self._path, len(rows), row, key),
        )
        self._sqlite.write_many(FORGET, [(self._name, key, row) for key, row in rows.items()])

    def _add_sums(self, connection: sqlite3.Connection) -> None:
        """Add checksums to the rows of an earlier version."""
        if connection.execute(HAS_SUMS).fetchone():
            return
        folder = self._path.parent

        def stored_sum(file: str, key: str, row: int) -> bytes | None:
            length = int(Path(file).stem.rpartition("-")[2]) * np.dtype(np.float32).itemsize
            if not (folder / file).exists():
                return None
            with opened(folder / file) as vectors:
                vectors.seek(row * length)
                vector = vectors.read(length)
            return vector_sum(key, vector) if len(vector) == length else None

        connection.create_function("stored_sum", 3, stored_sum)
        connection.executescript(ADD_SUMS)

    def _mapped(self) -> Vectors:
        """Memory-map the complete rows of the file; leave out an incomplete last row."""
        whole = self._whole_rows()
        if not whole:
            return self._empty()
        return np.memmap(self._path, np.float32, mode="r", shape=(whole, self._dimension))

    def _append(self, block: Vectors) -> int:
        """Append rows after the last complete row and return the number of the first new row."""
        whole = self._whole_rows()
        with writing(self._path), open_to_append(self._path) as file:
            os.ftruncate(file.fileno(), whole * self._row_bytes)
            append_whole(file, block.tobytes())
        return whole

    def _whole_rows(self) -> int:
        return self._path.stat().st_size // self._row_bytes if self._path.exists() else 0

    @property
    def _row_bytes(self) -> int:
        return self._dimension * np.dtype(np.float32).itemsize

    def _block(self, vectors: Mapping[str, Vectors]) -> Vectors:
        for key, vector in vectors.items():
            if vector.shape != (self._dimension,):
                raise ValueError(
                    f"the vector of {key} has shape {vector.shape}, expected ({self._dimension},) "
                    f"as in {self._path}"
                )
        return np.stack(list(vectors.values())).astype(np.float32)

    def _empty(self) -> Vectors:
        return np.empty((0, self._dimension), np.float32)


@dataclass(frozen=True, slots=True)
class EmbeddingCall:
    """An answered embedding request; `prompt_tokens` is None if the endpoint reports no count."""

    model: str
    inputs: tuple[str, ...]
    extra: Mapping[str, str]
    prompt_tokens: int | None
    seconds: float


class StoredEmbeddingCalls:
    """Records embedding requests in a call store, under the stage "embed"."""

    def __init__(self, *, store: str) -> None:
        self._store = CallStore(Path(store))

    def add(self, call: EmbeddingCall) -> None:
        """Record one request with its usage."""
        content = {
            "extra": dict(call.extra),
            "inputs": call.inputs,
            "kind": "openai-embeddings",
            "model": call.model,
        }
        request = json.dumps(content, sort_keys=True, separators=(",", ":"))
        key = sha256(request.encode("ascii")).hexdigest()
        usage = Usage(calls=1, prompt_tokens=call.prompt_tokens or 0)
        remarks = (UNCOUNTED,) if call.prompt_tokens is None else ()
        reply = ChatReply("", (), truncated=False, usage=usage, remarks=remarks)
        self._store.keep_reply(Sent(key, "embed", request, call.seconds), reply)

    def close(self) -> None:
        """Close the file."""
        self._store.close()


def vector_sum(key: str, vector: bytes) -> bytes:
    """Return the checksum of a vector together with its key."""
    hasher = blake2b(key.encode(), digest_size=SUM_BYTES)
    hasher.update(vector)
    return hasher.digest()


def _file_name(model: str, dimension: int) -> str:
    readable = re.sub(r"[^A-Za-z0-9._-]+", "_", model)[:60]
    return f"{readable}-{sha256(model.encode()).hexdigest()[:12]}-{dimension}.f32"
