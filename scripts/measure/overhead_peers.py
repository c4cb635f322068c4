"""Run REMem and its peers on empty stores, for the overhead benchmark.

The peers run only their own packages with default settings, in memory and without telemetry. Only
their model and embedder are replaced by the stub.
"""

import asyncio
import json
import os
import tempfile
from collections.abc import Callable, Coroutine, Sequence
from datetime import UTC, datetime
from functools import partial
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Protocol, TypeVar

from measure.metered_stub import MeteredEndpoint, MeteredStub
from measure.workload import RULES
from remem.index.bm25_lexical import Bm25sLexical
from remem.index.numpy_dense import NumpyDense
from remem.llm.chat_model import StoredChatModel
from remem.memory.agent import run_agent
from remem.memory.llm_extractor import LLMExtractor
from remem.memory.llm_planner import OWN_KEYS, LLMPlanner
from remem.memory.planners import SingleStep
from remem.memory.remem_memory import REMem
from remem.memory.tools import RETRIEVAL_AND_EXPLORATION
from remem.passages import undated_line
from remem.prompts.library import own_library
from remem.types import History, Query

TOP_K = 10
MAX_STEPS = 3
"""T_max on LoCoMo."""
USER = "history"

Result = TypeVar("Result")


class Driven(Protocol):
    """A system with an empty store."""

    def index(self, history: History) -> None:
        """Index a history."""

    def recall(self, question: str) -> Sequence[Any]:
        """Return the results for a question."""


class DrivenREMem:
    """REMem with a model: every call is stored, parsed, validated and counted."""

    def __init__(self, stub: MeteredStub, folder: str) -> None:
        model = StoredChatModel(
            endpoint=MeteredEndpoint(stub.left_out, stub.asked),
            store=str(Path(tempfile.mkdtemp(dir=folder), "calls.sqlite")),
            attempts=3,
            repeat=0,
            budget_dollars=None,
            prices="",
        )
        prompts = own_library()
        self._planner = LLMPlanner(
            chat_model=model,
            prompts=prompts,
            prompt="planner.v1",
            call_keys=OWN_KEYS,
            mode="json",
            max_steps=MAX_STEPS,
            items_shown=30,
            characters_shown=1000,
        )
        self._memory = REMem(
            extractor=LLMExtractor(
                chat_model=model,
                prompts=prompts,
                gist_prompt="gist_extraction.chat.v1",
                fact_prompt="fact_extraction.chat.v1",
                qualifiers=False,
                captions=False,
            ),
            episode_unit="session",
            parallel_episodes=1,
            embedder=stub,
            dense=NumpyDense,
            lexical=partial(Bm25sLexical, k1=1.5, b=0.75, method="lucene"),
            planner=SingleStep(tool="semantic_retrieve"),
            max_steps=MAX_STEPS,
            top_k=TOP_K,
            synonymy_threshold=0.8,
            rules=RULES,
            fact_string="bars",
            use_gists=True,
            use_facts=True,
            use_synonymy=True,
            tools=dict.fromkeys(RETRIEVAL_AND_EXPLORATION, True),
        )

    def index(self, history: History) -> None:
        """Extract, connect and index the sessions."""
        self._memory.index(history)
        if self._memory.failures:
            raise ValueError(f"{len(self._memory.failures)} sessions failed to be extracted")

    def recall(self, question: str) -> Sequence[Any]:
        """Return the nearest gists in one step, like REMem-S and the peers."""
        return self._memory.recall(Query("q", USER, 0, question)).gists

    def recall_by_agent(self, question: str) -> Sequence[Any]:
        """Return the steps of REMem-I, planned by a model."""
        return run_agent(
            question,
            planner=self._planner,
            toolbox=self._memory.toolbox(),
            offered=lambda _: (*RETRIEVAL_AND_EXPLORATION, "output_answer"),
            max_steps=MAX_STEPS,
        ).steps


class DrivenMem0:
    """Mem0, which adds one message at a time, as for its row in the tables.

    With `graph`, it also keeps relations in a graph in Kuzu.
    """

    def __init__(self, stub: MeteredStub, folder: str, *, graph: bool = False) -> None:
        os.environ |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": folder}  # read on import alone
        key = {"api_key": "unused"}
        unused = {"provider": "openai", "config": key}
        qdrant = {"path": ":memory:", "embedding_model_dims": stub.dimension, "on_disk": True}
        config: dict[str, Any] = {
            "llm": unused,
            "embedder": unused | {"config": key | {"embedding_dims": stub.dimension}},
            "vector_store": {"provider": "qdrant", "config": qdrant},
            "history_db_path": ":memory:",
        }
        if graph:
            config["graph_store"] = {"provider": "kuzu", "config": {"db": ":memory:"}}
        self._memory = import_module("mem0.memory.main").Memory.from_config(config)
        for part in (self._memory, *([self._memory.graph] if graph else ())):
            part.llm = SimpleNamespace(generate_response=partial(_mem0_reply, stub))
            part.embedding_model = SimpleNamespace(
                embed=lambda text, memory_action=None: stub.vectors([text])[0],
                config=SimpleNamespace(embedding_dims=stub.dimension),
            )

    def index(self, history: History) -> None:
        """Add the messages."""
        for message in history.messages():
            turns = [{"role": "user", "content": undated_line(message)}]
            self._memory.add(turns, user_id=USER, metadata={"message": message.id})

    def recall(self, question: str) -> Sequence[Any]:
        """Return the nearest memories."""
        results: Sequence[Any] = self._memory.search(question, user_id=USER, limit=TOP_K)["results"]
        return results


