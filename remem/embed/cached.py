"""A cache of vectors by content: a model embeds each distinct input only once."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from remem.intake import Account
from remem.protocols import AccountsForVectors, Embedder, QueryTarget, Vectors

Role = Literal["query", "document"]


class IdentifiedEmbedder(Embedder, Protocol):
    """An embedder with an identity: everything that its vectors depend on."""

    @property
    def identity(self) -> Mapping[str, object]:
        """Return everything that the vectors depend on, except rounding."""


class VectorCache(Protocol):
    """Stores vectors by the sha256 of their inputs."""

    def get_many(self, keys: Sequence[str]) -> Mapping[str, NDArray[np.float32]]:
        """Return the stored vectors by key; missing keys are left out."""

    def put_many(self, vectors: Mapping[str, NDArray[np.float32]]) -> None:
        """Store vectors by key."""


class CachedEmbedder:
    """Embeds texts through a cache; `embedder` embeds each distinct text only once.

    Args:
        embedder: The embedder.
        cache: The store of vectors.
        portion: The number of texts per write to the cache; a killed run loses at most one portion.
    """

    def __init__(self, *, embedder: IdentifiedEmbedder, cache: VectorCache, portion: int) -> None:
        if portion < 1:
            raise ValueError(f"portion must be at least 1 text, found {portion}")
        self._embedder = embedder
        self._cache = cache
        self._portion = portion
        self._identity = json.dumps(embedder.identity, sort_keys=True)

    @property
    def dimension(self) -> int:
        """Return the length of a vector."""
        return self._embedder.dimension

    @property
    def vector_account(self) -> Account | None:
        """Return counts of the vectors that the server has sent; None if there is no server."""
        embedder = self._embedder
        return embedder.vector_account if isinstance(embedder, AccountsForVectors) else None

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of texts to be searched, shape (n, dimension)."""
        return self._embed(texts, "document", "", self._embedder.embed_documents)

    def embed_queries(self, texts: Sequence[str], target: QueryTarget) -> Vectors:
        """Return the vectors of queries for a kind of target, shape (n, dimension)."""
        return self._embed(
            texts, "query", target, lambda some: self._embedder.embed_queries(some, target)
        )

    def _embed(
        self,
        texts: Sequence[str],
        role: Role,
        target: str,
        embed: Callable[[Sequence[str]], Vectors],
    ) -> Vectors:
        keys = [content_key(self._identity, role, target, text) for text in texts]
        known = dict(self._cache.get_many(list(dict.fromkeys(keys))))
        text_of = dict(zip(keys, texts, strict=True))
        missing = [key for key in text_of if key not in known]
        for start in range(0, len(missing), self._portion):
            portion = missing[start : start + self._portion]
            vectors = embed([text_of[key] for key in portion])
            fresh = dict(zip(portion, vectors, strict=True))
            self._cache.put_many(fresh)
            known |= fresh
        rows = [known[key] for key in keys]
        return np.stack(rows) if rows else np.empty((0, self.dimension), dtype=np.float32)


def content_key(identity: str, role: Role, target: str, text: str) -> str:
    """Return the cache key of a text: a sha256 of embedder identity, role, target and text."""
    content = json.dumps([identity, role, target, text], ensure_ascii=False)
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()
