"""A newer release of Graphiti than that of `method=graphiti`, run from its own package.

Its results are repeatable, and its database is an in-memory Kuzu.
"""

import asyncio
import os
import sys
from collections.abc import Coroutine, Mapping
from datetime import UTC, datetime
from importlib import import_module
from random import Random
from typing import Any
from uuid import UUID

PACKAGE = "graphiti-core"
GROUP = "history"
"""The only group of a graph, which has one history."""
CLOCK = datetime(2025, 9, 8, tzinfo=UTC)
"""The current time in Graphiti, also used for sessions without a time."""
NO_LIMIT = "1000000"


class GraphitiModels:
    """The clients of Graphiti's model and embedder, with at most `parallel_calls` calls at once.

    The API key is in OPENAI_API_KEY.
    """

    def __init__(self, settings: Mapping[str, Any]) -> None:
        openai = import_module("openai")
        self._name = settings["model"]
        self._places = asyncio.Semaphore(settings["settings"]["parallel_calls"])
        self._client = openai.AsyncOpenAI(base_url="http://unused", max_retries=0, timeout=None)
        self.chat = self  # Graphiti calls chat.completions.create
        self.completions = self

    def ask_at(self, url: str) -> None:
        """Set the address for all further calls."""
        self._client.base_url = url

    async def create(self, **request: Any) -> Any:
        """Return the reply of the model."""
        async with self._places:
            return await self._client.chat.completions.create(**request)

    async def embed(self, texts: list[str], kind: str) -> list[list[float]]:
        """Return the embeddings of node names, facts, or questions about facts."""
        async with self._places:
            done = await self._client.embeddings.create(
                model=self._name,
                input=texts,
                encoding_format="float",
                extra_body={"input_type": kind, "target": "fact"},
            )
        return [item.embedding for item in done.data]


class GatewayEmbedder:
    """An embedder that returns full vectors, which Graphiti's own embedder would shorten."""

    def __init__(self, models: GraphitiModels) -> None:
        self._models = models

    async def create(self, input_data: str | list[str]) -> list[float]:
        """Return the embedding of a searchable text."""
        texts = [input_data] if isinstance(input_data, str) else input_data
        return (await self._models.embed(texts, "document"))[0]

    async def create_batch(self, input_data_list: list[str]) -> list[list[float]]:
        """Return the embeddings of several texts."""
        return await self._models.embed(input_data_list, "document")


class NoReranker:
    """Replaces Graphiti's reranker, which would need an API key; our searches never call it."""

    async def rank(self, query: str, passages: list[str]) -> list[tuple[str, float]]:
        """Raise NotImplementedError."""
        raise NotImplementedError(f"cannot rank {query!r}: no reranker is configured")


