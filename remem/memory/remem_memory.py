"""REMem (paper, Methodology): a memory graph built from a history, searched with tools.

REMem-I lets a planner choose several steps. REMem-S uses the same memory with one fixed step.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from remem.errors import DamagedIndexError, EmptyGraphError
from remem.index.contextual_ranking import ContextualRanking, PlacedItem
from remem.index.stored_arrays import Arrays, arrays_below, naming_damage, stored_checksum
from remem.memory.agent import run_agent
from remem.memory.fact_table import FactString, FactTable, searched_text
from remem.memory.graph import MemoryGraph
from remem.memory.item_store import ItemStore
from remem.memory.planners import ScriptedPlanner, SingleStep
from remem.memory.rules_extractor import RulesExtractor
from remem.memory.stored_memory import (
    Manifest,
    checked_pairs,
    graph_arrays,
    item_arrays,
    open_stored,
    stored_graph,
    stored_items,
    write_stored,
)
from remem.memory.tools import RETRIEVAL_AND_EXPLORATION, GraphView, Toolbox, ToolRules
from remem.protocols import DenseIndex, Embedder, Extractor, LexicalIndex, Planner, Vectors
from remem.types import (
    LEFT_OUT,
    Episode,
    Evidence,
    Extraction,
    Fact,
    Gist,
    History,
    IndexHealth,
    Query,
    Usage,
)

STORED = "stored memory"
"""What errors call a folder written by `REMem.save`."""


@dataclass(frozen=True, slots=True)
class StoredSize:
    """The numbers of gists and facts on disk, and the checksum of the last folder written."""

    gists: int = 0
    facts: int = 0
    checksum: int | None = None


class REMem:
    """The paper's memory; components that may use a model are passed as arguments."""

    def __init__(
        self,
        *,
        extractor: Extractor,
        episode_unit: Literal["session", "message"],
        parallel_episodes: int,
        embedder: Embedder,
        dense: Callable[[], DenseIndex],
        lexical: Callable[[], LexicalIndex],
        planner: Planner,
        max_steps: int,
        top_k: int,
        synonymy_threshold: float,
        rules: ToolRules,
        fact_string: FactString,
        use_gists: bool,
        use_facts: bool,
        use_synonymy: bool,
        tools: Mapping[str, bool],
        ranking: Callable[[], ContextualRanking] | None = None,
    ) -> None:
        for name, number in {"top_k": top_k, "max_steps": max_steps}.items():
            if number < 1:
                raise ValueError(f"method.build.{name} must be at least 1, found {number}")
        offered = tuple(name for name in RETRIEVAL_AND_EXPLORATION if tools[name])
        _refuse_a_plan_without_tools(planner, offered)
        self._extractor = extractor
        self._by_message = episode_unit == "message"
        self._parallel_episodes = parallel_episodes
        self._embedder = embedder
        self._planner = planner
        self._max_steps = max_steps
        self._top_k = top_k
        self._threshold = synonymy_threshold
        self._rules = rules
        self._fact_string: FactString = fact_string
        self._view = GraphView(use_gists, use_facts, use_synonymy, offered)
        self._store = partial(ItemStore, embedder=embedder, dense=dense, lexical=lexical)
        self._ranking = ranking
        self._forget()

    def _forget(self) -> None:
        """Set the memory to one that has indexed nothing."""
        self.graph = MemoryGraph()
        self.index_usage = Usage()
        self.failures: tuple[tuple[str, str], ...] = ()
        self._context = self._ranking() if self._ranking is not None else None
        self._gists = self._store(target="passage", context=self._context)
        self._facts = self._store(target="fact")
        self._table = FactTable()
        self._written = StoredSize()

    def index(self, history: History) -> None:
        """Extract gists and facts from a history, connect them and index them (Algorithm 1)."""
        for episode, extraction in list(self._extractions(history)):  # all or none
            self.graph.add_episode(episode.id, extraction)
            self.index_usage += extraction.usage
            if extraction.failure:
                self.failures += ((episode.id, extraction.failure),)
        self._refuse_an_empty_graph(history)
        earlier = self._gists.size
        self._index_items(self.graph.gists[earlier:], self.graph.facts[self._facts.size :])
        self.graph.add_synonyms(self._gists.similar_pairs(self._threshold, earlier))

    def recall(self, query: Query) -> Evidence:
        """Return the evidence that the planner finds with the tools (paper, Algorithm 2)."""
        return run_agent(
            query.text,
            planner=self._planner,
            toolbox=self.toolbox(),
            offered=partial(self._rules.offered, self._view.tools),
            max_steps=self._max_steps,
        )

    def toolbox(self, deeper: int = 1) -> Toolbox:
        """Return the tools for the current graph; a search returns `deeper` * `top_k` items."""
        return Toolbox(
            graph=self.graph,
            gist_store=self._gists,
            fact_store=self._facts,
            fact_table=self._table,
            view=self._view,
            top_k=deeper * self._top_k,
            rules=self._rules,
        )

    @property
    def index_health(self) -> IndexHealth:
        """Return how many gists and facts can be searched, and how many of them are dated."""
        gists, facts = self._gists, self._facts
        return IndexHealth(gists.size + facts.size, gists.dated + facts.dated, self._top_k)

    @property
    def index_counts(self) -> Mapping[str, int]:
        """Return the number of items that each ablation of this memory hides from the tools."""
        parts = {
            "gists": (self._view.gists, len(self.graph.gists)),
            "facts": (self._view.facts, len(self.graph.facts)),
            "synonymy edges": (self._view.synonymy, len(self.graph.synonym_edges)),
        }
        return {f"{name} {LEFT_OUT}": count for name, (used, count) in parts.items() if not used}

    def save(self, folder: Path) -> None:
        """Write the entire memory into an existing folder."""
        arrays = graph_arrays(self.graph, self._table)
        for name, store in (("gist", self._gists), ("fact", self._facts)):
            arrays |= {f"{name}_{part}": array for part, array in store.stored().items()}
        self._write(folder, arrays, follows=None)

    def append(self, folder: Path) -> None:
        """Write what was indexed after the last `save`, `load` or `append` into an existing folder.

        Raises:
            ValueError: The memory was neither saved nor loaded.
        """
        written = self._written
        if written.checksum is None:
            raise ValueError(
                f"{folder}: a memory must be saved or loaded before additions are written"
            )
        self._write(
            folder,
            {
                **item_arrays(self.graph.gists[written.gists :], self.graph.facts[written.facts :]),
                "gist_vectors": self._gists.vectors[written.gists :],
                "fact_vectors": self._facts.vectors[written.facts :],
                "synonyms": self.graph.synonymy_pairs_since(written.gists),
            },
            follows=written.checksum,
        )

    def load(self, folder: Path, *additions: Path) -> None:
        """Load what `save` wrote, then the additions in order; most data stay on disk.

        Raises:
            DamagedIndexError: A folder is invalid; nothing is loaded.
        """
        self._refuse_to_load(folder)
        try:
            with naming_damage(folder, STORED):
                self._open(folder)
            for addition in additions:
                with naming_damage(addition, STORED):
                    self._take_in(addition)
        except DamagedIndexError:
            self._forget()
            raise

    def _write(self, folder: Path, arrays: Arrays, follows: int | None) -> None:
        write_stored(folder, Manifest(self.index_usage, self.failures, follows), arrays)
        self._note(folder)

    def _open(self, folder: Path) -> None:
        manifest, arrays = open_stored(folder, None, self._embedder.dimension)
        self.graph, self._table = stored_graph(arrays)
        gists, facts = self.graph.gists, self.graph.facts
        self._gists.restore(arrays_below(arrays, "gist_"), (gist.text for gist in gists))
        self._facts.restore(arrays_below(arrays, "fact_"), map(self._searched_text, facts))
        self._place(gists)
        self.index_usage, self.failures = manifest.usage, manifest.failures
        self._note(folder)

    def _take_in(self, folder: Path) -> None:
        """Load an addition from its folder."""
        follows, dimension = self._written.checksum, self._embedder.dimension
        manifest, arrays = open_stored(folder, follows, dimension)
        gists, facts = stored_items(arrays, len(self.graph.gists), len(self.graph.facts))
        pairs = checked_pairs(arrays["synonyms"], len(self.graph.gists) + len(gists))
        self.graph.extend(gists, facts, pairs)
        self._index_items(gists, facts, (arrays["gist_vectors"], arrays["fact_vectors"]))
        self.index_usage, self.failures = manifest.usage, manifest.failures
        self._note(folder)

    def _note(self, folder: Path) -> None:
        """Record that the entire memory is on disk, with its last part in this folder."""
        self._written = StoredSize(self._gists.size, self._facts.size, stored_checksum(folder))

    def _refuse_to_load(self, folder: Path) -> None:
        if self.graph.episodes:
            raise ValueError(
                f"{folder}: an index is loaded only into an empty memory, but this memory already "
                f"has episodes ({len(self.graph.episodes)}); load the index into a new memory"
            )

    def _extractions(self, history: History) -> Iterator[tuple[Episode, Extraction]]:
        """Extract several episodes in parallel and yield them in order."""
        episodes = history.episodes
        if self._by_message:
            episodes = tuple(Episode(message.id, (message,)) for message in history.messages())
        if isinstance(self._extractor, RulesExtractor):  # threads only help while calls wait
            yield from zip(episodes, map(self._extractor.extract, episodes), strict=True)
            return
        with ThreadPoolExecutor(self._parallel_episodes) as pool:
            yield from zip(episodes, pool.map(self._extractor.extract, episodes), strict=True)

    def _refuse_an_empty_graph(self, history: History) -> None:
        if self.graph.gists or self.graph.facts or not any(history.messages()):
            return
        failed = f"{len(self.failures)} of {len(self.graph.episodes)} episodes failed"
        for episode_id, reason in self.failures[:1]:
            failed += f"; the first reason ({episode_id}): {reason}"
        raise EmptyGraphError(
            f"no gist and no fact was extracted from history {history.id}: {failed}; "
            "check the model and the prompts, then start the run again"
        )

    def _index_items(
        self,
        gists: Sequence[Gist],
        facts: Sequence[Fact],
        vectors: tuple[Vectors, Vectors] | None = None,
    ) -> None:
        gist_vectors, fact_vectors = vectors or (None, None)
        self._place(gists)
        self._gists.add([gist.text for gist in gists], [gist.time for gist in gists], gist_vectors)
        self._facts.add(
            [self._searched_text(fact) for fact in facts],
            [fact.time for fact in facts],
            fact_vectors,
            [fact.record_time for fact in facts],
        )
        self._table.add(facts)

    def _searched_text(self, fact: Fact) -> str:
        return searched_text(fact, self._fact_string)

    def _place(self, gists: Sequence[Gist]) -> None:
        """Pass the position of each new gist to a contextual ranking."""
        if self._context is not None:
            self._context.add([PlacedItem(gist.episode_id, gist.text) for gist in gists])


def _refuse_a_plan_without_tools(planner: Planner, offered: tuple[str, ...]) -> None:
    """Raise ValueError if no offered tool can start the planner, so it would find no evidence."""
    begins_with: tuple[str, ...] = RETRIEVAL_AND_EXPLORATION
    if isinstance(planner, ScriptedPlanner | SingleStep):
        begins_with = planner.begins_with
    if not set(begins_with) & set(offered):
        raise ValueError(
            f"REMem: {type(planner).__name__} needs {' or '.join(begins_with)}, which this "
            f"ablation removes (remaining tools: {', '.join(offered) or 'none'}), so it would "
            f"find no evidence; choose another ablation, or method=remem_i with another planner"
        )
