"""The weights of HippoRAG 2's graph, its synonyms and its walk, against sums done by hand."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.hipporag2_graph import MOST_SYNONYMS, Links, PhraseGraph, Synonyms, Walk, phrase


def units(*angles: float) -> np.ndarray:
    radians = np.radians(angles)
    return np.column_stack([np.cos(radians), np.sin(radians)]).astype(np.float32)


def weights(links: Links) -> dict[tuple[int, int], float]:
    """Return the weight of each link; the walk would add up the weights of a repeated one."""
    ends = list(zip(links.sources.tolist(), links.targets.tolist(), strict=True))
    assert len(ends) == len(set(ends)), "a link occurs twice"
    return dict(zip(ends, links.weights.tolist(), strict=True))


NONE = Synonyms(threshold=0.8)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("  The Red-Car!", "the red car"),
        ("José", "jos"),
        ("a -- b", "a    b"),
        ("?!", ""),
        ("東京 Tower", "tower"),
        ("snake_case", "snake case"),
    ],
)
def test_a_phrase_loses_case_and_all_that_is_not_ascii(text: str, expected: str) -> None:
    assert phrase(text) == expected


@given(st.text())
def test_a_phrase_is_normal_already(text: str) -> None:
    assert phrase(phrase(text)) == phrase(text)


def test_a_fact_weighs_one_each_way_for_every_passage_and_a_mention_one() -> None:
    graph = PhraseGraph()
    graph.add([("Ann", "sold", "boat"), ("Ann", "owned", "boat")])
    graph.add([("ann!", "sold", "Boat")])
    graph.add([])
    assert list(graph.phrases) == ["ann", "boat"]
    assert list(graph.facts) == [("ann", "sold", "boat"), ("ann", "owned", "boat")]
    assert weights(graph.links(NONE)) == {
        (0, 1): 3.0,
        (1, 0): 3.0,
        (2, 0): 1.0,
        (2, 1): 1.0,
        (3, 0): 1.0,
        (3, 1): 1.0,
    }
    ends = graph.ends()
    assert ends.of_facts.tolist() == [[0, 1], [0, 1]]
    assert ends.passages.tolist() == [2, 2]


def test_a_phrase_is_not_joined_to_itself_but_mentioned_once() -> None:
    graph = PhraseGraph()
    graph.add([("echo", "repeats", "Echo")])
    assert weights(graph.links(NONE)) == {(1, 0): 1.0}


def test_a_synonymy_replaces_the_fact_that_leads_the_same_way() -> None:
    graph = PhraseGraph()
    graph.add([("boats", "are like", "boat"), ("xy", "is", "boat"), ("xy", "is", "?!")])
    synonyms = Synonyms(threshold=0.8)
    synonyms.add(units(0, 10, 20, 21), 0)  # boats, boat, xy and the empty phrase: all alike
    found = weights(graph.links(synonyms))
    ten, twenty = (float(np.cos(np.radians(angle))) for angle in (10, 20))
    assert found[0, 1] == found[1, 0] == pytest.approx(ten, abs=1e-6)  # 1 before
    assert found[0, 2] == pytest.approx(twenty, abs=1e-6)
    assert (2, 0) not in found  # too short to have synonyms of its own
    assert found[2, 1] == 1.0  # so its fact stays
    assert found[1, 2] == pytest.approx(ten, abs=1e-6)
    assert found[2, 3] == found[3, 2] == 1.0  # the empty phrase is nobody's synonym
    assert (0, 3) not in found


def test_a_phrase_leads_to_its_hundred_and_one_best_synonyms() -> None:
    synonyms = Synonyms(threshold=0.8)
    synonyms.add(units(*np.linspace(0, 30, 150)), 0)
    every = np.ones(150, dtype=bool)
    links = synonyms.links(every, every)
    assert np.bincount(links.sources).tolist() == [MOST_SYNONYMS] * 150
    assert links.targets[links.sources == 0].tolist() == list(range(1, MOST_SYNONYMS + 1))


def test_synonyms_of_new_phrases_complete_those_of_the_old() -> None:
    rows = units(*np.linspace(0, 200, 40))
    every = np.ones(40, dtype=bool)
    whole, grown = Synonyms(threshold=0.8), Synonyms(threshold=0.8)
    whole.add(rows, 0)
    for known, count in ((0, 7), (7, 7), (7, 40)):
        grown.add(rows[:count], known)
    assert weights(grown.links(every, every)) == weights(whole.links(every, every)) != {}


def links(*edges: tuple[int, int, float]) -> Links:
    array = np.array(edges)
    return Links(array[:, 0].astype(np.int64), array[:, 1].astype(np.int64), array[:, 2])


def test_the_walk_splits_by_weight_and_counts_both_directions() -> None:
    # From 0 two thirds go to 1 (2 + 1 one way and back) and a third to 2 (1.5). With damping a
    # half: x0 = (x1 + x2) / 2 + 1/2 and x1 + x2 = x0 / 2, so x0 = 2/3, x1 = 2/9, x2 = 1/9.
    walk = Walk(links((0, 1, 2.0), (1, 0, 1.0), (0, 2, 1.5)), size=3, damping=0.5)
    found = walk.visited(np.array([7.0, 0.0, 0.0]))
    assert found == pytest.approx([2 / 3, 2 / 9, 1 / 9], abs=1e-9)


@given(st.integers(0, 1000))
def test_the_walk_is_networkx_pagerank(seed: int) -> None:
    rng = np.random.default_rng(seed)
    edges = [
        (int(a), int(b), float(w)) for a, b, w in rng.uniform(1, 12, (20, 3)) if int(a) != int(b)
    ]
    reset = rng.uniform(0, 1, 12) * (rng.uniform(0, 1, 12) > 0.5) + 1e-3
    graph = nx.Graph()
    graph.add_nodes_from(range(12))
    for a, b, w in edges:
        before = graph.get_edge_data(a, b, {"weight": 0.0})["weight"]
        graph.add_edge(a, b, weight=before + w)
    expected = nx.pagerank(
        graph, alpha=0.5, personalization=dict(enumerate(reset)), tol=1e-13, max_iter=500
    )
    found = Walk(links(*edges), size=12, damping=0.5).visited(reset)
    assert found == pytest.approx([expected[at] for at in range(12)], abs=1e-9)
