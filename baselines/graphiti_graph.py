"""Repeatable runs of the pinned Graphiti release, on an in-memory graph, without telemetry."""

import os
from collections.abc import Callable, Coroutine
from contextvars import ContextVar
from datetime import UTC, datetime
from importlib import import_module
from random import Random
from typing import Any
from uuid import UUID, uuid4

from baselines.graphiti_calls import GraphitiCalls
from remem.config.extras import installed_version

PINNED = {"graphiti-core": "0.20.4", "kuzu": "0.11.3", "httpx": None}
"""Graphiti imports httpx without declaring it as a dependency."""
CLOCK = datetime(2025, 9, 8, tzinfo=UTC)
"""The current time in Graphiti, which dates some facts by it; fixed to the day of its release."""
MOST_BYTES = 1 << 36
"""Maximum size of a Kuzu graph; by default each reserves 8 TiB and the 16th per process fails."""

IDS: ContextVar[Random | None] = ContextVar("ids of the episode in work", default=None)
"""Source of the ids of nodes and edges, which must be repeatable because prompts contain them."""


class _NoReranker:
    """Replaces a reranker that would need an API key; our searches never call a reranker."""

    async def rank(self, query: str, passages: list[str]) -> list[tuple[str, float]]:
        """Raise NotImplementedError."""
        raise NotImplementedError(f"cannot rank {query!r}: no reranker is configured")


def new_graphiti(calls: GraphitiCalls) -> Any:
    """Return Graphiti with an empty graph in memory, without telemetry."""
    os.environ["GRAPHITI_TELEMETRY_ENABLED"] = "false"
    core = _core("graphiti")
    _make_repeatable()
    client = _core("llm_client.openai_generic_client").OpenAIGenericClient
    config = _core("llm_client.config").LLMConfig
    _core("embedder.client").EmbedderClient.register(GraphitiCalls)
    _core("cross_encoder.client").CrossEncoderClient.register(_NoReranker)
    return core.Graphiti(
        graph_driver=new_driver(),
        llm_client=client(config(api_key="unused", temperature=0), client=calls.client()),
        embedder=calls,
        cross_encoder=_NoReranker(),
    )


def new_driver() -> Any:
    """Return a database driver with one thread, so that the order of equal scores never varies."""
    kuzu = import_module("kuzu")
    kind = _core("driver.kuzu_driver").KuzuDriver
    driver = object.__new__(kind)  # its constructor takes no settings of the database
    driver.db = kuzu.Database(":memory:", max_db_size=MOST_BYTES)
    driver.setup_schema()
    driver.client = kuzu.AsyncConnection(
        driver.db, max_concurrent_queries=1, max_threads_per_query=1
    )
    driver.execute_query = _telling_the_zone(driver.execute_query)
    return driver


def _telling_the_zone(execute: Callable[..., Coroutine[Any, Any, Any]]) -> Callable[..., Any]:
    """Wrap a query function so that it returns times in UTC, as other databases do.

    Deviation: Kuzu omits the time zone. Graphiti then cannot compare two times, and every session
    that contradicts an earlier one would be lost.
    """

    async def executed(cypher: str, /, **parameters: Any) -> Any:
        return _zoned(await execute(cypher, **parameters))

    return executed


def _zoned(value: Any) -> Any:
    if isinstance(value, datetime) and value.tzinfo is None:
        return value.replace(tzinfo=UTC)
    if isinstance(value, dict):
        return {key: _zoned(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_zoned(inner) for inner in value)
    return value


def _make_repeatable() -> None:
    """Make Graphiti's ids and clock repeatable while one of our memories uses it.

    The limit on parallel coroutines is removed, because later ones would see results of earlier
    ones in a random order. Our threads limit the number of parallel calls instead.
    """
    for name in ("nodes", "edges"):
        _core(name).uuid4 = _next_id
    maintenance = "utils.maintenance"
    for name in (
        "graphiti",
        "nodes",
        f"{maintenance}.edge_operations",
        f"{maintenance}.node_operations",
    ):
        _core(name).utc_now = _now
    _core("helpers").SEMAPHORE_LIMIT = 1_000_000


def _core(name: str) -> Any:
    return import_module(f"graphiti_core.{name}")


def _next_id() -> UUID:
    ids = IDS.get()
    return uuid4() if ids is None else UUID(int=ids.getrandbits(128), version=4)


def _now() -> datetime:
    return datetime.now(UTC) if IDS.get() is None else CLOCK


def require_packages() -> None:
    """Raise ImportError unless the pinned releases are installed.

    Other releases may work differently.
    """
    installed = {name: installed_version(name) for name in PINNED}
    if any(
        installed[name] is None or pin not in (None, installed[name])
        for name, pin in PINNED.items()
    ):
        needed = " ".join(f"{name}=={pin}" if pin else name for name, pin in PINNED.items())
        have = ", ".join(f"{name} {release or 'missing'}" for name, release in installed.items())
        raise ImportError(
            f"method=graphiti does not work with these releases: {have}; install the pinned ones: "
            f"pip install {needed}"
        )
