"""Vectors by the hash of what they embed: an append-only float32 file per model and dimension.

A table of the call store's SQLite file says which row of it is whose. Rows are written before they
are listed, so a kill leaves at most rows, or part of one, that nobody knows of.
"""

import hashlib
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from remem.llm.sqlite_file import SqliteFile, file_lock
from remem.protocols import Vectors

SCHEMA = """
CREATE TABLE IF NOT EXISTS vectors (
  file TEXT NOT NULL,
  key TEXT NOT NULL,
  row INTEGER NOT NULL,
  PRIMARY KEY (file, key)
) WITHOUT ROWID;
"""

KEYS_PER_QUERY = 500


class VectorStore:
    """The vectors of one model; threads and processes may share the files.

    A key is the sha256 of all that shapes a vector: text, role, instructions.
    """

    def __init__(self, *, store: str, model: str, dimension: int) -> None:
        self._dimension = dimension
        self._sqlite = SqliteFile(Path(store), SCHEMA)
        self._name = _file_name(model, dimension)
        self._path = Path(f"{store}.vectors") / self._name
        self._path.parent.mkdir(exist_ok=True)

    def get_many(self, keys: Sequence[str]) -> dict[str, Vectors]:
        """Return the vectors of those keys that have one."""
        rows = self._rows(keys)
        vectors = self._mapped() if rows else self._empty()
        # A file that was cut short has lost its last rows: they are embedded again.
        return {key: np.array(vectors[row]) for key, row in rows.items() if row < len(vectors)}

    def put_many(self, vectors: Mapping[str, Vectors]) -> None:
        """Keep the vector of each key, for good when this returns."""
        if not vectors:
            return
        block = self._block(vectors)
        with file_lock(self._path.with_name(f"{self._name}.lock")):
            first = self._append(block)
            # Rows that a cut file has lost must not come to mean the ones that follow it.
            lost = "DELETE FROM vectors WHERE file = ? AND row >= ?"
            self._sqlite.write(lost, (self._name, first))
            listed = [(self._name, key, row) for row, key in enumerate(vectors, start=first)]
            self._sqlite.write_many("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", listed)

    def close(self) -> None:
        """Close the table."""
        self._sqlite.close()

    def _rows(self, keys: Sequence[str]) -> dict[str, int]:
        found: dict[str, int] = {}
        for begin in range(0, len(keys), KEYS_PER_QUERY):
            part = keys[begin : begin + KEYS_PER_QUERY]
            marks = ", ".join("?" * len(part))
            sql = f"SELECT key, row FROM vectors WHERE file = ? AND key IN ({marks})"
            found.update(self._sqlite.rows(sql, (self._name, *part)))
        return found

    def _mapped(self) -> Vectors:
        """Map the whole rows of the file; a torn last one is left out."""
        whole = self._whole_rows()
        if not whole:
            return self._empty()
        return np.memmap(self._path, np.float32, mode="r", shape=(whole, self._dimension))

    def _append(self, block: Vectors) -> int:
        """Write rows behind the last whole one and return the number of the first."""
        whole = self._whole_rows()
        with self._path.open("ab") as file:
            os.ftruncate(file.fileno(), whole * self._row_bytes)
            file.write(block.tobytes())
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
                    f"the vector of {key} has shape {vector.shape}, "
                    f"expected ({self._dimension},) as {self._path} holds"
                )
        return np.stack(list(vectors.values())).astype(np.float32)

    def _empty(self) -> Vectors:
        return np.empty((0, self._dimension), np.float32)


def _file_name(model: str, dimension: int) -> str:
    readable = re.sub(r"[^A-Za-z0-9._-]+", "_", model)[:60]
    return f"{readable}-{hashlib.sha256(model.encode()).hexdigest()[:12]}-{dimension}.f32"
