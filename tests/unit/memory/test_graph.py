"""The memory graph against Algorithm 1 of the paper, by hand and by a literal restatement."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.memory.graph import (
    GraphCounts,
    GraphProperties,
    MemoryGraph,
    SynonymEdges,
    graph_properties,
    mean_properties,
)
from remem.time_scope import TimePoint, TimeScope
from remem.types import Episode, Extraction, Fact, Gist, History, Message

MAY = TimeScope(TimePoint(2023, 5, 8))


def gist(text, time=None):
    return Gist("", text, time, "", ("m1",))


def fact(subject, predicate, obj, time=None):
    return Fact("", subject, predicate, obj, time, "", ("m2",))


FIRST = Extraction(
    gists=(gist("Ann bought a boat.", MAY), gist("The boat leaks.")),
    facts=(fact("Ann", "bought", "boat", MAY), fact("boat", "has", "leak")),
)
SECOND = Extraction(
    gists=(gist("Ann sold the boat."),),
    facts=(fact("Ann", "sold", "boat"), fact("Ann", "paid", "Ann"), fact("Bob", "owns", "boat")),
)


def two_episodes():
    graph = MemoryGraph()
    graph.add_episode("s1", FIRST)
    graph.add_episode("s2", SECOND)
    return graph


def test_gists_and_facts_get_their_ids_and_episode_and_keep_the_rest():
    graph = two_episodes()
    assert graph.gists == [
        Gist("g1", "Ann bought a boat.", MAY, "s1", ("m1",)),
        Gist("g2", "The boat leaks.", None, "s1", ("m1",)),
        Gist("g3", "Ann sold the boat.", None, "s2", ("m1",)),
    ]
    assert [found.id for found in graph.facts] == ["f1", "f2", "f3", "f4", "f5"]
    assert graph.facts[0] == Fact("f1", "Ann", "bought", "boat", MAY, "s1", ("m2",))
    assert graph.facts[2].episode_id == "s2"


@pytest.mark.parametrize(("gist_id", "position"), [("g1", 0), ("g3", 2), ("2", 1)])
def test_a_gist_is_found_by_its_id_or_bare_number(gist_id, position):
    assert two_episodes().gist_position(gist_id) == position


@pytest.mark.parametrize(
    "gist_id", ["", "g", "g0", "0", "g4", "-1", "f1", "G1", "g1.0", "g²", "g1\n", "g" + "9" * 5000]
)
def test_any_other_id_is_no_gist(gist_id):
    assert two_episodes().gist_position(gist_id) is None


phrases = st.sampled_from(("Ann", "Bob", "boat", "leak"))
extractions = st.builds(
    lambda texts, triples: Extraction(
        tuple(gist(text) for text in texts), tuple(fact(*triple) for triple in triples)
    ),
    st.lists(st.sampled_from(("one", "two")), max_size=3),
    st.lists(st.tuples(phrases, st.just("knows"), phrases), max_size=4),
)


def algorithm_1(episodes):
    """Build all sets of the paper's listing, context edges explicit."""
    gists, names, relations, context = [], set(), [], set()
    for extraction in episodes:
        own = list(range(len(gists), len(gists) + len(extraction.gists)))
        gists += extraction.gists
        named = set()
        for found in extraction.facts:
            names |= {found.subject, found.object}
            relations.append((found.subject, found.predicate, found.object, found.time))
            named |= {found.subject, found.object}
        context |= {(g, p) for g in own for p in named}
    return gists, names, relations, context


@given(st.lists(extractions, max_size=5))
def test_implicit_context_edges_are_those_that_algorithm_1_adds(episodes):
    graph = MemoryGraph()
    for number, extraction in enumerate(episodes):
        graph.add_episode(f"s{number}", extraction)
    graph.add_synonyms(np.array(list(pairwise(range(len(graph.gists))))).reshape(-1, 2))
    gists, names, relations, context = algorithm_1(episodes)
    assert graph.counts() == GraphCounts(
        len(gists), len(names), len(relations), len(context), max(len(gists) - 1, 0)
    )
    phrase_names = list(graph.phrases)
    assert context == {
        (at, phrase_names[phrase])
        for entry in graph.episodes.values()
        for at in entry.gists
        for phrase in entry.phrases
    }
    assert_same(graph, restored(graph))
    assert_view_counts_equal(graph)


def restored(graph):
    pairs = np.array(graph.synonymy_pairs(), dtype=np.int64).reshape(-1, 2)
    copy = MemoryGraph()
    copy.extend(graph.gists, graph.facts, pairs)
    return copy


def assert_same(graph, other):
    assert other.gists == graph.gists
    assert other.facts == graph.facts
    assert list(other.phrases.items()) == list(graph.phrases.items())
    assert other.synonymy_pairs() == graph.synonymy_pairs()
    assert other.counts() == graph.counts()
    for found in (*graph.gists, *graph.facts):
        assert other.context(found.episode_id) == graph.context(found.episode_id)


def assert_view_counts_equal(graph):
    view = graph.to_networkx()
    nodes = [data["type"] for _, data in view.nodes(data=True)]
    edges = [data["type"] for _, _, data in view.edges(data=True)]
    counted = GraphCounts(
        nodes.count("gist"),
        nodes.count("phrase"),
        edges.count("relation"),
        edges.count("context"),
        edges.count("synonymy"),
    )
    assert counted == graph.counts()


