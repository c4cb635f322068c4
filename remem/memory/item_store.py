"""The search data of one node type: texts, vectors, term index and time scopes, by position.

The paper stores an embedding index and a BM25 index over gists and facts (Formal Definition,
Index).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from remem.index.contextual_ranking import ContextualRanking
from remem.index.saved_arrays import KeptArrays
from remem.protocols import (
    DenseIndex,
    Embedder,
    Hit,
    LexicalIndex,
    Mask,
    QueryTarget,
    Vectors,
)
from remem.temporal.scopes import ScopeTable
from remem.time_scope import TimePoint, TimeScope


class ItemStore:
    """All gists, or all facts, of one graph."""

    def __init__(
        self,
        *,
        embedder: Embedder,
        dense: Callable[[], DenseIndex],
        lexical: Callable[[], LexicalIndex],
        target: QueryTarget,
        context: ContextualRanking | None = None,
    ) -> None:
        self.scopes = ScopeTable()
        self.size = 0
        self._embedder = embedder
        self._dense = dense()
        self._lexical = lexical()
        self._target: QueryTarget = target
        self._context = context
        self._check: Callable[[], None] = _nothing

    @property
    def vectors(self) -> Vectors:
        """Return the vectors of all items, shape (n, dimension)."""
        if not self.size:
            return np.empty((0, self._embedder.dimension), dtype=np.float32)
        self._check()
        return self._dense.vectors

    def add(
        self,
        texts: Sequence[str],
        scopes: Sequence[TimeScope | None],
        vectors: Vectors | None = None,
        said: Sequence[TimePoint | None] | None = None,
    ) -> None:
        """Append items; embed the texts unless `vectors` is given."""
        if not texts:
            return
        if vectors is None:
            vectors = self._embedder.embed_documents(texts)
        self._dense.add(vectors)
        self._lexical.add(texts)
        self.scopes.add(scopes, said)
        self.size += len(texts)

    def stored(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that `restore` needs."""
        parts: dict[str, NDArray[Any]] = {"vectors": self.vectors, "scopes": self.scopes.columns}
        for name, index in self._indexes().items():
            parts |= {f"{name}_{part}": array for part, array in index.stored().items()}
        return parts

    def restore(self, parts: Mapping[str, NDArray[Any]], check: Callable[[], None]) -> None:
        """Restore the output of `stored`; the vectors may be followed by free rows.

        Args:
            parts: The arrays.
            check: Called before the vectors are read; raises an error if they are damaged.
        """
        self._check = check
        self.size = parts["scopes"].shape[1]
        if self.size:
            self._dense.adopt(parts["vectors"], self.size)
        self.scopes.restore(parts["scopes"])
        for name, index in self._indexes().items():
            index.restore(named(parts, f"{name}_"))

    def _indexes(self) -> dict[str, KeptArrays]:
        indexes = {"dense": self._dense, "lexical": self._lexical}
        return {name: index for name, index in indexes.items() if isinstance(index, KeptArrays)}

    def semantic(self, query: str, top_k: int, allowed: Mask) -> list[Hit]:
        """Return the `top_k` allowed items whose embeddings are nearest to the query's.

        With a contextual ranking, it returns that ranking's items.
        """
        if self.size == 0:
            return []
        if self._context is not None:
            return self._in_context(self._context, query, top_k, allowed)
        return self._nearest_to(query, top_k, allowed)

    def lexical(self, query: str, top_k: int, allowed: Mask) -> list[Hit]:
        """Return the `top_k` allowed items that share terms with the query, best first.

        With a contextual ranking, it returns that ranking's items.
        """
        if self.size == 0:
            return []
        if self._context is not None:
            return self._in_context(self._context, query, top_k, allowed)
        return self._lexical.search(query, top_k, allowed)

    def nearest(self, vector: Vectors, top_k: int, allowed: Mask) -> list[Hit]:
        """Return the `top_k` allowed items nearest to a vector of the same embedder."""
        if not self.size:
            return []
        self._check()
        return self._dense.search(vector, top_k, allowed)

    def _nearest_to(self, query: str, top_k: int, allowed: Mask | None) -> list[Hit]:
        self._check()
        vector = self._embedder.embed_queries([query], self._target)[0]
        return self._dense.search(vector, top_k, allowed)

    def _in_context(
        self, context: ContextualRanking, query: str, top_k: int, allowed: Mask
    ) -> list[Hit]:
        return context.rank(
            query,
            top_k,
            lexical=self._lexical.search(query, self.size),
            semantic=self._nearest_to(query, self.size, None) if context.weights.semantic else (),
            allowed=allowed,
        )

    def similar_pairs(self, threshold: float, since: int = 0) -> NDArray[np.int64]:
        """Return the pairs i < j with j >= since and similarity >= `threshold`, shape (m, 2)."""
        self._check()
        return self._dense.pairs_above(threshold, since)


def _nothing() -> None:
    """Do nothing: vectors that were computed in this process need no check."""


def named(parts: Mapping[str, NDArray[Any]], beginning: str) -> dict[str, NDArray[Any]]:
    """Return the parts whose names start with `beginning`, with that prefix removed."""
    return {
        name.removeprefix(beginning): part
        for name, part in parts.items()
        if name.startswith(beginning)
    }