class DrivenGraphiti:
    """Graphiti, which adds one session at a time to a graph in Kuzu."""

    def __init__(self, stub: MeteredStub, folder: str) -> None:
        os.environ["GRAPHITI_TELEMETRY_ENABLED"] = "false"
        core = _graphiti_core
        self._loop = asyncio.new_event_loop()
        self._message = core(".nodes").EpisodeType.message
        client = core(".llm_client.openai_generic_client").OpenAIGenericClient
        config = core(".llm_client.config").LLMConfig(api_key="unused", temperature=0)
        self._graphiti = core(".graphiti").Graphiti(
            graph_driver=core(".driver.kuzu_driver").KuzuDriver(),
            llm_client=client(config, client=_openai_client(stub)),
            embedder=_graphiti_embedder(stub),
            cross_encoder=_unused_reranker(),
        )
        self._run(self._prepare())

    def index(self, history: History) -> None:
        """Add the sessions."""
        for episode in history.episodes:
            day = episode.messages[0].time
            when = datetime(day.year, day.month or 1, day.day or 1, tzinfo=UTC) if day else NOW
            added = self._graphiti.add_episode(
                name=episode.id,
                episode_body="\n".join(undated_line(message) for message in episode.messages),
                source=self._message,
                source_description="conversation",
                reference_time=when,
                group_id=USER,
            )
            self._run(added)

    def recall(self, question: str) -> Sequence[Any]:
        """Return the best edges."""
        return self._run(self._graphiti.search(question, group_ids=[USER], num_results=TOP_K))

    async def _prepare(self) -> None:
        await self._graphiti.build_indices_and_constraints()

    def _run(self, work: Coroutine[Any, Any, Result]) -> Result:
        return self._loop.run_until_complete(work)


class DrivenNewerGraphiti(DrivenGraphiti):
    """A newer Graphiti, whose driver of Kuzu omits two steps and fails without them."""

    async def _prepare(self) -> None:
        driver = self._graphiti.driver
        driver._database = USER
        for query in _graphiti_core(".graph_queries").get_fulltext_indices(driver.provider):
            await driver.execute_query(query)


NOW = datetime(2025, 9, 8, tzinfo=UTC)
SYSTEMS: dict[str, Callable[[MeteredStub, str], Driven]] = {
    "remem": DrivenREMem,
    "mem0": DrivenMem0,
    "mem0-graph": partial(DrivenMem0, graph=True),
    "graphiti": DrivenGraphiti,
    "graphiti-new": DrivenNewerGraphiti,
}


def _mem0_reply(
    stub: MeteredStub,
    messages: Sequence[Any],
    response_format: object = None,
    tools: Sequence[Any] = (),
) -> str | dict[str, Any]:
    """Return a text, or calls of the tools that Mem0's graph offers."""
    reply = stub.reply(messages, tools=tools)
    if not tools:
        return reply.text
    calls = [{"name": name, "arguments": json.loads(arguments)} for name, arguments in reply.calls]
    return {"content": reply.text, "tool_calls": calls}


def _graphiti_core(name: str) -> Any:
    return import_module(name, "graphiti_core")


def _openai_client(stub: MeteredStub) -> SimpleNamespace:
    async def create(
        messages: Sequence[Any], response_format: object = None, **_: object
    ) -> SimpleNamespace:
        reply = stub.reply(messages, response_format=response_format)
        message = SimpleNamespace(content=reply.text)
        return SimpleNamespace(choices=[SimpleNamespace(message=message)])

    return SimpleNamespace(chat=SimpleNamespace(completions=SimpleNamespace(create=create)))


def _graphiti_embedder(stub: MeteredStub) -> Any:
    class PeerEmbedder:
        async def create(self, input_data: Any) -> list[float]:
            texts = [input_data] if isinstance(input_data, str) else list(input_data)
            return stub.vectors(texts)[0]

        async def create_batch(self, input_data_list: list[str]) -> list[list[float]]:
            return stub.vectors(input_data_list)

    import_module("graphiti_core.embedder.client").EmbedderClient.register(PeerEmbedder)
    return PeerEmbedder()


def _unused_reranker() -> object:
    """Return a replacement for a client that would need an API key."""

    class Reranker:
        pass

    import_module("graphiti_core.cross_encoder.client").CrossEncoderClient.register(Reranker)
    return Reranker()
