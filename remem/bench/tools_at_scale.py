"""Times of indexing and of each tool over a large memory, embeddings excluded."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from remem.bench.workload import (
    ITEMS_PER_EPISODE,
    ReadyEmbedder,
    ready_history,
    sentences,
    unit_vectors,
)
from remem.embed.hashing import HashingEmbedder
from remem.generators.long_chat import long_chat
from remem.index.bm25s_lexical import Bm25sLexical
from remem.index.numpy_dense import NumpyDense
from remem.memory.remem_memory import REMem
from remem.memory.rules_extractor import RulesExtractor
from remem.memory.scripted_planners import ScriptedPlanner
from remem.memory.tools import RETRIEVAL_AND_EXPLORATION
from remem.protocols import Embedder, Extractor
from remem.types import History, ToolCall

GOAL_MILLISECONDS = 50.0


@dataclass(frozen=True, slots=True)
class Timed:
    """One line of the benchmark; `goal` is an upper limit of the median, None where none is set."""

    name: str
    unit: str
    n: int
    median: float
    low: float
    high: float
    goal: float | None

    @property
    def holds(self) -> bool | None:
        """Tell whether the goal is met."""
        return None if self.goal is None else self.median <= self.goal


def time_tools(
    *, size: int, appended: int, dimension: int, repeats: int, seed: int
) -> Iterator[Timed]:
    """Index `size` gists and as many facts, time each tool `repeats` times, append episodes."""
    rng = np.random.default_rng(seed)
    total = size + (appended + repeats) * ITEMS_PER_EPISODE
    history, extractor = ready_history(total, rng)
    vectors = [unit_vectors(count, dimension, rng) for count in (total, total, repeats)]
    memory, rebuilt = (_memory(extractor, ReadyEmbedder(*vectors)) for _ in range(2))
    begun, grown = size // ITEMS_PER_EPISODE, size // ITEMS_PER_EPISODE + appended
    look = ToolCall("lexical_retrieve", {"query": "w1"})

    yield _once("index, synonymy included", lambda: memory.index(_part(history, 0, begun)))
    yield _once("first lexical search (builds)", lambda: _execute(memory, look))
    for name, calls in _calls(size, repeats, rng).items():
        works = [partial(_execute, memory, call) for call in calls]
        yield _each(name, works, GOAL_MILLISECONDS)
    name = f"append {appended:,} episodes ({appended * ITEMS_PER_EPISODE:,} gists, as many facts)"
    yield _once(name, lambda: memory.index(_part(history, begun, grown)))
    yield _once("first lexical search after it (builds)", lambda: _execute(memory, look))
    yield _once("rebuild with them", lambda: rebuilt.index(_part(history, 0, grown)))
    if memory.graph.synonymy_pairs() != rebuilt.graph.synonymy_pairs():
        raise ValueError("the graph that was appended to is not the one that was built anew")
    singles = [
        partial(memory.index, _part(history, at, at + 1)) for at in range(grown, grown + repeats)
    ]
    yield _each(f"append an episode ({ITEMS_PER_EPISODE} gists, as many facts)", singles, None)


def time_chat_indexing(*, events: int, seed: int) -> Timed:
    """Index a generated chat from its messages on: rules extractor, hashing embedder, synonymy."""
    history = History("long", tuple(long_chat(seed, events)))
    messages = sum(1 for _ in history.messages())
    memory = _memory(RulesExtractor(), HashingEmbedder(dimension=512))
    name = f"index a chat of {messages:,} messages, from the messages on"
    return _once(name, lambda: memory.index(history))


def _part(history: History, begin: int, end: int) -> History:
    return History(history.id, history.episodes[begin:end])


def _once(name: str, work: Callable[[], object]) -> Timed:
    seconds = _seconds(work)
    return Timed(name, "s", 1, seconds, seconds, seconds, None)


def _each(name: str, works: Sequence[Callable[[], object]], goal: float | None) -> Timed:
    times = [1000 * _seconds(work) for work in works]
    return Timed(name, "ms", len(times), float(np.median(times)), min(times), max(times), goal)


def _memory(extractor: Extractor, embedder: Embedder) -> REMem:
    return REMem(
        extractor=extractor,
        episode_unit="session",
        parallel_episodes=1,
        embedder=embedder,
        dense=NumpyDense,
        lexical=lambda: Bm25sLexical(k1=1.5, b=0.75, method="lucene"),
        planner=ScriptedPlanner(),
        max_steps=3,
        top_k=10,
        synonymy_threshold=0.8,
        undated_items="keep",
        use_gists=True,
        use_facts=True,
        use_synonymy=True,
        tools=dict.fromkeys(RETRIEVAL_AND_EXPLORATION, True),
    )


def _calls(size: int, repeats: int, rng: np.random.Generator) -> dict[str, list[ToolCall]]:
    """Draw the calls to be timed, by what they exercise."""
    questions = sentences(repeats, rng)
    gists = rng.integers(1, size + 1, repeats).tolist()
    entities = (rng.zipf(1.3, repeats) % max(size // 4, 2)).tolist()
    years = {"start_time": "1950", "end_time": "1990"}
    return {
        "semantic_retrieve": [ToolCall("semantic_retrieve", {"query": text}) for text in questions],
        "semantic_retrieve, time filter": [
            ToolCall("semantic_retrieve", {"query": text, **years}) for text in questions
        ],
        "lexical_retrieve": [ToolCall("lexical_retrieve", {"query": text}) for text in questions],
        "find_gist_contexts": [
            ToolCall("find_gist_contexts", {"gist_id": f"g{gist}"}) for gist in gists
        ],
        "find_entity_contexts, exact": [
            ToolCall("find_entity_contexts", {"subject": f"entity {entity}", "ordering": "asc"})
            for entity in entities
        ],
        "find_entity_contexts, substring": [
            ToolCall("find_entity_contexts", {"subject": f"NTITY {entity}", "ordering": "desc"})
            for entity in entities
        ],
        "find_entity_contexts, count": [
            ToolCall(
                "find_entity_contexts",
                {"predicate": f"relation {gist % 200}", "aggregation": "count_unique_subjects"},
            )
            for gist in gists
        ],
    }


def _execute(memory: REMem, call: ToolCall) -> None:
    observation = memory.toolbox().execute(call)
    if observation.error:
        raise ValueError(f"{call.tool}: {observation.message}")


def _seconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun
