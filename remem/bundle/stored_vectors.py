"""Serve the vectors of a bundle in place of an embedder, looked up by the embedded text."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from remem.embed.cached import Role, content_key
from remem.errors import VectorMissError
from remem.llm.vector_store import VectorStore
from remem.protocols import QueryTarget, Vectors

AT_ONCE = 500
"""Vectors read at a time; each is briefly in memory twice."""


class Readable(Protocol):
    """A source of vectors that are looked up by key."""

    def get_many(self, keys: Sequence[str]) -> Mapping[str, NDArray[np.float32]]:
        """Return the vectors of the keys that are found."""


class StoredVectors:
    """An embedder that serves stored vectors.

    Args:
        identity: The identity of the original embedder, as JSON; part of every key.
        model: The name of its vectors in the store.
        dimension: The length of a vector.
        store: The SQLite file of the store; the vectors are in files next to it.
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
        """Return one vector for each document."""
        return self._embed(texts, "document", "")

    def embed_queries(self, texts: Sequence[str], target: QueryTarget) -> Vectors:
        """Return one vector for each query."""
        return self._embed(texts, "query", target)

    def _embed(self, texts: Sequence[str], role: Role, target: str) -> Vectors:
        keys = [content_key(self._identity, role, target, text) for text in texts]
        return read_vectors(self._vectors, keys, self._dimension)


def read_vectors(vectors: Readable, keys: Sequence[str], dimension: int) -> Vectors:
    """Return an array of shape (len(keys), dimension) with one vector for each key.

    Raises:
        VectorMissError: A key has no vector.
    """
    rows = np.empty((len(keys), dimension), np.float32)
    for begin in range(0, len(keys), AT_ONCE):
        part = keys[begin : begin + AT_ONCE]
        found = vectors.get_many(list(dict.fromkeys(part)))
        for at, key in enumerate(part, start=begin):
            if key not in found:
                raise VectorMissError(
                    f"the store has no vector for text {at + 1} of {len(keys)} (key {key})"
                )
            rows[at] = found[key]
    return rows
