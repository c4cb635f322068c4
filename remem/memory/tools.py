"""The four tools that search and explore the graph (paper, Table 1; Agentic Inference).

Each tool returns gists and facts. If a call cannot be executed, the observation states the reason,
so that the agent can correct the call.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from remem.memory.fact_table import FactTable
from remem.memory.graph import MemoryGraph
from remem.memory.item_store import ItemStore
from remem.memory.tool_arguments import (
    BadArgumentsError,
    FindEntityContexts,
    FindGistContexts,
    LexicalRetrieve,
    SemanticRetrieve,
    TimeArguments,
    parse_arguments,
)
from remem.protocols import Hit, Mask
from remem.temporal.scopes import TimeFilter, Undated
from remem.types import Observation, Step, ToolCall


@dataclass(frozen=True, slots=True)
class ToolRules:
    """The rules in which the paper and the released code differ (conf/convention, `run`).

    Attributes:
        undated_items: How a time condition treats an item without a time.
        time_filter: Whether a time condition also applies to gists.
        gist_contexts: Whether the contexts of a gist include the gists of its episode; with
            "adjacent", the gists next to it come first, even if no phrase connects them to it.
        limit: Whether a call may request more facts than top_k.
        offered_tools: Whether exploration tools are offered before anything has been found.
        unknown_tool: Whether a call to an unknown tool is an error or becomes a semantic_retrieve.
    """

    undated_items: Undated
    time_filter: Literal["gists_and_facts", "facts"]
    gist_contexts: Literal["episode_and_similar", "similar", "adjacent"]
    limit: Literal["any", "top_k"]
    offered_tools: Literal["all", "once_found"]
    unknown_tool: Literal["error", "semantic_retrieve"]

    def offered(self, tools: Sequence[str], steps: Sequence[Step]) -> tuple[str, ...]:
        """Return the tools to offer a planner after the given steps, including output_answer.

        The released code offers find_gist_contexts once a gist has been found, find_entity_contexts
        once a fact has been found, and output_answer once either has been found.
        """
        if self.offered_tools == "all":
            return (*tools, "output_answer")
        gists = any(step.observation.gists for step in steps)
        facts = any(step.observation.facts for step in steps)
        waits = {
            "find_gist_contexts": gists,
            "find_entity_contexts": facts,
            "output_answer": gists or facts,
        }
        return tuple(tool for tool in (*tools, "output_answer") if waits.get(tool, True))


REACH = 2
"""The number of gists before and after a gist that are adjacent to it."""
RETRIEVAL = ("semantic_retrieve", "lexical_retrieve")
RETRIEVAL_AND_EXPLORATION = (*RETRIEVAL, "find_gist_contexts", "find_entity_contexts")


@dataclass(frozen=True, slots=True)
class GraphView:
    """The parts of the graph that the tools may use; ablations remove parts."""

    gists: bool = True
    facts: bool = True
    synonymy: bool = True
    tools: tuple[str, ...] = RETRIEVAL_AND_EXPLORATION


class Toolbox:
    """Executes the tools on one graph."""

    def __init__(
        self,
        *,
        graph: MemoryGraph,
        gist_store: ItemStore,
        fact_store: ItemStore,
        fact_table: FactTable,
        view: GraphView,
        top_k: int,
        rules: ToolRules,
    ) -> None:
        self._graph = graph
        self._gists = gist_store
        self._facts = fact_store
        self._table = fact_table
        self._view = view
        self._top_k = top_k
        self._rules = rules

    def execute(self, call: ToolCall, question: str) -> Observation:
        """Execute a call to any tool except output_answer.

        Args:
            call: The call.
            question: The agent's question, by which find_entity_contexts ranks its items.
        """
        try:
            offered = (*self._view.tools, "output_answer")
            if call.tool not in offered and self._rules.unknown_tool == "semantic_retrieve":
                call = ToolCall("semantic_retrieve", {"query": question})
            if call.tool not in offered:
                raise BadArgumentsError(
                    f"{call.tool!r} is not offered here; use one of {', '.join(offered)}."
                )
            arguments = parse_arguments(call.tool, call.arguments)
            match arguments:
                case SemanticRetrieve():
                    return self._semantic_retrieve(arguments)
                case LexicalRetrieve():
                    return self._lexical_retrieve(arguments)
                case FindGistContexts():
                    return self._find_gist_contexts(arguments)
                case FindEntityContexts():
                    return self._find_entity_contexts(arguments, question)
        except BadArgumentsError as error:
            return Observation(str(error), error=True)
        raise ValueError(f"{call.tool} ends the search; the agent loop must execute it")

    def _semantic_retrieve(self, arguments: SemanticRetrieve) -> Observation:
        gists_allowed, facts_allowed = self._allowed(arguments)
        return self._ranked(
            self._gists.semantic(arguments.query, self._top_k, gists_allowed),
            self._facts.semantic(arguments.query, self._top_k, facts_allowed),
        )

    def _lexical_retrieve(self, arguments: LexicalRetrieve) -> Observation:
        gists_allowed, facts_allowed = self._allowed(arguments)
        return self._ranked(
            self._gists.lexical(arguments.query, self._top_k, gists_allowed),
            self._facts.lexical(arguments.query, self._top_k, facts_allowed),
        )

    def _find_gist_contexts(self, arguments: FindGistContexts) -> Observation:
        seed = self._graph.gist_position(arguments.gist_id)
        if seed is None or not self._view.gists:
            raise BadArgumentsError(
                f"There is no gist {arguments.gist_id!r}; use the id of a gist seen before, as g12."
            )
        gists_allowed, facts_allowed = self._allowed(arguments)
        context = self._graph.context(self._graph.gists[seed].episode_id)
        linked = set(self._graph.synonyms(seed)) if self._view.synonymy else set()
        of_episode = self._rules.gist_contexts == "episode_and_similar"
        if of_episode and context.phrases and self._view.facts:
            linked |= set(context.gists)
        linked.discard(seed)
        vector = self._gists.vectors[seed]
        adjacent = self._adjacent(seed, context.gists)
        similar = self._gists.nearest(
            vector, self._top_k, gists_allowed & _only(linked.difference(adjacent), self._gists)
        )
        next_to_it = self._gists.nearest(
            vector, 2 * REACH, gists_allowed & _only(adjacent, self._gists)
        )
        next_to_it.sort(key=lambda hit: adjacent.index(hit[0]))
        return self._ranked(
            [*next_to_it, *similar][: self._top_k],
            self._facts.nearest(
                vector, self._top_k, facts_allowed & _only(context.facts, self._facts)
            ),
        )

    def _adjacent(self, seed: int, of_episode: Sequence[int]) -> list[int]:
        """Return the gists that were said just before and after a gist, the nearest first."""
        if self._rules.gist_contexts != "adjacent":
            return []
        at = of_episode.index(seed)
        places = (place for step in range(1, REACH + 1) for place in (at + step, at - step))
        return [of_episode[place] for place in places if 0 <= place < len(of_episode)]

    def _find_entity_contexts(self, arguments: FindEntityContexts, question: str) -> Observation:
        """Find or count facts by names and time, those most similar to the question first.

        A subject, predicate or object that exists in the graph matches only itself. Any other text
        matches the names that contain it: "new york" finds "New York City", but "E7" never finds
        "E71", because no number is split.
        """
        named = (arguments.subject, arguments.predicate, arguments.object)
        condition = arguments.time_filter()
        if not any(named) and condition.asks_nothing:
            raise BadArgumentsError(
                "find_entity_contexts needs a subject, predicate or object, or a time condition."
            )
        gists_allowed, facts_allowed = self._allowed(arguments)
        matched = facts_allowed & self._table.matching(
            subject=arguments.subject, predicate=arguments.predicate, obj=arguments.object
        )
        if arguments.aggregation is not None:
            return self._aggregate(arguments, matched)
        facts = self._listed(self._facts, matched, arguments, question)
        if any(named):
            gists = self._gists_of(facts, gists_allowed)[: self._limit(arguments)]
        else:
            gists = self._listed(self._gists, gists_allowed, arguments, question)
        matching = int(np.count_nonzero(matched))
        summary = f"Found {len(gists)} gists and {len(facts)} facts of {matching} facts that match."
        return self._observation(summary, gists, facts)

    def _aggregate(self, arguments: FindEntityContexts, matched: Mask) -> Observation:
        subjects, _, objects = self._table.columns
        if arguments.aggregation == "count":
            count, what = int(np.count_nonzero(matched)), "facts"
        elif arguments.aggregation == "count_unique_subjects":
            count, what = len(np.unique(subjects[matched])), "unique subjects"
        else:
            count, what = len(np.unique(objects[matched])), "unique objects"
        return Observation(f"Counted {count} {what}.", count=count)

    def _limit(self, arguments: FindEntityContexts) -> int:
        limit = arguments.limit or self._top_k
        return min(limit, self._top_k) if self._rules.limit == "top_k" else limit

    def _listed(
        self, store: ItemStore, matched: Mask, arguments: FindEntityContexts, question: str
    ) -> list[int]:
        """Return one page of the matched positions, sorted by time or by similarity."""
        end = arguments.offset + self._limit(arguments)
        if arguments.ordering is not None:
            ordered = _by_time(matched, store, by_end=arguments.ordering == "desc")
        else:
            ordered = _nearest(matched, store, question, end)
        return ordered[arguments.offset : end]

    def _gists_of(self, facts: Sequence[int], allowed: Mask) -> list[int]:
        """Return the gists of the facts' episodes, those from the facts' messages first."""
        ranks: dict[str, int] = {}
        episodes: dict[str, None] = {}
        for rank, fact in enumerate(self._graph.facts[position] for position in facts):
            episodes[fact.episode_id] = None
            for message in fact.source:
                ranks.setdefault(message, rank)
        gists = [
            position
            for episode in episodes
            for position in self._graph.context(episode).gists
            if allowed[position]
        ]
        last = len(facts)

        def best(position: int) -> int:
            source = self._graph.gists[position].source
            return min((ranks.get(message, last) for message in source), default=last)

        return sorted(gists, key=best)

    def _allowed(self, arguments: TimeArguments) -> tuple[Mask, Mask]:
        """Return masks of the gists and facts that the time condition and the view allow."""
        undated = self._rules.undated_items
        condition = arguments.time_filter()
        facts = self._facts.scopes.mask(condition, undated=undated)
        if self._rules.time_filter == "facts":
            condition = TimeFilter()
        gists = self._gists.scopes.mask(condition, undated=undated)
        return (
            gists if self._view.gists else np.zeros_like(gists),
            facts if self._view.facts else np.zeros_like(facts),
        )

    def _ranked(self, gists: Sequence[Hit], facts: Sequence[Hit]) -> Observation:
        return self._observation(
            f"Found {len(gists)} gists and {len(facts)} facts.",
            [position for position, _ in gists],
            [position for position, _ in facts],
            tuple(score for _, score in (*gists, *facts)),
        )

    def _observation(
        self,
        message: str,
        gists: Sequence[int],
        facts: Sequence[int],
        scores: tuple[float, ...] = (),
    ) -> Observation:
        return Observation(
            message,
            gists=tuple(self._graph.gists[position] for position in gists),
            facts=tuple(self._graph.facts[position] for position in facts),
            scores=scores,
        )


def _only(positions: set[int] | list[int], store: ItemStore) -> Mask:
    mask = np.zeros(store.size, dtype=np.bool_)
    mask[list(positions)] = True
    return mask


def _by_time(matched: Mask, store: ItemStore, *, by_end: bool) -> list[int]:
    """Return the matched positions: ascending by start or descending by end, undated last."""
    positions = np.flatnonzero(matched)
    keys = store.scopes.order(by_end=by_end)[positions]
    ordered: list[int] = positions[np.argsort(keys, kind="stable")].tolist()
    return ordered


def _nearest(matched: Mask, store: ItemStore, question: str, count: int) -> list[int]:
    """Return the `count` matched positions that are nearest to the question.

    An approximate index may find fewer than `count`; the others follow in the order of their
    addition.
    """
    positions = [position for position, _ in store.semantic(question, count, matched)]
    if len(positions) < min(count, int(np.count_nonzero(matched))):
        positions += np.setdiff1d(np.flatnonzero(matched), positions).tolist()
    return positions[:count]
