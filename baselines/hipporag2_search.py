"""HippoRAG 2, the online stage: query to triple, recognition memory, personalised PageRank.

There is no Python loop over nodes: one matrix product scores all facts, another all passages.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.hipporag2_graph import Ends, Walk, Weights
from baselines.hipporag2_openie import FactFilter, Triple
from remem.index.ranking import Positions, find_candidates, highest, rank_candidates
from remem.protocols import Vectors
from remem.types import Usage

NO_SCORES: Vectors = np.empty(0, dtype=np.float32)


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """Search settings.

    The paper and the package use 5 facts and phrases, passage weight 0.05 and damping 0.5.
    """

    linking_top_k: int
    passage_node_weight: float
    damping: float


@dataclass(frozen=True, slots=True)
class PassageRanking:
    """All passages, best first, with the candidate facts and the facts that the filter kept.

    If `kept` is empty, the passages were ranked by their embeddings.
    """

    passages: Positions
    scores: Weights
    candidates: tuple[Triple, ...]
    kept: tuple[Triple, ...]
    usage: Usage


@dataclass(frozen=True, slots=True)
class Recognised:
    """The facts nearest to a question; the positions and scores (0 to 1) of the selected facts."""

    candidates: tuple[Triple, ...]
    kept: tuple[Triple, ...]
    positions: Positions
    shares: Vectors
    usage: Usage

    def ranking(self, scores: Weights) -> PassageRanking:
        """Return the passages ranked by their scores."""
        order = _best_first(scores)
        return PassageRanking(order, scores[order], self.candidates, self.kept, self.usage)


@dataclass(frozen=True, slots=True)
class Search:
    """A searchable snapshot of the graph."""

    settings: SearchSettings
    fact_filter: FactFilter
    facts: Sequence[Triple]
    ends: Ends
    fact_rows: Vectors
    passage_rows: Vectors
    walk: Walk

    def rank(self, question: str, fact_query: Vectors, passage_query: Vectors) -> PassageRanking:
        """Return all passages, ranked by the graph if facts are selected, else by embeddings."""
        alike = _min_max(self.passage_rows @ passage_query)
        scores = self.fact_rows @ fact_query if self.facts else NO_SCORES
        recognised = self._recognise(question, fact_query, scores)
        if not recognised.kept:
            return recognised.ranking(alike.astype(np.float64))
        reset = np.zeros(self._first_passage + len(alike))
        self._fill(reset, recognised, alike)
        return recognised.ranking(self.walk.visited(reset)[self._first_passage :])

    def rank_many(
        self, questions: Sequence[str], fact_queries: Vectors, passage_queries: Vectors
    ) -> list[PassageRanking]:
        """Return for each question the same ranking as `rank`, with scores in single precision.

        The similarities of all questions are computed together, and so are the walks. The filter is
        called for each question separately.
        """
        alike = [_min_max(row) for row in passage_queries @ self.passage_rows.T]
        if self.facts:
            all_scores = fact_queries @ self.fact_rows.T
        else:
            all_scores = np.empty((len(questions), 0), dtype=np.float32)
        recognised = [
            self._recognise(*question_parts)
            for question_parts in zip(questions, fact_queries, all_scores, strict=True)
        ]
        walking = [number for number, query in enumerate(recognised) if query.kept]
        resets = np.zeros(
            (self._first_passage + len(self.passage_rows), len(walking)), dtype=np.float32
        )
        for column, number in zip(resets.T, walking, strict=True):
            self._fill(column, recognised[number], alike[number])
        rankings = dict(enumerate(alike))
        if walking:
            visited = self.walk.visited_by_many(resets)[self._first_passage :]
            rankings |= zip(walking, visited.T, strict=True)
        return [
            query.ranking(rankings[number].astype(np.float64))
            for number, query in enumerate(recognised)
        ]

    @property
    def _first_passage(self) -> int:
        """Return the number of the first passage node."""
        return len(self.ends.passages)

    def _recognise(self, question: str, query: Vectors, scores: Vectors) -> Recognised:
        """Select the relevant facts among those nearest to a question."""
        positions, shares = self._nearest_facts(query, scores)
        candidates = tuple(self.facts[position] for position in positions.tolist())
        kept, usage = self.fact_filter.keep(question, candidates) if candidates else ((), Usage())
        chosen = list(kept[: self.settings.linking_top_k])
        named = tuple(candidates[each] for each in chosen)
        return Recognised(candidates, named, positions[chosen], shares[chosen], usage)

    def _nearest_facts(self, query: Vectors, scores: Vectors) -> tuple[Positions, Vectors]:
        """Return the facts nearest to the query, with scores scaled to 0 to 1 over all facts."""
        size = len(self.facts)
        if not size:
            return np.empty(0, dtype=np.int64), NO_SCORES

        def nearest(count: int) -> tuple[Positions, NDArray[np.float32]]:
            best = highest(scores, count)
            return best, scores[best]

        top_k = self.settings.linking_top_k
        candidates = find_candidates(nearest, top_k, size)
        hits = rank_candidates(self.fact_rows, query, candidates, top_k)
        positions = np.array([position for position, _ in hits], dtype=np.int64)
        return positions, _min_max(scores)[positions]

    def _fill(self, reset: NDArray[Any], recognised: Recognised, alike: Vectors) -> None:
        """Set the start weights: phrases of the selected facts, and a little at every passage."""
        phrases, weights = self._seeds(recognised.positions, recognised.shares)
        reset[phrases] = weights
        reset[self._first_passage :] = self.settings.passage_node_weight * alike

    def _seeds(self, facts: Positions, scores: Vectors) -> tuple[Positions, Weights]:
        """Return the phrases of the facts with their weights: the mean over their facts.

        Rare phrases weigh more. Phrases with equal weights are in the order of the facts. In the
        package, their order differs in each process, because they come from a set.
        """
        named = self.ends.of_facts[facts].ravel()
        shares = np.repeat(scores, 2) / self.ends.passages[named]
        phrases, first, facts_of = np.unique(named, return_index=True, return_inverse=True)
        weights = np.bincount(facts_of, weights=shares) / np.bincount(facts_of)
        best = np.lexsort((first, -weights))[: self.settings.linking_top_k]
        return phrases[best], weights[best]


def _best_first(scores: Weights) -> Positions:
    """Return the descending order of scores, ties by position; faster than a stable sort."""
    order = np.argsort(-scores)
    ordered = scores[order]
    same = np.flatnonzero(ordered[1:] == ordered[:-1])
    places = np.union1d(same, same + 1)
    tied = order[places]
    order[places] = tied[np.lexsort((tied, -scores[tied]))]
    return order


def _min_max(values: Vectors) -> Vectors:
    low, high = values.min(), values.max()
    return np.ones_like(values) if low == high else (values - low) / (high - low)