def test_the_networkx_view_says_what_each_node_and_edge_is():
    graph = two_episodes()
    graph.add_synonyms(np.array([[0, 2]]))
    said = replace(fact("Bob", "sold", "leak"), record_time=TimePoint(2023, 6, 19))
    graph.add_episode("s3", Extraction(facts=(said,)))
    view = graph.to_networkx()
    assert view.is_directed()
    assert view.nodes["g1"] == {
        "type": "gist",
        "text": "Ann bought a boat.",
        "time": "2023-05-08",
        "episode": "s1",
        "source": "m1",
    }
    assert "time" not in view.nodes["g2"]
    assert view.nodes["p2"] == {"type": "phrase", "name": "boat"}
    sold = {"type": "relation", "predicate": "sold", "episode": "s2", "source": "m2"}
    bought = sold | {"predicate": "bought", "episode": "s1", "time": "2023-05-08"}
    assert view.get_edge_data("p1", "p2") == {"f1": bought, "f3": sold}
    assert list(view.get_edge_data("p1", "p1")) == ["f4"]  # Ann paid Ann
    (edge,) = view.get_edge_data("p4", "p3").values()
    assert (edge["record_time"], "time" in edge) == ("2023-06-19", False)
    assert view.get_edge_data("g1", "g3") == {"g1-g3": {"type": "synonymy"}}
    assert view.get_edge_data("g3", "p3") is None  # the leak is of the other episode
    assert view.get_edge_data("g2", "p3") == {"g2-p3": {"type": "context"}}


@given(
    st.sets(
        st.tuples(st.integers(0, 12), st.integers(0, 12)).filter(lambda pair: pair[0] < pair[1])
    ),
    st.lists(st.integers(0, 13), max_size=3),
)
def test_edges_that_come_in_portions_of_later_gists_are_those_that_come_at_once(pairs, cuts):
    edges, limits = SynonymEdges(), [0, *sorted(cuts), 14]
    for begin, end in pairwise(limits):
        part = sorted(pair for pair in pairs if begin <= pair[1] < end)
        edges.add(np.array(part, dtype=np.int64).reshape(-1, 2))
    assert edges.pairs().tolist() == [list(pair) for pair in sorted(pairs)]
    assert len(edges) == len(pairs)
    for gist in range(14):
        assert edges.of(gist) == sorted(
            {one for one, other in pairs if other == gist}
            | {other for one, other in pairs if one == gist}
        )


def alice_and_bob():
    graph = MemoryGraph()
    facts = (fact("Alice", "bought", "cows"), fact("Alice", "fed", "cows"))
    graph.add_episode("e1", Extraction((gist("Alice bought cows."), gist("Cows eat.")), facts))
    graph.add_episode("e2", Extraction((gist("Bob met Alice."),), (fact("Bob", "met", "Alice"),)))
    graph.add_synonyms(np.array([[0, 1]]))
    return graph


SAID = History(
    "h",
    (
        Episode("e1", (Message("m1", "Alice", "I bought cows."), Message("m2", "Bob", "Nice!"))),
        Episode("e2", (Message("m3", "Bob", "We met."),)),
    ),
)


def words(text):
    return len(text.split())


def test_relation_edges_are_pairs_and_degrees_leave_synonymy_out():
    found = graph_properties(alice_and_bob(), SAID, words)
    assert found == GraphProperties(
        phrase_nodes=3,  # Alice, cows, Bob
        gist_nodes=3,
        relation_edges=2,  # Alice-cows, Bob-Alice
        context_edges=6,  # 2 gists x 2 phrases, 1 gist x 2 phrases
        synonymy_edges=1,
        triples=3,
        input_tokens=3 + 1 + 2,  # what was said, without who said it
        phrase_node_tokens=3,
        gist_node_tokens=8,
        phrase_degree=10 / 3,  # 6 context ends and 2 x 2 relation ends
        gist_degree=2.0,
    )


@pytest.mark.parametrize(
    ("facts", "relation_edges", "triples", "phrase_degree"),
    [
        ((("Alice", "met", "Bob"), ("Bob", "met", "Alice")), 2, 2, 2 * 2 / 2),
        (
            (("Alice", "met", "Bob"), ("Alice", "saw", "Bob"), ("Alice", "met", "Bob")),
            *(1, 3, 2 * 1 / 2),
        ),
        ((("Alice", "paid", "Alice"),), 1, 1, 2.0),
    ],
)
def test_relation_edges_are_directed_pairs_and_a_pair_of_one_phrase_has_two_ends_there(
    facts, relation_edges, triples, phrase_degree
):
    graph = MemoryGraph()
    graph.add_episode("e", Extraction(facts=tuple(fact(*each) for each in facts)))
    found = graph_properties(graph, SAID, words)
    assert (found.relation_edges, found.triples) == (relation_edges, triples)
    assert found.phrase_degree == phrase_degree


def test_an_empty_graph_has_degrees_of_zero_and_the_mean_is_taken_row_by_row():
    one = graph_properties(alice_and_bob(), SAID, words)
    none = graph_properties(MemoryGraph(), History("none", ()), words)
    assert (none.phrase_degree, none.gist_degree) == (0.0, 0.0)
    assert mean_properties([one, none]).triples == 1.5
    assert mean_properties([one, none]).input_tokens == 3.0
