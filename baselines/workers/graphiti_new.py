"""A newer Graphiti as its package runs it, over an embedded Kuzu in memory, and repeatable."""

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
"""A graph holds one history."""
CLOCK = datetime(2025, 9, 8, tzinfo=UTC)
"""What Graphiti takes for the present, and for the time of what has none."""
NO_LIMIT = "1000000"


class Models:
    """The clients of Graphiti's model and embedder, `parallel_calls` of them in work at once.

    Their key is in OPENAI_API_KEY.
    """

    def __init__(self, told: Mapping[str, Any]) -> None:
        openai = import_module("openai")
        self._name = told["model"]
        self._places = asyncio.Semaphore(told["settings"]["parallel_calls"])
        self._client = openai.AsyncOpenAI(base_url="http://unused", max_retries=0, timeout=None)
        self.chat = self  # what Graphiti calls of it is chat.completions.create
        self.completions = self

    def ask_at(self, url: str) -> None:
        """Ask at another address from now on."""
        self._client.base_url = url

    async def create(self, **request: Any) -> Any:
        """Ask the model."""
        async with self._places:
            return await self._client.chat.completions.create(**request)

    async def embed(self, texts: list[str], kind: str) -> list[list[float]]:
        """Embed the names of nodes or facts, or questions about facts."""
        async with self._places:
            done = await self._client.embeddings.create(
                model=self._name,
                input=texts,
                encoding_format="float",
                extra_body={"input_type": kind, "target": "fact"},
            )
        return [item.embedding for item in done.data]


class Embedder:
    """Embeds in the full dimension, where Graphiti's own would cut vectors off."""

    def __init__(self, models: Models) -> None:
        self._models = models

    async def create(self, input_data: str | list[str]) -> list[float]:
        """Embed what is searched."""
        texts = [input_data] if isinstance(input_data, str) else input_data
        return (await self._models.embed(texts, "document"))[0]

    async def create_batch(self, input_data_list: list[str]) -> list[list[float]]:
        """Embed several."""
        return await self._models.embed(input_data_list, "document")


class NoReranker:
    """Stands where Graphiti would build a client that needs a key; its search never ranks."""

    async def rank(self, query: str, passages: list[str]) -> list[tuple[str, float]]:
        """Refuse."""
        raise NotImplementedError(f"no reranker is configured, {query!r} was to be ranked")


