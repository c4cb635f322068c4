"""What every memory promises. A new one joins by a line in MEMORIES."""

import os
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest
from omegaconf import DictConfig

from baselines.passage_rag import DenseRetriever, PassageRAG
from baselines.reference import FullContext, NoMemory, OracleMessage
from remem.config import compose_config, run_config
from remem.embed.hashing import HashingEmbedder
from remem.index.bm25s_lexical import Bm25sLexical
from remem.index.numpy_dense import NumpyDense
from remem.memory.remem_memory import REMem
from remem.memory.rules_extractor import RulesExtractor
from remem.memory.scripted_planners import ScriptedPlanner, SingleStep
from remem.memory.tools import RETRIEVAL_AND_EXPLORATION
from remem.protocols import Memory, Planner, SeesGold
from remem.time_scope import TimePoint
from remem.types import Episode, Evidence, Gold, History, Message, Query, Question


def bm25(unit: str) -> Memory:
    return PassageRAG(
        unit=unit,
        top_k=50,  # more than there is
        embed_date=True,
        retriever=lambda: Bm25sLexical(k1=1.5, b=0.75, method="lucene"),
    )


def hashing() -> Memory:
    return PassageRAG(
        unit="message",
        top_k=3,
        embed_date=False,
        retriever=lambda: DenseRetriever(embedder=HashingEmbedder(dimension=64), dense=NumpyDense),
    )


def remem(planner: Planner) -> Memory:
    return REMem(
        extractor=RulesExtractor(),
        episode_unit="session",
        parallel_episodes=1,
        embedder=HashingEmbedder(dimension=64),
        dense=NumpyDense,
        lexical=lambda: Bm25sLexical(k1=1.5, b=0.75, method="lucene"),
        planner=planner,
        max_steps=5,
        top_k=3,
        synonymy_threshold=0.8,
        undated_items="keep",
        use_gists=True,
        use_facts=True,
        use_synonymy=True,
        tools=dict.fromkeys(RETRIEVAL_AND_EXPLORATION, True),
    )


def configured(*overrides: str) -> Memory:
    """Build a method of conf/method whose model is the stub, on a call store of its own."""
    config = composed(*overrides).copy()
    config.llm.build.store = str(Path(tempfile.mkdtemp()) / "calls.sqlite")
    config.llm.build.endpoint = {
        "_target_": "remem.serve.stub_endpoint.StubEndpoint",
        "size": "plain",
        "max_output_tokens": 4096,
    }
    config.llm.identity = {}
    return run_config(config).memory_factory()()


@cache
def composed(*overrides: str) -> DictConfig:
    return compose_config(["llm=loopback-stub", "extractor=llm", *overrides])


MEMORIES: dict[str, Callable[[], Memory]] = {
    "bm25_messages": lambda: bm25("message"),
    "bm25_sessions": lambda: bm25("session"),
    "embedding_messages": hashing,
    "full_context": lambda: FullContext(order="chronological"),
    "full_context_newest_first": lambda: FullContext(order="newest_first"),
    "oracle_message": OracleMessage,
    "no_memory": NoMemory,
    "remem_i_scripted": lambda: remem(ScriptedPlanner()),
    "remem_s_semantic": lambda: remem(SingleStep(tool="semantic_retrieve")),
    "remem_s_lexical": lambda: remem(SingleStep(tool="lexical_retrieve")),
}
WITH_A_MODEL = {
    "remem_i_llm": ("method=remem_i", "planner=llm"),
    "remem_i_llm_tools": ("method=remem_i", "planner=llm_tools"),
    "remem_s_llm": ("method=remem_s",),
    "hipporag2": ("method=hipporag2",),
    "hipporag2_messages": ("method=hipporag2", "method.build.unit=message"),
    "mem0": ("method=mem0",),
    "graphiti": ("method=graphiti",),
    "mem0_2": ("method=mem0_2",),
    "graphiti_new": ("method=graphiti_new",),
}
"""What asks a language model, as configured; the stub answers."""
PACKAGES = {"mem0": "mem0", "graphiti": "graphiti_core"}
ENVIRONMENTS = {"mem0_2": "REMEM_MEM0_2_PYTHON", "graphiti_new": "REMEM_GRAPHITI_NEW_PYTHON"}
SILENT = {
    ("no_memory", "chat"),
    ("no_memory", "facts"),
    ("graphiti", "facts"),
    ("graphiti_new", "facts"),
}
"""What recalls nothing: by design, or as the stub sees no entity of Graphiti's in an E7."""


def session(number: int, *texts: str) -> Episode:
    time = TimePoint(2023, 5, number, 600)
    messages = (
        Message(f"D{number}:{at}", ("Ann", "Bob")[at % 2], text, time, f"{number} May 2023")
        for at, text in enumerate(texts)
    )
    return Episode(f"session_{number}", tuple(messages))


def statement(number: int, text: str) -> Episode:
    return Episode(f"e{number}", (Message(f"F{number}", "", text, TimePoint(1990)),))


