"""Graph properties on a graph small enough to count by hand."""

from dataclasses import fields

import numpy as np

from remem.memory.graph import MemoryGraph
from remem.memory.graph_properties import GraphProperties, graph_properties, mean_properties
from remem.types import Episode, Extraction, Fact, Gist, History, Message


def gist(text):
    return Gist("", text, None, "", ("m1",))


def fact(subject, predicate, obj):
    return Fact("", subject, predicate, obj, None, "", ("m1",))


def two_episodes():
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
    found = graph_properties(two_episodes(), SAID, words)
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


def test_an_empty_graph_has_degrees_of_zero():
    found = graph_properties(MemoryGraph(), SAID, words)
    assert (found.phrase_degree, found.gist_degree) == (0.0, 0.0)


def of_facts(*facts):
    graph = MemoryGraph()
    graph.add_episode("e", Extraction(facts=facts))
    return graph_properties(graph, SAID, words)


def test_both_directions_of_a_pair_are_two_relation_edges():
    met = of_facts(fact("Alice", "met", "Bob"), fact("Bob", "met", "Alice"))
    assert (met.relation_edges, met.triples, met.phrase_degree) == (2, 2, 2 * 2 / 2)


def test_the_same_pair_under_another_predicate_or_at_another_place_is_one_relation_edge():
    same = of_facts(
        fact("Alice", "met", "Bob"), fact("Alice", "saw", "Bob"), fact("Alice", "met", "Bob")
    )
    assert (same.relation_edges, same.triples, same.phrase_degree) == (1, 3, 2 * 1 / 2)


def test_a_relation_of_a_phrase_to_itself_is_an_edge_with_two_ends_there():
    paid = of_facts(fact("Alice", "paid", "Alice"))
    assert (paid.phrase_nodes, paid.relation_edges, paid.phrase_degree) == (1, 1, 2.0)


def test_the_rows_are_those_of_the_papers_table_in_its_order():
    assert [row.name for row in fields(GraphProperties)] == [
        "phrase_nodes",
        "gist_nodes",
        "relation_edges",
        "context_edges",
        "synonymy_edges",
        "triples",
        "input_tokens",
        "phrase_node_tokens",
        "gist_node_tokens",
        "phrase_degree",
        "gist_degree",
    ]


def test_the_mean_is_taken_row_by_row():
    one = graph_properties(two_episodes(), SAID, words)
    none = graph_properties(MemoryGraph(), History("none", ()), words)
    assert mean_properties([one, none]).triples == 1.5
    assert mean_properties([one, none]).input_tokens == 3.0