class Sessions:
    """A graph in memory, to which one session after the other is added."""

    def __init__(self, told: Mapping[str, Any]) -> None:
        os.environ |= {"GRAPHITI_TELEMETRY_ENABLED": "false", "SEMAPHORE_LIMIT": NO_LIMIT}
        self._settings = told["settings"]
        self._loop = asyncio.new_event_loop()
        self._models = Models(told)
        self._graphiti = self._run(_graphiti(self._models, told["model"]))
        self._episodes: dict[str, str] = {}
        self._edges: set[str] = set()

    def add(self, episode: Mapping[str, Any], url: str) -> dict[str, Any]:
        """Add a session; one whose replies cannot be used is lost whole."""
        self._models.ask_at(url)
        _make_repeatable(Random(episode["id"]))
        try:
            added = self._run(self._graphiti.add_episode(**_stated(episode)))
        except Exception as error:  # noqa: BLE001  Graphiti has lost it, whatever it raises
            reason = f"{type(error).__name__}: {error}"
            return {"stored": 0, "counts": {"lost": 1}, "lost": [reason]}
        self._episodes[added.episode.uuid] = episode["id"]
        counts = {"sessions": 1, "nodes": len(added.nodes), "edges": len(added.edges)}
        new = {edge.uuid for edge in added.edges} - self._edges  # known ones come again
        self._edges |= new
        return {"stored": len(new), "counts": counts, "lost": []}

    def recall(self, text: str, url: str) -> list[dict[str, Any]]:
        """Return the best edges, each with its validity."""
        self._models.ask_at(url)
        return [self._told(edge) for edge in self._run(self._found(text)).edges]

    async def _found(self, text: str) -> Any:
        """Search as `Graphiti.search` does, with the threshold open."""
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

    def _told(self, edge: Any) -> dict[str, Any]:
        start, end = _day_or_minute(edge.valid_at), _day_or_minute(edge.invalid_at)
        known = f" (valid from {start or 'unknown'} to {end or 'now'})" if start or end else ""
        sources = [
            self._episodes[episode] for episode in edge.episodes if episode in self._episodes
        ]
        return {"id": edge.uuid, "text": edge.fact + known, "time": start, "source": sources}

    def _run(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        """Run a coroutine, and what it began too, even after an error."""
        try:
            return self._loop.run_until_complete(coroutine)
        finally:
            while begun := asyncio.all_tasks(self._loop):
                self._loop.run_until_complete(asyncio.gather(*begun, return_exceptions=True))


def start(told: Mapping[str, Any]) -> Sessions:
    """Start an empty one."""
    return Sessions(told)


async def _graphiti(models: Models, name: str) -> Any:
    _core("embedder.client").EmbedderClient.register(Embedder)
    _core("cross_encoder.client").CrossEncoderClient.register(NoReranker)
    client = _core("llm_client.openai_generic_client").OpenAIGenericClient
    # Deviation: it would ask again, and wait for up to two minutes; the reply would be the same.
    once = import_module("tenacity").stop_after_attempt(1)
    client._generate_response_with_retry.retry.stop = once
    config = _core("llm_client.config").LLMConfig
    settings = config(api_key="unused", model=name, small_model=name, temperature=0)
    return _core("graphiti").Graphiti(
        graph_driver=await _driver(),
        llm_client=client(settings, client=models),
        embedder=Embedder(models),
        cross_encoder=NoReranker(),
    )


async def _driver() -> Any:
    """Return a driver of one thread, so that equal scores keep their order."""
    driver = _core("driver.kuzu_driver").KuzuDriver(db=":memory:")
    driver.client = import_module("kuzu").AsyncConnection(
        driver.db, max_concurrent_queries=1, max_threads_per_query=1
    )
    # Two things that the released driver leaves undone, and fails without.
    driver._database = GROUP
    for query in _core("graph_queries").get_fulltext_indices(driver.provider):
        await driver.execute_query(query)
    return driver


def _make_repeatable(ids: Random) -> None:
    """Fix the clock and the ids of all modules of Graphiti: both can stand in prompts."""
    for name, module in list(sys.modules.items()):
        if name.startswith("graphiti_core."):
            if hasattr(module, "uuid4"):
                module.__dict__["uuid4"] = lambda: UUID(int=ids.getrandbits(128), version=4)
            if hasattr(module, "utc_now"):
                module.__dict__["utc_now"] = lambda: CLOCK


def _core(name: str) -> Any:
    return import_module(f"graphiti_core.{name}")


def _stated(episode: Mapping[str, Any]) -> dict[str, Any]:
    """Return a session as Graphiti takes it."""
    return {
        "name": episode["id"],
        "episode_body": episode["text"],
        "source": _core("nodes").EpisodeType.message,
        "source_description": "conversation",
        "reference_time": _moment(episode["time"]),
        "group_id": GROUP,
    }


def _moment(time: str | None) -> datetime:
    """Return the first minute of a year, month, day or minute."""
    if time is None:
        return CLOCK
    whole = time + "0001-01-01T00:00"[len(time) :]
    return datetime.fromisoformat(whole).replace(tzinfo=UTC)


def _day_or_minute(moment: datetime | None) -> str | None:
    """Return a moment as ISO has it; midnight is how Graphiti writes a day."""
    if moment is None:
        return None
    stated = moment.strftime("%Y-%m-%dT%H:%M")
    return stated.removesuffix("T00:00")