CHAT = History(
    "chat",
    (
        session(1, "I sold my boat yesterday", "To whom?", "Bob Miller bought the boat"),
        session(2, "The support group meets on Monday", "I will come to the support group"),
        session(3, "Look at this sunset", "Nice colours", "The boat is in it"),
    ),
)
FACTS = History(
    "facts",
    tuple(
        statement(at, f"E{at} was the R{at % 3} of E{at + 1} from {1960 + at} to {1965 + at}.")
        for at in range(12)
    ),
)
QUESTIONS = {
    "chat": [
        Question(
            Query("chat/0", "chat", 0, "Who bought the boat?"),
            Gold(("Bob Miller",), "1", evidence=("D1:2",)),
        ),
        Question(
            Query("chat/1", "chat", 1, "When does the support group meet?"),
            Gold(("Monday",), "2", evidence=("D2:0", "D2:1")),
        ),
    ],
    "facts": [
        Question(
            Query(
                "facts/0",
                "facts",
                0,
                "Which entity was the R1 of E5 in 1965?",
                order=tuple(f"F{at}" for at in (5, 3, 4, 0, 1, 2, 6, 7, 11, 10, 9, 8)),
            ),
            Gold(("E4",), "ET", evidence=("F4",)),
        )
    ],
}
HISTORIES = {"chat": CHAT, "facts": FACTS}


def parameter(name: str) -> object:
    """Make the parameter of one memory, skipped where its package or environment is lacking."""
    if variable := ENVIRONMENTS.get(name):
        unset = pytest.mark.skipif(variable not in os.environ, reason=f"{variable} is unset")
        return pytest.param(name, marks=[pytest.mark.extra, unset])
    package = PACKAGES.get(name)
    if package is None:
        return name
    missing = find_spec(package) is None
    skip = pytest.mark.skipif(missing, reason=f"{package} is not installed")
    return pytest.param(name, marks=[pytest.mark.extra, skip])


every_memory = pytest.mark.parametrize(
    "name", [parameter(name) for name in (*MEMORIES, *WITH_A_MODEL)]
)
every_history = pytest.mark.parametrize("history", HISTORIES.values(), ids=list(HISTORIES))


def told(name: str, history: History) -> Memory:
    """Make a memory that has not seen the history, only, if it may, the gold."""
    memory = MEMORIES[name]() if name in MEMORIES else configured(*WITH_A_MODEL[name])
    if isinstance(memory, SeesGold):
        memory.see_gold(QUESTIONS[history.id])
    return memory


def recalled(memory: Memory, history: History) -> list[Evidence]:
    return [memory.recall(question.query) for question in QUESTIONS[history.id]]


def indexed(name: str, parts: Sequence[History]) -> Memory:
    memory = told(name, parts[0])
    for part in parts:
        memory.index(part)
    return memory


def sources(evidence: Evidence) -> set[str]:
    items = (*evidence.gists, *evidence.facts, *evidence.passages)
    return {message_id for item in items for message_id in item.source}


@every_memory
@every_history
def test_recall_before_index_gives_no_evidence(name: str, history: History) -> None:
    for evidence in recalled(told(name, history), history):
        assert (evidence.gists, evidence.facts, evidence.passages) == ((), (), ())


@every_memory
@every_history
def test_two_memories_of_one_history_recall_the_same(name: str, history: History) -> None:
    first, second = indexed(name, [history]), indexed(name, [history])
    assert recalled(first, history) == recalled(second, history)


@every_memory
@every_history
def test_recall_changes_nothing(name: str, history: History) -> None:
    memory = indexed(name, [history])
    assert recalled(memory, history) == recalled(memory, history)


@every_memory
@every_history
def test_evidence_comes_from_the_own_history_alone(name: str, history: History) -> None:
    memory = indexed(name, [history])
    others = [other for other in HISTORIES.values() if other is not history]
    _ = [indexed(name, [other]) for other in others]
    own = {message.id for message in history.messages()}
    for evidence in recalled(memory, history):
        found = sources(evidence)
        assert found <= own
        assert bool(found) is ((name, history.id) not in SILENT)


@every_memory
@every_history
def test_no_passage_is_recalled_twice(name: str, history: History) -> None:
    for evidence in recalled(indexed(name, [history]), history):
        ids = [passage.id for passage in evidence.passages]
        assert len(ids) == len(set(ids))


@every_memory
@every_history
def test_a_history_in_parts_is_recalled_as_the_whole(name: str, history: History) -> None:
    parts = [History(history.id, (episode,)) for episode in history.episodes]
    whole = recalled(indexed(name, [history]), history)
    assert recalled(indexed(name, parts), history) == whole


@every_memory
@every_history
def test_recall_between_two_parts_changes_nothing(name: str, history: History) -> None:
    first, rest = history.episodes[:1], history.episodes[1:]
    memory = indexed(name, [History(history.id, first)])
    recalled(memory, history)
    memory.index(History(history.id, rest))
    assert recalled(memory, history) == recalled(indexed(name, [history]), history)


@every_memory
def test_a_history_without_episodes_gives_no_evidence(name: str) -> None:
    for evidence in recalled(indexed(name, [History("chat", ())]), CHAT):
        assert (evidence.gists, evidence.facts, evidence.passages) == ((), (), ())
