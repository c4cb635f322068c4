"""An embedder that has vectors instead of a model: those of a bundle, by what was embedded."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from remem.embed.cached import Role, content_key
from remem.llm.vector_store import VectorStore
from remem.protocols import QueryTarget, StopRunError, Vectors

AT_ONCE = 500
"""Vectors read at a time: they are held twice for a moment."""


class VectorMissError(StopRunError):
    """A vector is not in the store, so the run cannot be replayed from it."""


class Readable(Protocol):
    """Vectors by key."""

    def get_many(self, keys: Sequence[str]) -> Mapping[str, NDArray[np.float32]]:
        """Return the vectors of those keys that have one."""


class StoredVectors:
    """Stands in for the embedder whose vectors were kept.

    Args:
        identity: What its vectors depend on, as JSON: a part of every key.
        model: The name of its vectors in the store.
        dimension: The length of a vector.
        store: The SQLite file beside which the vectors lie.
    """

    def __init__(self, *, identity: str, model: str, dimension: int, store: str) -> None:
        self._identity = identity
        self._dimension = dimension
        if not Path(store).is_file():
            raise FileNotFoundError(f"no vector store at {store}; unpack the bundle first")
        self._vectors: Readable = VectorStore(store=store, model=model, dimension=dimension)

    @property
    def dimension(self) -> int:
        """Return the length of a vector."""
        return self._dimension

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of what is searched."""
        return self._embed(texts, "document", "")

    def embed_queries(self, texts: Sequence[str], target: QueryTarget) -> Vectors:
        """Return the vectors of what is searched for."""
        return self._embed(texts, "query", target)

    def _embed(self, texts: Sequence[str], role: Role, target: str) -> Vectors:
        keys = [content_key(self._identity, role, target, text) for text in texts]
        return read_vectors(self._vectors, keys, self._dimension)


def read_vectors(vectors: Readable, keys: Sequence[str], dimension: int) -> Vectors:
    """Return a row for each key.

    Raises:
        VectorMissError: There is none for one of them.
    """
    rows = np.empty((len(keys), dimension), np.float32)
    for begin in range(0, len(keys), AT_ONCE):
        part = keys[begin : begin + AT_ONCE]
        found = vectors.get_many(list(dict.fromkeys(part)))
        for at, key in enumerate(part, start=begin):
            if key not in found:
                raise VectorMissError(f"no vector for text {at + 1} of {len(keys)} (key {key})")
            rows[at] = found[key]
    return rows
