"""The gists or the facts of a graph, possibly stored in a file, and the data to search them.

The search data are the vectors, the term index and the time scopes, in the order of the items.

The paper stores an embedding index and a BM25 index over gists and facts (Formal Definition,
Index).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, Protocol, TypeVar, overload, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from remem.errors import DamagedIndexError
from remem.files.adapters import adapter, parsed
from remem.index.contextual_ranking import ContextualRanking
from remem.index.ranking import RankedVectors
from remem.index.stored_arrays import Arrays, arrays_below
from remem.protocols import DenseIndex, Embedder, Hit, LexicalIndex, Mask, QueryTarget, Vectors
from remem.temporal.scopes import DATED, ScopeTable
from remem.time_scope import TimePoint, TimeScope
from remem.types import Fact, Gist

Item = TypeVar("Item", Gist, Fact)


class StoredItems(Sequence[Item], Generic[Item]):
    """A sequence of items: first those that are read from disk, then those that were appended.

    Args:
        kind: Gist or Fact.
        lines: The JSON of the items.
        ends: The position at which each line ends.
        earlier: The number of items of this kind that come before `lines` in the graph.
    """

    def __init__(
        self, kind: type[Item], lines: NDArray[np.uint8], ends: NDArray[np.int64], earlier: int
    ) -> None:
        self._kind: type[Item] = kind
        self._letter = kind.__name__[0].lower()
        self._lines = lines
        self._ends = ends
        self._earlier = earlier
        self._added: list[Item] = []

    def append(self, item: Item) -> None:
        """Add an item, which is kept in memory and not in the file."""
        self._added.append(item)

    def __len__(self) -> int:
        return len(self._ends) + len(self._added)

    def __iter__(self) -> Iterator[Item]:
        return (self[at] for at in range(len(self)))

    @overload
    def __getitem__(self, at: int) -> Item: ...
    @overload
    def __getitem__(self, at: slice) -> list[Item]: ...
    def __getitem__(self, at: int | slice) -> Item | list[Item]:
        if isinstance(at, slice):
            return [self[number] for number in range(*at.indices(len(self)))]
        at = range(len(self))[at]
        if at >= len(self._ends):
            return self._added[at - len(self._ends)]
        begin, end = int(self._ends[at - 1]) if at else 0, int(self._ends[at])
        name = f"{self._letter}{self._earlier + at + 1}"
        try:
            item: Item = parsed(self._kind, self._lines[begin:end].tobytes())
        except ValidationError as error:
            raise _damaged(name, error.errors()[0]["msg"]) from error
        if item.id != name:
            raise _damaged(name, f"it has the id {item.id!r}")
        return item


def as_lines(kind: type[Item], items: Iterable[Item]) -> dict[str, NDArray[np.generic]]:
    """Return items as JSON `lines`, and the position at which each line ends as `ends`."""
    writer = adapter(kind)
    lines = [writer.dump_json(item) + b"\n" for item in items]
    ends = np.cumsum(np.fromiter(map(len, lines), dtype=np.int64, count=len(lines)))
    return {"lines": np.frombuffer(b"".join(lines), dtype=np.uint8), "ends": ends}


def _damaged(name: str, reason: str) -> DamagedIndexError:
    return DamagedIndexError(
        f"item {name} of a stored memory cannot be read ({reason}); delete the folder of the "
        f"memory to index again"
    )


@runtime_checkable
class StoredLexical(LexicalIndex, Protocol):
    """A lexical index that is slow to build and is therefore stored together with its memory."""

    def stored(self) -> Arrays:
        """Return the arrays that `restore` needs."""

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Restore the output of `stored`."""


class ItemStore:
    """All gists or all facts of one graph, with their search data."""

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
        self._dense = RankedVectors(dense())
        self._lexical = lexical()
        self._target: QueryTarget = target
        self._context = context

    @property
    def vectors(self) -> Vectors:
        """Return the vectors of all items, shape (n, dimension)."""
        if not self.size:
            return np.empty((0, self._embedder.dimension), dtype=np.float32)
        return self._dense.rows

    @property
    def dated(self) -> int:
        """Return the number of items that have a time of their own."""
        return int(np.count_nonzero(self.scopes.columns[-1] == DATED))

    def add(
        self,
        texts: Sequence[str],
        scopes: Sequence[TimeScope | None],
        vectors: Vectors | None = None,
        said_at: Sequence[TimePoint | None] | None = None,
    ) -> None:
        """Append items; embed the texts unless `vectors` is given."""
        if not texts:
            return
        if vectors is None:
            vectors = self._embedder.embed_documents(texts)
        self._dense.add(vectors)
        self._lexical.add(texts)
        self.scopes.add(scopes, said_at)
        self.size += len(texts)

    def stored(self) -> Arrays:
        """Return the arrays that `restore` needs."""
        dense = self._dense.stored()
        lexical = self._lexical.stored() if isinstance(self._lexical, StoredLexical) else {}
        return {
            "vectors": self.vectors,
            "scopes": self.scopes.columns,
            **{f"dense_{name}": array for name, array in dense.items()},
            **{f"lexical_{name}": array for name, array in lexical.items()},
        }

    def restore(self, arrays: Arrays, texts: Iterable[str]) -> None:
        """Restore the output of `stored`, even if it was written with other kinds of indexes.

        Args:
            arrays: The arrays.
            texts: The texts of the items; read only if the lexical index was not stored.
        """
        self._dense.add(arrays["vectors"])
        self._dense.restore(arrays_below(arrays, "dense_"))
        lexical = arrays_below(arrays, "lexical_")
        if lexical and isinstance(self._lexical, StoredLexical):
            self._lexical.restore(lexical)
        else:
            self._lexical.add(list(texts))
        self.scopes.restore(arrays["scopes"])
        self.size = arrays["scopes"].shape[1]

    def semantic(self, query: str, top_k: int, allowed: Mask) -> list[Hit]:
        """Return the `top_k` allowed items whose embeddings are nearest to the query's.

        If there is a contextual ranking, return its best items instead.
        """
        if self.size == 0:
            return []
        if self._context is not None:
            return self._in_context(self._context, query, top_k, allowed)
        return self._nearest_to(query, top_k, allowed)

    def lexical(self, query: str, top_k: int, allowed: Mask) -> list[Hit]:
        """Return the `top_k` allowed items that share terms with the query, best first.

        If there is a contextual ranking, return its best items instead.
        """
        if self.size == 0:
            return []
        if self._context is not None:
            return self._in_context(self._context, query, top_k, allowed)
        return self._lexical.search(query, top_k, allowed)

    def nearest(self, vector: Vectors, top_k: int, allowed: Mask) -> list[Hit]:
        """Return the `top_k` allowed items nearest to a vector made by the store's embedder."""
        if not self.size:
            return []
        return self._dense.search(vector, top_k, allowed)

    def _nearest_to(self, query: str, top_k: int, allowed: Mask | None) -> list[Hit]:
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
        return self._dense.pairs_above(threshold, since)
