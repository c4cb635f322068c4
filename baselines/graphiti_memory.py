"""Graphiti, run by its own package with our models (paper, Methods for Comparison).

The pinned release stores its graph in an embedded Kuzu database. Sessions are added one by one. If
Graphiti cannot use a reply, the entire session is lost, and it is counted as lost.
"""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from importlib import import_module
from random import Random
from typing import Any, TypeVar

from baselines.graphiti_calls import GraphitiCalls
from baselines.graphiti_graph import CLOCK, IDS, new_graphiti, require_packages
from remem.errors import NothingStoredError
from remem.passages import undated_line
from remem.protocols import ChatModel, Embedder
from remem.time_scope import TimePoint
from remem.types import Episode, Evidence, History, IndexHealth, Passage, Query, Usage

GROUP = "history"
"""The only group of a graph; names of histories may have characters that Graphiti rejects."""
FAILED = (ValueError, LookupError, TypeError, AttributeError, RuntimeError)
"""Errors that Graphiti raises for an unusable reply."""
LONGEST_REASON = 200

Result = TypeVar("Result")


class GraphitiMemory:
    """Adds sessions one by one to a Graphiti graph and recalls the best edges.

    If `index` fails, create a new memory and index the history again. The replies of repeated calls
    come from the call store.

    Attributes:
        index_counts: The numbers of added and lost sessions, and of their nodes and edges.

    Args:
        chat_model: Replaces Graphiti's own model.
        embedder: Replaces Graphiti's own embedder, with its full dimension.
        top_k: The number of edges for a query.
        min_similarity: The minimum similarity between an edge's embedding and the query's. Other
            edges can still be found by their words.
        parallel_calls: The maximum number of parallel calls.
    """

    def __init__(
        self,
        *,
        chat_model: ChatModel,
        embedder: Embedder,
        top_k: int,
        min_similarity: float,
        parallel_calls: int,
    ) -> None:
        for name, number in {"top_k": top_k, "parallel_calls": parallel_calls}.items():
            if number < 1:
                raise ValueError(f"method.build.{name} must be at least 1, found {number}")
        require_packages()
        self._calls = GraphitiCalls(chat_model, embedder)
        self._embedder = embedder
        self._top_k = top_k
        self._min_similarity = min_similarity
        self._parallel_calls = parallel_calls
        self._graphiti: Any = None
        self._unfinished = False
        self._episodes: dict[str, Episode] = {}
        """The stored sessions, by Graphiti's ids."""
        self.failures: tuple[tuple[str, str], ...] = ()
        self.index_counts = dict.fromkeys(("sessions", "lost", "nodes", "edges"), 0)

    @property
    def index_usage(self) -> Usage:
        """Return the model usage of the index."""
        return self._calls.usage

    @index_usage.setter
    def index_usage(self, usage: Usage) -> None:
        self._calls.usage = usage

    def index(self, history: History) -> None:
        """Add the sessions in order; if a model fails, stop instead of skipping a session."""
        if self._unfinished:
            raise RuntimeError(
                f"an earlier failure left this memory of {history.id} half indexed: create a new "
                f"memory"
            )
        self._unfinished = True
        if self._graphiti is None:
            self._graphiti = new_graphiti(self._calls)
            self._run(self._graphiti.build_indices_and_constraints)
        for episode in history.episodes:
            if episode.messages:
                self._add(history, episode)
        self._unfinished = False
        if self.failures and not self._episodes:
            raise NothingStoredError(
                f"no session of history {history.id} was stored (lost: {len(self.failures)}); the "
                f"first reason: {self.failures[0][1]}; check the model and start again"
            )

    def recall(self, query: Query) -> Evidence:
        """Return the edges that best match the query's words and meaning, with their validity."""
        if not self._episodes:
            return Evidence()
        vector = self._embedder.embed_queries([query.text], target="fact")[0]
        edges = self._run(lambda: self._search(query.text, [float(value) for value in vector]))
        return Evidence(passages=tuple(self._passage(edge) for edge in edges))

    @property
    def index_health(self) -> IndexHealth:
        """Return the number of edges; all count as dated, at least by the date of their session."""
        edges = self.index_counts["edges"]
        return IndexHealth(edges, edges, self._top_k)

    def _add(self, history: History, episode: Episode) -> None:
        ids = Random(f"{history.id}/{episode.id}")
        try:
            added = self._run(lambda: self._graphiti.add_episode(**_stated(episode)), ids)
        except FAILED as error:
            if self._calls.failure is not None:
                raise self._calls.failure from error
            reason = f"{type(error).__name__}: {error}"[:LONGEST_REASON]
            self.failures += ((episode.id, reason),)
            self.index_counts["lost"] += 1
            return
        self._episodes[added.episode.uuid] = episode
        for name, number in {"nodes": len(added.nodes), "edges": len(added.edges)}.items():
            self.index_counts[name] += number
        self.index_counts["sessions"] += 1

    async def _search(self, text: str, vector: Sequence[float]) -> Sequence[Any]:
        """Search like `Graphiti.search`, with our query embedding and similarity threshold."""
        search = import_module("graphiti_core.search.search").search
        parts = import_module("graphiti_core.search.search_config")
        filters = import_module("graphiti_core.search.search_filters").SearchFilters()
        edges = parts.EdgeSearchConfig(
            search_methods=[
                parts.EdgeSearchMethod.bm25,
                parts.EdgeSearchMethod.cosine_similarity,
            ],
            reranker=parts.EdgeReranker.rrf,
            sim_min_score=self._min_similarity,
        )
        config = parts.SearchConfig(edge_config=edges, limit=self._top_k)
        results = await search(
            self._graphiti.clients, text, [GROUP], config, filters, query_vector=vector
        )
        edges_found: Sequence[Any] = results.edges
        return edges_found

    def _passage(self, edge: Any) -> Passage:
        episodes = [
            self._episodes[episode] for episode in edge.episodes if episode in self._episodes
        ]
        messages = [message for episode in episodes for message in episode.messages]
        valid = _point(edge.valid_at), _point(edge.invalid_at)
        validity = (
            f" (valid from {valid[0] or 'unknown'} to {valid[1] or 'now'})" if any(valid) else ""
        )
        time = valid[0] or (messages[0].time if messages else None)
        sources = tuple(dict.fromkeys(message.id for message in messages))
        return Passage(edge.uuid, f"{edge.fact}{validity}", time, sources)

    def _run(
        self, start: Callable[[], Coroutine[Any, Any, Result]], ids: Random | None = None
    ) -> Result:
        """Run a coroutine in a new event loop and thread."""
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(asyncio.run, self._whole(start, ids)).result()

    async def _whole(
        self, start: Callable[[], Coroutine[Any, Any, Result]], ids: Random | None
    ) -> Result:
        """Wait for all started tasks, even after an error, so that runs are repeatable."""
        threads = ThreadPoolExecutor(self._parallel_calls)
        asyncio.get_running_loop().set_default_executor(threads)
        IDS.set(ids)
        try:
            return await start()
        finally:
            while others := asyncio.all_tasks() - {asyncio.current_task()}:
                await asyncio.gather(*others, return_exceptions=True)


def _stated(episode: Episode) -> dict[str, Any]:
    """Return the arguments with which Graphiti's `add_episode` adds a session."""
    source = import_module("graphiti_core.nodes").EpisodeType.message
    return {
        "name": episode.id,
        "episode_body": "\n".join(undated_line(message) for message in episode.messages),
        "source": source,
        "source_description": "conversation",
        "reference_time": _moment(episode.messages[0].time),
        "group_id": GROUP,
    }


def _moment(time: TimePoint | None) -> datetime:
    """Return the first minute of a time, or the constant `CLOCK` if there is no time."""
    if time is None:
        return CLOCK
    hour, minute = divmod(time.minute or 0, 60)
    return datetime(time.year, time.month or 1, time.day or 1, hour, minute, tzinfo=UTC)


def _point(moment: datetime | None) -> TimePoint | None:
    """Return a moment as a time point; midnight gives only the day, as Graphiti writes a day."""
    if moment is None:
        return None
    point = TimePoint.from_datetime(moment)
    return point if point.minute else TimePoint(point.year, point.month, point.day)
