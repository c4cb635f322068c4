"""A small graph that the tests of the tools and of the agent share, and a memory."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from remem.embed.hashing import HashingEmbedder
from remem.index.bm25_lexical import Bm25sLexical
from remem.index.numpy_dense import NumpyDense
from remem.memory.fact_table import FactTable
from remem.memory.graph import MemoryGraph
from remem.memory.item_store import ItemStore
from remem.memory.planners import ScriptedPlanner
from remem.memory.remem_memory import REMem
from remem.memory.rules_extractor import RulesExtractor
from remem.memory.tools import RETRIEVAL_AND_EXPLORATION, GraphView, Toolbox, ToolRules
from remem.protocols import DenseIndex
from remem.temporal.scopes import Undated
from remem.time_scope import TimePoint, TimeScope
from remem.types import Extraction, Fact, Gist


def at(*parts: int) -> TimeScope:
    return TimeScope(TimePoint(*parts))


def gist(text: str, time: TimeScope | None = None) -> Gist:
    return Gist("", text, time, "", ("m",))


def fact(subject: str, predicate: str, obj: str, time: TimeScope | None = None) -> Fact:
    return Fact("", subject, predicate, obj, time, "", ("m",))


OWNED = TimeScope(start_time=TimePoint(2021), end_time=TimePoint(2023, 5))
SINCE_2022 = TimeScope(start_time=TimePoint(2022))
EPISODES = {
    "boat": Extraction(
        gists=(
            gist("Ann bought a red boat", at(2021, 5, 8)),  # g1
            gist("The boat was leaking all summer", at(2022)),  # g2
            gist("Somebody painted it"),  # g3
        ),
        facts=(
            fact("Ann", "bought", "red boat", at(2021, 5, 8)),  # f1
            fact("Ann", "owned", "red boat", OWNED),  # f2
            fact("red boat", "has", "leak"),  # f3
        ),
    ),
    "vessel": Extraction(
        gists=(gist("Ann acquired a vessel, a red one", at(2023, 6)),),  # g4
        facts=(fact("Ann", "moved to", "harbour", SINCE_2022),),  # f4
    ),
    "silent": Extraction(
        gists=(gist("Bob swims", at(2020)), gist("Cleo sings", at(2024)))
    ),  # g5 g6
    "facts": Extraction(
        facts=(
            fact("E71", "R1", "E2", at(1950)),  # f5
            fact("E75", "R1", "E2", at(1960)),  # f6
            fact("E71", "R1", "E2", at(1970)),  # f7
            fact("E2", "R1", "E7", at(1980)),  # f8
        )
    ),
}
PAPER = ToolRules("keep", "gists_and_facts", "episode_and_similar", "any", "all", "error")
SYNONYMS = np.array([[0, 3], [3, 5]])  # g1 - g4 - g6


@pytest.fixture(scope="session")
def make_toolbox() -> Callable[..., Toolbox]:
    """Return a function that makes the tools over the small graph."""

    def make(
        *,
        episodes: Mapping[str, Extraction] = EPISODES,
        view: GraphView | None = None,
        top_k: int = 10,
        undated: Undated = "keep",
        rules: Mapping[str, Any] | None = None,
        dense: Callable[[], DenseIndex] = NumpyDense,
    ) -> Toolbox:
        graph = MemoryGraph()
        for episode_id, extraction in episodes.items():
            graph.add_episode(episode_id, extraction)
        if episodes is EPISODES:
            graph.add_synonyms(SYNONYMS)
        gists, facts = (
            ItemStore(
                embedder=HashingEmbedder(dimension=256),
                dense=dense,
                lexical=lambda: Bm25sLexical(k1=1.5, b=0.75, method="lucene"),
                target=target,
            )
            for target in ("passage", "fact")
        )
        gists.add([each.text for each in graph.gists], [each.time for each in graph.gists])
        facts.add([each.text for each in graph.facts], [each.time for each in graph.facts])
        table = FactTable()
        table.add(graph.facts)
        return Toolbox(
            graph=graph,
            gist_store=gists,
            fact_store=facts,
            fact_table=table,
            view=view or GraphView(),
            top_k=top_k,
            rules=replace(PAPER, undated_items=undated, **(rules or {})),
        )

    return make


@pytest.fixture(scope="session")
def toolbox(make_toolbox: Callable[..., Toolbox]) -> Toolbox:
    """Return all tools over the whole small graph; they change nothing."""
    return make_toolbox()


@pytest.fixture(scope="session")
def make_remem() -> Callable[..., REMem]:
    """Return a function that makes an empty memory, with other settings if they are given."""

    def make(**changes: Any) -> REMem:
        settings: dict[str, Any] = {
            "extractor": RulesExtractor(),
            "episode_unit": "session",
            "parallel_episodes": 1,
            "embedder": HashingEmbedder(dimension=128),
            "dense": NumpyDense,
            "lexical": lambda: Bm25sLexical(k1=1.5, b=0.75, method="lucene"),
            "planner": ScriptedPlanner(),
            "max_steps": 5,
            "top_k": 10,
            "synonymy_threshold": 0.8,
            "rules": PAPER,
            "fact_string": "bars",
            "use_gists": True,
            "use_facts": True,
            "use_synonymy": True,
            "tools": dict.fromkeys(RETRIEVAL_AND_EXPLORATION, True),
        }
        return REMem(**(settings | changes))

    return make
