"""REMem (paper, Methodology): a memory graph built from a history, searched with tools.

REMem-I lets a planner choose several steps. REMem-S uses the same memory with one fixed step.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Literal

from remem.index.contextual_ranking import ContextualRanking, PlacedItem
from remem.memory import index_file, mapped_index
from remem.memory.agent import run_agent
from remem.memory.fact_string import FactString, searched_text
from remem.memory.fact_table import FactTable
from remem.memory.graph import MemoryGraph
from remem.memory.item_store import ItemStore, named
from remem.memory.mapped_checks import check_pairs, whole_memory
from remem.memory.scripted_planners import ScriptedPlanner, SingleStep
from remem.memory.tool_rules import ToolRules
from remem.memory.tools import RETRIEVAL_AND_EXPLORATION, GraphView, Toolbox
from remem.protocols import (
    DenseIndex,
    Embedder,
    Extractor,
    LexicalIndex,
    Planner,
    StopRunError,
    Vectors,
)
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


class EmptyGraphError(StopRunError):
    """The extraction gave no gist and no fact for a history with messages."""


class REMem:
    """The paper's memory; all parts that may use a model are passed as arguments."""

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
        self.graph = MemoryGraph()
        self.index_usage = Usage()
        self.failures: tuple[tuple[str, str], ...] = ()
        self._context = ranking() if ranking is not None else None
        self._gists = ItemStore(
            embedder=embedder,
            dense=dense,
            lexical=lexical,
            target="passage",
            context=self._context,
        )
        self._facts = ItemStore(embedder=embedder, dense=dense, lexical=lexical, target="fact")
        self._table = FactTable()

    def index(self, history: History) -> None:
        """Extract, connect and index the episodes (paper, Algorithm 1)."""
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
        """Gather evidence with the planner and the tools (paper, Algorithm 2)."""
        return run_agent(
            query.text,
            planner=self._planner,
            toolbox=self.toolbox(),
            offered=partial(self._rules.offered, self._view.tools),
            max_steps=self._max_steps,
        )

    def toolbox(self) -> Toolbox:
        """Return the tools over the current graph."""
        return Toolbox(
            graph=self.graph,
            gist_store=self._gists,
            fact_store=self._facts,
            fact_table=self._table,
            view=self._view,
            top_k=self._top_k,
            rules=self._rules,
        )

    @property
    def index_health(self) -> IndexHealth:
        """Return the number of searchable gists and facts, and of those with a date."""
        items: list[Gist | Fact] = [*self.graph.gists, *self.graph.facts]
        dated = sum(item.time is not None for item in items)
        return IndexHealth(len(items), dated, self._top_k)

    @property
    def index_counts(self) -> Mapping[str, int]:
        """Count the items that each ablation removes; 0 if there are none to remove."""
        parts = {
            "gists": (self._view.gists, len(self.graph.gists)),
            "facts": (self._view.facts, len(self.graph.facts)),
            "synonymy edges": (self._view.synonymy, len(self.graph.synonym_edges)),
        }
        return {f"{name} {LEFT_OUT}": count for name, (used, count) in parts.items() if not used}

    def save(self, folder: Path) -> None:
        """Write graph, vectors, usage and failures into an existing folder."""
        account = index_file.Account(self.index_usage, self.failures)
        index_file.save(folder, self.graph, self._gists.vectors, self._facts.vectors, account)

    def load(self, folder: Path) -> None:
        """Load an index written by `save`; raise DamagedIndexError if it is invalid."""
        self._refuse_to_load(folder)
        stored = index_file.load(folder, dimension=self._embedder.dimension)
        self.graph = stored.graph
        self._account(stored.account)
        self._index_items(
            self.graph.gists, self.graph.facts, (stored.gist_vectors, stored.fact_vectors)
        )

    def save_mapped(self, folder: Path) -> None:
        """Write the complete memory into an empty folder, for `open_mapped`."""
        manifest = mapped_index.Manifest(
            mapped_index.FORMAT,
            self._gists.size,
            self._facts.size,
            self._embedder.dimension,
            index_file.Account(self.index_usage, self.failures),
        )
        parts = mapped_index.graph_parts(self.graph, self._table)
        for name, store in (("gist", self._gists), ("fact", self._facts)):
            parts |= {f"{name}_{part}": array for part, array in store.stored().items()}
        mapped_index.write(folder, manifest, parts)

    def open_mapped(self, folder: Path) -> None:
        """Open a memory written by `save_mapped` and `append_mapped`; most data stay on disk."""
        self._refuse_to_load(folder)
        manifest, parts, blocks = mapped_index.read(folder, dimension=self._embedder.dimension)
        with whole_memory(folder):
            self.graph = mapped_index.restore_graph(parts, blocks, self._table)
            self._account(manifest.account)
            self._place(self.graph.gists)
            self._gists.restore(named(parts, "gist_"), blocks["gist_vectors"].check)
            self._facts.restore(named(parts, "fact_"), blocks["fact_vectors"].check)
            for added in mapped_index.read_additions(folder):
                self._take_in(added)

    def _take_in(self, added: mapped_index.Addition) -> None:
        """Apply an addition to a mapped memory."""
        check_pairs(added.synonyms, len(self.graph.gists) + len(added.gists))
        self.graph.extend(added.gists, added.facts, added.synonyms)
        self._account(added.account)
        self._index_items(added.gists, added.facts, (added.gist_vectors, added.fact_vectors))

    def append_mapped(self, folder: Path, history: History) -> None:
        """Index more of a history, and write the additions to the opened folder."""
        gists, facts = self._gists.size, self._facts.size
        self.index(history)
        mapped_index.write_addition(
            folder,
            mapped_index.Addition(
                self.graph.gists[gists:],
                self.graph.facts[facts:],
                self._gists.vectors[gists:],
                self._facts.vectors[facts:],
                self.graph.synonymy_pairs_since(gists),
                index_file.Account(self.index_usage, self.failures),
            ),
        )

    def _account(self, account: index_file.Account) -> None:
        self.index_usage, self.failures = account.usage, account.failures

    def _refuse_to_load(self, folder: Path) -> None:
        if self.graph.episodes:
            raise ValueError(
                f"{folder}: the memory that should load this index already has "
                f"{len(self.graph.episodes)} episodes; load it into a new memory"
            )

    def _extractions(self, history: History) -> Iterator[tuple[Episode, Extraction]]:
        """Extract several episodes in parallel and yield them in order."""
        episodes = history.episodes
        if self._by_message:
            episodes = tuple(Episode(message.id, (message,)) for message in history.messages())
        with ThreadPoolExecutor(self._parallel_episodes) as pool:
            yield from zip(episodes, pool.map(self._extractor.extract, episodes), strict=True)

    def _refuse_an_empty_graph(self, history: History) -> None:
        if self.graph.gists or self.graph.facts or not any(history.messages()):
            return
        failed = f"{len(self.failures)} of {len(self.graph.episodes)} episodes failed"
        for episode_id, reason in self.failures[:1]:
            failed += f", the first ({episode_id}) because: {reason}"
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
            [searched_text(fact, self._fact_string) for fact in facts],
            [fact.time for fact in facts],
            fact_vectors,
            [fact.record_time for fact in facts],
        )
        self._table.add(facts)

    def _place(self, gists: Sequence[Gist]) -> None:
        """Tell a contextual ranking where each new gist was said."""
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
