"""The rows of the paper's table of graph properties, counted as the paper counts them.

Relation edges are distinct (subject, object) pairs, so there are fewer of them than triples.
Degrees ignore synonymy edges: a phrase node has its context edges and both ends of its relation
edges, and a gist node has its context edges. With the paper's own counts, this definition gives its
printed 59.7 on REALTALK and 2.0 on Complex-TR; where it prints 4.1, this gives 4.05 (4.11 if every
triple were an edge). Input tokens are those of the message texts: on LoCoMo about 18k, or 24k with
speakers and dates; the paper prints 16.0k.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields

from remem.memory.graph import MemoryGraph
from remem.types import History


@dataclass(frozen=True, slots=True)
class GraphProperties:
    """A column of the table: the values of a graph, or the means over a benchmark's graphs."""

    phrase_nodes: float
    gist_nodes: float
    relation_edges: float
    context_edges: float
    synonymy_edges: float
    triples: float
    input_tokens: float
    phrase_node_tokens: float
    gist_node_tokens: float
    phrase_degree: float
    gist_degree: float


def graph_properties(
    graph: MemoryGraph, history: History, count_tokens: Callable[[str], int]
) -> GraphProperties:
    """Return the properties of a history's graph; a degree without nodes is 0."""
    counts = graph.counts()
    relation_edges = len({(fact.subject, fact.object) for fact in graph.facts})
    return GraphProperties(
        phrase_nodes=counts.phrases,
        gist_nodes=counts.gists,
        relation_edges=relation_edges,
        context_edges=counts.context_edges,
        synonymy_edges=counts.synonymy_edges,
        triples=counts.triples,
        input_tokens=sum(count_tokens(message.text) for message in history.messages()),
        phrase_node_tokens=sum(map(count_tokens, graph.phrases)),
        gist_node_tokens=sum(count_tokens(gist.text) for gist in graph.gists),
        phrase_degree=_share(counts.context_edges + 2 * relation_edges, counts.phrases),
        gist_degree=_share(counts.context_edges, counts.gists),
    )


def mean_properties(graphs: Sequence[GraphProperties]) -> GraphProperties:
    """Return the mean of every row over the graphs of a benchmark."""
    names = (row.name for row in fields(GraphProperties))
    return GraphProperties(
        *(sum(getattr(graph, name) for graph in graphs) / len(graphs) for name in names)
    )


def _share(edges: int, nodes: int) -> float:
    return edges / nodes if nodes else 0.0
