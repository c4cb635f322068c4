"""A file with a memory graph, its vectors and its model usage: JSON and arrays in one npz.

The file contains no pickle. A second file has its sha256, to detect damage and files of other
indexes. A file with the right checksum is still validated, because answers from a wrong graph would
look right.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from remem.files.adapters import adapter
from remem.index.array_archive import Arrays, read_arrays
from remem.index.vector_table import check_lengths
from remem.memory.graph import MemoryGraph
from remem.protocols import DamagedIndexError, Vectors
from remem.types import Fact, Gist, Usage

FILE_NAME = "index.npz"
MANIFEST_NAME = "index.json"
FORMAT = "remem memory graph, version 4"
PARTS = frozenset({"gists", "facts", "gist_vectors", "fact_vectors", "synonyms", "account"})

Parsed = TypeVar("Parsed")


@dataclass(frozen=True, slots=True)
class Account:
    """The model usage of the extraction, and the id and reason of each failed episode."""

    usage: Usage
    failures: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class StoredIndex:
    """The content of an index file."""

    graph: MemoryGraph
    gist_vectors: Vectors
    fact_vectors: Vectors
    account: Account


@dataclass(frozen=True, slots=True)
class Manifest:
    """The content of the second file: the format and the sha256 of the first file."""

    format: str
    sha256: str


def save(
    folder: Path,
    graph: MemoryGraph,
    gist_vectors: Vectors,
    fact_vectors: Vectors,
    account: Account,
) -> None:
    """Write a graph with the vectors of its gists and facts, and its model usage."""
    gists = adapter(list[Gist]).dump_json(list(graph.gists))
    facts = adapter(list[Fact]).dump_json(list(graph.facts))
    path = folder / FILE_NAME
    with path.open("wb") as file:
        np.savez(
            file,
            gists=np.frombuffer(gists, dtype=np.uint8),
            facts=np.frombuffer(facts, dtype=np.uint8),
            gist_vectors=gist_vectors,
            fact_vectors=fact_vectors,
            account=np.frombuffer(adapter(Account).dump_json(account), dtype=np.uint8),
            synonyms=graph.synonym_edges.pairs(),
        )
    manifest = Manifest(FORMAT, _sum(path))
    (folder / MANIFEST_NAME).write_bytes(adapter(Manifest).dump_json(manifest) + b"\n")


def load(folder: Path, *, dimension: int) -> StoredIndex:
    """Read a graph; raise DamagedIndexError if the file is damaged or has another format."""
    path = folder / FILE_NAME
    try:
        found = _sum(path)
        manifest = _parsed(Manifest, (folder / MANIFEST_NAME).read_bytes(), MANIFEST_NAME)
        if manifest != Manifest(FORMAT, found):
            raise ValueError(f"{MANIFEST_NAME} in the folder describes another file or format")
        return _stored(read_arrays(path), dimension)
    except (OSError, ValueError) as error:
        raise DamagedIndexError(f"{path}: not a complete memory graph ({error})") from error


def _stored(parts: Arrays, dimension: int) -> StoredIndex:
    if set(parts) != PARTS:
        raise ValueError(f"found the parts {sorted(parts)}, expected {sorted(PARTS)}")
    gists = _parsed(list[Gist], parts["gists"].tobytes(), "gists")
    facts = _parsed(list[Fact], parts["facts"].tobytes(), "facts")
    for letter, items in (("g", gists), ("f", facts)):
        _check_ids(letter, items)
    graph = MemoryGraph.restore(gists, facts, _synonyms(parts["synonyms"], len(gists)))
    return StoredIndex(
        graph,
        _vectors(parts["gist_vectors"], (len(gists), dimension)),
        _vectors(parts["fact_vectors"], (len(facts), dimension)),
        _parsed(Account, parts["account"].tobytes(), "account"),
    )


def _parsed(kind: type[Parsed], content: bytes, what: str) -> Parsed:
    try:
        return adapter(kind).validate_json(content, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = "".join(f"[{step!r}]" for step in first["loc"])
        raise ValueError(f"{what}{place}: {first['msg']}") from error


def _check_ids(letter: str, items: Sequence[Gist | Fact]) -> None:
    for number, item in enumerate(items, start=1):
        if item.id != f"{letter}{number}":
            raise ValueError(f"item {number} has the id {item.id!r}, expected {letter}{number}")


def _synonyms(pairs: NDArray[np.generic], gists: int) -> NDArray[np.int64]:
    if pairs.dtype != np.int64 or pairs.ndim != 2 or pairs.shape[1] != 2:
        raise ValueError(f"synonyms are {pairs.dtype} of shape {pairs.shape}, not int64 (m, 2)")
    checked = pairs.astype(np.int64)
    first, second = checked.T
    if not ((first >= 0) & (first < second) & (second < gists)).all():
        raise ValueError(f"synonyms are not all pairs i < j of {gists} gists")
    if not (np.diff(first * gists + second) > 0).all():
        raise ValueError("synonyms are not in ascending order without repeats")
    return checked


def _vectors(vectors: NDArray[np.generic], shape: tuple[int, int]) -> Vectors:
    if vectors.dtype != np.float32 or vectors.shape != shape:
        raise ValueError(
            f"vectors are {vectors.dtype} of shape {vectors.shape}, not float32 of {shape[0]} "
            f"items in {shape[1]} dimensions"
        )
    checked = vectors.astype(np.float32, copy=False)
    check_lengths(checked)
    return checked


def _sum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
