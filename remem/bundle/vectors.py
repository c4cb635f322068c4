"""Read and write the vectors of a bundle: little-endian float32 rows, and a file of their keys.

Equal rows are stored once. Rows are read and written in parts, so that a table of vectors need not
fit into memory.
"""

import hashlib
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np

from remem.bundle.archive import BundleWriter
from remem.bundle.layout import VectorRow, VectorTable
from remem.bundle.reading import Bundle
from remem.errors import VerificationFailedError
from remem.llm.vector_store import VectorStore
from remem.protocols import Vectors

AT_ONCE = 500
LITTLE_ENDIAN = np.dtype("<f4")


def vector_entries(number: int) -> tuple[str, str]:
    """Return the entry names of the rows and keys of a table; tables are counted from 1."""
    return f"vectors/{number}.f32", f"vectors/{number}.jsonl"


def write_vectors(writer: BundleWriter, number: int, table: VectorTable, store: Path) -> None:
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


def restore_vectors(bundle: Bundle, number: int, table: VectorTable, path: Path) -> int:
    """Write the vectors of one embedder from a bundle to a store, and return their number.

    Raises:
        VerificationFailedError: A row does not match its checksum, or is missing.
    """
    store = VectorStore(store=str(path), model=table.model, dimension=table.dimension)
    keys_of: dict[int, list[VectorRow]] = {}
    rows, keys = vector_entries(number)
    for row in bundle.lines(keys, VectorRow):
        keys_of.setdefault(row.row, []).append(row)
    kept = 0
    part: dict[str, Vectors] = {}
    for row, vector in enumerate(_rows(bundle, rows, table.dimension)):
        total = hashlib.sha256(vector.tobytes()).hexdigest()
        for vector_row in keys_of.pop(row, []):
            if vector_row.sha256 != total:
                raise VerificationFailedError(
                    f"{bundle.path}: {rows}: row {row} is not the vector of {vector_row.key}"
                )
            part[vector_row.key] = vector
        if len(part) >= AT_ONCE:
            store.put_many(part)
            kept += len(part)
            part = {}
    store.put_many(part)
    store.close()
    if keys_of:
        raise VerificationFailedError(f"{bundle.path}: {rows} has no row {min(keys_of)}")
    return kept + len(part)


def check_vectors(bundle: Bundle, number: int, table: VectorTable) -> int:
    """Compare every row with its checksum and return the number of keys.

    Raises:
        VerificationFailedError: A row does not match its checksum, or is missing.
    """
    rows, keys = vector_entries(number)
    sums = [
        hashlib.sha256(row.tobytes()).hexdigest() for row in _rows(bundle, rows, table.dimension)
    ]
    count = 0
    for line in bundle.lines(keys, VectorRow):
        count += 1
        if line.row >= len(sums) or sums[line.row] != line.sha256:
            raise VerificationFailedError(
                f"{bundle.path}: {rows}: row {line.row} is not the vector of {line.key}"
            )
    return count


def _rows(bundle: Bundle, name: str, dimension: int) -> Iterator[Vectors]:
    size = dimension * LITTLE_ENDIAN.itemsize
    for content in bundle.parts(name, size):
        if len(content) != size:
            raise VerificationFailedError(f"{bundle.path}: {name} ends in the middle of a row")
        yield np.frombuffer(content, LITTLE_ENDIAN)


def _stored(table: VectorTable, path: Path) -> Iterator[tuple[str, Vectors]]:
    store = VectorStore(store=str(path), model=table.model, dimension=table.dimension)
    keys = _keys(table, path)
    for begin in range(0, len(keys), AT_ONCE):
        part = keys[begin : begin + AT_ONCE]
        found = store.get_many(part)
        yield from ((key, found[key]) for key in part)
    store.close()


def _keys(table: VectorTable, path: Path) -> Sequence[str]:
    """Return the sorted keys of a table; the store's file names contain model and dimension."""
    ours = f"{table.model}-%-{table.dimension}.f32"
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT key FROM vectors WHERE file LIKE ? ORDER BY key", (ours,))
        return [key for (key,) in rows]
