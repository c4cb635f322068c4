"""Retrieval over original messages or sessions (paper, baselines: BM25 and embeddings).

The released code embeds `role: content` but shows `[date] role: content`; see `embed_date`.
"""

from collections.abc import Callable, Sequence
from typing import Literal, Protocol

from remem.index.contextual_ranking import ContextualRanking, PlacedItem
from remem.index.ranking import RankedVectors
from remem.passages import dated_line, session_passage, undated_line
from remem.protocols import DenseIndex, Embedder, Hit
from remem.types import Episode, Evidence, History, IndexHealth, Passage, Query

Unit = Literal["message", "session"]


class Retriever(Protocol):
    """Finds texts for a question. Every lexical index is a retriever."""

    def add(self, texts: Sequence[str]) -> None:
        """Append texts."""

    def search(self, query: str, top_k: int) -> list[Hit]:
        """Return the best `top_k` texts, best first."""


class DenseRetriever:
    """Finds texts by the similarity of their embeddings."""

    def __init__(self, *, embedder: Embedder, dense: Callable[[], DenseIndex]) -> None:
        self._embedder = embedder
        self._index = RankedVectors(dense())

    def add(self, texts: Sequence[str]) -> None:
        """Append texts."""
        self._index.add(self._embedder.embed_documents(texts))

    def search(self, query: str, top_k: int) -> list[Hit]:
        """Return the best `top_k` texts, best first."""
        vectors = self._embedder.embed_queries([query], target="passage")
        return self._index.search(vectors[0], top_k)


class PassageRAG:
    """Recalls the best passages for the question, in the order of their scores.

    Args:
        unit: "message" or "session", the size of a passage.
        top_k: The number of passages for a query.
        embed_date: Whether the searched text has the date; the shown text always has it.
        retriever: Returns an empty retriever.
        ranking: Returns an empty contextual ranking; None ranks each message by itself.
    """

    def __init__(
        self,
        *,
        unit: Unit,
        top_k: int,
        embed_date: bool,
        retriever: Callable[[], Retriever],
        ranking: Callable[[], ContextualRanking] | None = None,
    ) -> None:
        if unit not in ("message", "session"):
            raise ValueError(f"unknown unit {unit!r}, expected 'message' or 'session'")
        if top_k < 1:
            raise ValueError(f"method.build.top_k must be at least 1, found {top_k}")
        self._unit = unit
        self._top_k = top_k
        self._line = dated_line if embed_date else undated_line
        self._retriever = retriever()
        self._context = ranking() if ranking is not None else None
        if self._context is not None and self._context.weights.semantic:
            raise ValueError(
                "this ranking combines BM25 with embeddings, but this method searches with only "
                "one of them: "
                "use ranking=contextual, or method=remem_s"
            )
        if self._context is not None and unit == "session":
            raise ValueError(
                "ranking=contextual needs messages, but this method ranks whole sessions: use "
                "method=bm25_messages, or ranking=plain"
            )
        self._passages: list[Passage] = []

    def index(self, history: History) -> None:
        """Add a history, or the next part of it."""
        units = [
            (episode.id, unit) for episode in history.episodes for unit in self._units(episode)
        ]
        if units:
            self._passages.extend(session_passage(unit) for _, unit in units)
            placed = [PlacedItem(session, self._searched(unit)) for session, unit in units]
            self._retriever.add([item.text for item in placed])
            if self._context is not None:
                self._context.add(placed)

    def recall(self, query: Query) -> Evidence:
        """Return the passages nearest to the question."""
        if not self._passages:
            return Evidence()
        hits = self._search(query.text)
        return Evidence(passages=tuple(self._passages[position] for position, _ in hits))

    def _search(self, query: str) -> list[Hit]:
        if self._context is None:
            return self._retriever.search(query, self._top_k)
        hits = self._retriever.search(query, len(self._passages))
        return self._context.rank(query, self._top_k, lexical=hits)

    @property
    def index_health(self) -> IndexHealth:
        """Return the number of passages and how many of them have a date."""
        dated = sum(passage.time is not None for passage in self._passages)
        return IndexHealth(len(self._passages), dated, self._top_k)

    def _units(self, episode: Episode) -> list[Episode]:
        if self._unit == "message":
            return [Episode(message.id, (message,)) for message in episode.messages]
        return [episode] if episode.messages else []

    def _searched(self, unit: Episode) -> str:
        return "\n".join(self._line(message) for message in unit.messages)
