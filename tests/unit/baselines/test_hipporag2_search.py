"""Where the walk of HippoRAG 2 begins, with weights worked out by hand."""

from dataclasses import dataclass, field

import numpy as np
import pytest

from baselines.hipporag2_graph import Ends
from baselines.hipporag2_search import Search, SearchSettings
from remem.types import Usage

FACTS = (("ann", "likes", "tea"), ("ann", "owns", "boat"), ("bob", "has", "cat"))
ENDS = Ends(  # ann, tea, boat, bob, cat; ann is in two of the passages
    of_facts=np.array([[0, 1], [0, 2], [3, 4]]),
    passages=np.array([2, 1, 1, 1, 1], dtype=np.float32),
)
ALIKE = np.array([[1, 0], [0.6, 0.8], [0, 1]], dtype=np.float32)
"""Of facts and passages: 1, 0.6 and 0 like the query."""
QUERY = np.array([1, 0], dtype=np.float32)


class FirstTwo:
    def keep(self, question: str, candidates: object) -> tuple[tuple[int, ...], Usage]:
        return (0, 1), Usage()


@dataclass
class NotedWalk:
    """A walk that stays where it is and records where it should begin."""

    resets: list[np.ndarray] = field(default_factory=list)

    def visited(self, reset: np.ndarray) -> np.ndarray:
        self.resets.append(reset)
        return reset


def test_a_walk_begins_at_phrases_by_the_mean_of_their_facts_and_a_little_at_passages() -> None:
    walk = NotedWalk()
    settings = SearchSettings(linking_top_k=5, passage_node_weight=0.05, damping=0.5)
    search = Search(settings, FirstTwo(), FACTS, ENDS, ALIKE, ALIKE, walk)  # type: ignore[arg-type]
    ranking = search.rank("What does Ann have?", QUERY, QUERY)
    # ann: the mean of 1 / 2 and 0.6 / 2 as it is in two passages; bob and cat: not kept.
    phrases, passages = [0.4, 1, 0.6, 0, 0], [0.05, 0.05 * 0.6, 0]
    assert walk.resets[0].tolist() == pytest.approx([*phrases, *passages])
    assert ranking.kept == FACTS[:2]
    assert ranking.passages.tolist() == [0, 1, 2]
