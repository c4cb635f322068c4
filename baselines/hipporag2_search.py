"""HippoRAG 2, the online stage: query to triple, recognition memory, personalised PageRank.

No step walks over nodes in Python; one matrix product each for facts and passages.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from baselines.hipporag2_filter import FactFilter
from baselines.hipporag2_graph import Ends
from baselines.hipporag2_openie import Triple
from baselines.hipporag2_pagerank import Walk, Weights
from remem.index.ranking import Positions, find_candidates, rank_candidates
from remem.protocols import Vectors
from remem.types import Usage


@dataclass(frozen=True, slots=True)
class Settings:
    """What the paper and the package fix: 5 facts and phrases, 0.05 for passages, damping 0.5."""

    linking_top_k: int
    passage_node_weight: float
    damping: float


@dataclass(frozen=True, slots=True)
class Ranking:
    """All passages, best first, and the facts that led to them: none for the dense fallback."""

    passages: Positions
    scores: Weights
    candidates: tuple[Triple, ...]
    kept: tuple[Triple, ...]
    usage: Usage


@dataclass(frozen=True, slots=True)
class Search:
    """A graph as it stands, ready to be asked."""

    settings: Settings
    fact_filter: FactFilter
    facts: Sequence[Triple]
    ends: Ends
    fact_rows: Vectors
    passage_rows: Vectors
    walk: Walk

    def rank(self, question: str, fact_query: Vectors, passage_query: Vectors) -> Ranking:
        """Rank all passages: by the graph where facts are kept, else by their embeddings."""
        positions, scores = self._nearest_facts(fact_query)
        candidates = tuple(self.facts[position] for position in positions.tolist())
        kept, usage = self.fact_filter.keep(question, candidates) if candidates else ((), Usage())
        chosen = list(kept[: self.settings.linking_top_k])
        alike = _min_max(self.passage_rows @ passage_query)
        found = alike.astype(np.float64)
        if chosen:
            found = self._visited(positions[chosen], scores[chosen], alike)
        order = np.argsort(-found, kind="stable")
        named = tuple(candidates[each] for each in chosen)
        return Ranking(order, found[order], candidates, named, usage)

    def _nearest_facts(self, query: Vectors) -> tuple[Positions, Vectors]:
        """Return the facts nearest to the query with their scores among all facts, 0 to 1."""
        size = len(self.facts)
        if not size:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32)
        scores = self.fact_rows @ query

        def nearest(count: int) -> tuple[Positions, NDArray[np.float32]]:
            best = np.argpartition(scores, size - count)[size - count :]
            best = best[np.argsort(-scores[best])]
            return best, scores[best]

        top_k = self.settings.linking_top_k
        found = find_candidates(nearest, top_k, size)
        hits = rank_candidates(self.fact_rows, query, found, top_k)
        positions = np.array([position for position, _ in hits], dtype=np.int64)
        return positions, _min_max(scores)[positions]

    def _visited(self, facts: Positions, scores: Vectors, passages: Vectors) -> Weights:
        phrases, weights = self._seeds(facts, scores)
        first = len(self.ends.passages)
        reset = np.zeros(first + len(passages))
        reset[phrases] = weights
        reset[first:] = self.settings.passage_node_weight * passages
        return self.walk.visited(reset)[first:]

    def _seeds(self, facts: Positions, scores: Vectors) -> tuple[Positions, Weights]:
        """Return the phrases of the facts, rare ones weighing more: the mean over their facts.

        Equal weights stand in the order in which the facts name the phrases; the package takes
        them in the order of a set of texts, another in each process.
        """
        named = self.ends.of_facts[facts].ravel()
        shares = np.repeat(scores, 2) / self.ends.passages[named]
        phrases, first, facts_of = np.unique(named, return_index=True, return_inverse=True)
        weights = np.bincount(facts_of, weights=shares) / np.bincount(facts_of)
        best = np.lexsort((first, -weights))[: self.settings.linking_top_k]
        return phrases[best], weights[best]


def _min_max(values: Vectors) -> Vectors:
    low, high = values.min(), values.max()
    return np.ones_like(values) if low == high else (values - low) / (high - low)