class Sessions:
    """An in-memory graph to which sessions are added one by one."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        os.environ |= {"GRAPHITI_TELEMETRY_ENABLED": "false", "SEMAPHORE_LIMIT": NO_LIMIT}
        self._settings = settings["settings"]
        self._loop = asyncio.new_event_loop()
        self._models = GraphitiModels(settings)
        self._graphiti = self._run(_graphiti(self._models, settings["model"]))
        self._episodes: dict[str, str] = {}
        self._edges: set[str] = set()

    def add(self, episode: Mapping[str, Any], url: str) -> dict[str, Any]:
        """Add a session; after any error, such as an unusable reply, the entire session is lost."""
        self._models.ask_at(url)
        _make_repeatable(Random(episode["id"]))
        try:
            added = self._run(self._graphiti.add_episode(**_stated(episode)))
        except Exception as error:  # noqa: BLE001  after any error, the session is lost
            reason = f"{type(error).__name__}: {error}"
            return {"stored": 0, "counts": {"lost": 1}, "lost": [reason]}
        self._episodes[added.episode.uuid] = episode["id"]
        counts = {"sessions": 1, "nodes": len(added.nodes), "edges": len(added.edges)}
        new = {edge.uuid for edge in added.edges} - self._edges  # known edges are returned again
        self._edges |= new
        return {"stored": len(new), "counts": counts, "lost": []}

    def recall(self, text: str, url: str) -> dict[str, Any]:
        """Return the best edges, each with the period in which it is valid."""
        self._models.ask_at(url)
        return {"found": [self._edge_item(edge) for edge in self._run(self._found(text)).edges]}

    async def _found(self, text: str) -> Any:
        """Search like `Graphiti.search`, with the configured similarity threshold."""
        parts = _core("search.search_config")
        methods = [parts.EdgeSearchMethod.bm25, parts.EdgeSearchMethod.cosine_similarity]
        edges = parts.EdgeSearchConfig(
            search_methods=methods,
            reranker=parts.EdgeReranker.rrf,
            sim_min_score=self._settings["min_similarity"],
        )
        config = parts.SearchConfig(edge_config=edges, limit=self._settings["top_k"])
        no_filter = _core("search.search_filters").SearchFilters()
        (vector,) = await self._models.embed([text], "query")
        return await _core("search.search").search(
            self._graphiti.clients, text, [GROUP], config, no_filter, query_vector=vector
        )

    def _edge_item(self, edge: Any) -> dict[str, Any]:
        start, end = _day_or_minute(edge.valid_at), _day_or_minute(edge.invalid_at)
        validity = f" (valid from {start or 'unknown'} to {end or 'now'})" if start or end else ""
        sources = [
            self._episodes[episode] for episode in edge.episodes if episode in self._episodes
        ]
        return {"id": edge.uuid, "text": edge.fact + validity, "time": start, "source": sources}

    def _run(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        """Run a coroutine and all tasks that it started, even after an error."""
        try:
            return self._loop.run_until_complete(coroutine)
        finally:
            while begun := asyncio.all_tasks(self._loop):
                self._loop.run_until_complete(asyncio.gather(*begun, return_exceptions=True))


def start(settings: Mapping[str, Any]) -> Sessions:
    """Return an empty memory."""
    return Sessions(settings)


async def _graphiti(models: GraphitiModels, name: str) -> Any:
    _core("embedder.client").EmbedderClient.register(GatewayEmbedder)
    _core("cross_encoder.client").CrossEncoderClient.register(NoReranker)
    client = _core("llm_client.openai_generic_client").OpenAIGenericClient
    # Deviation: Graphiti would retry for up to two minutes, but the reply would be the same.
    once = import_module("tenacity").stop_after_attempt(1)
    client._generate_response_with_retry.retry.stop = once
    config = _core("llm_client.config").LLMConfig
    settings = config(api_key="unused", model=name, small_model=name, temperature=0)
    return _core("graphiti").Graphiti(
        graph_driver=await _driver(),
        llm_client=client(settings, client=models),
        embedder=GatewayEmbedder(models),
        cross_encoder=NoReranker(),
    )


async def _driver() -> Any:
    """Return a database driver with one thread, so that equal scores keep their order."""
    driver = _core("driver.kuzu_driver").KuzuDriver(db=":memory:")
    driver.client = import_module("kuzu").AsyncConnection(
        driver.db, max_concurrent_queries=1, max_threads_per_query=1
    )
    # The released driver omits these two steps, and fails without them.
    driver._database = GROUP
    for query in _core("graph_queries").get_fulltext_indices(driver.provider):
        await driver.execute_query(query)
    return driver


def _make_repeatable(ids: Random) -> None:
    """Make the clock and the ids in Graphiti repeatable, because prompts can contain both."""
    for name, module in list(sys.modules.items()):
        if name.startswith("graphiti_core."):
            if hasattr(module, "uuid4"):
                module.__dict__["uuid4"] = lambda: UUID(int=ids.getrandbits(128), version=4)
            if hasattr(module, "utc_now"):
                module.__dict__["utc_now"] = lambda: CLOCK


def _core(name: str) -> Any:
    return import_module(f"graphiti_core.{name}")


def _stated(episode: Mapping[str, Any]) -> dict[str, Any]:
    """Return a session as arguments for Graphiti."""
    return {
        "name": episode["id"],
        "episode_body": episode["text"],
        "source": _core("nodes").EpisodeType.message,
        "source_description": "conversation",
        "reference_time": _moment(episode["time"]),
        "group_id": GROUP,
    }


def _moment(time: str | None) -> datetime:
    """Return the start of an ISO year, month, day or minute; `CLOCK` if there is no time."""
    if time is None:
        return CLOCK
    whole = time + "0001-01-01T00:00"[len(time) :]
    return datetime.fromisoformat(whole).replace(tzinfo=UTC)


def _day_or_minute(moment: datetime | None) -> str | None:
    """Return a time in ISO format, as a day if it is midnight, because Graphiti stores days so."""
    if moment is None:
        return None
    stated = moment.strftime("%Y-%m-%dT%H:%M")
    return stated.removesuffix("T00:00")
