"""The seven graph families of Test of Time's semantic split.

The paper of Test of Time states the families and that graphs have 5 to 30 nodes, but no other
parameters. We chose the densities so that each family has about the published number of facts.
"""

from collections.abc import Iterable
from itertools import pairwise

import numpy as np

Edge = tuple[int, int]

FAMILIES = ("ba", "er", "sbm", "sfn", "star", "complete", "wikidata_anonymized")
MAX_NODES = 30
ER_DENSITY = (0.3, 0.6)
BA_LINKS_PER_NODE = (0.13, 0.33)
"""Number of earlier nodes that a new node is linked with, as a share of all nodes."""
SBM_COMMUNITIES = (2, 4)
SBM_DENSITY_WITHIN = (0.55, 0.8)
SBM_DENSITY_BETWEEN = (0.3, 0.55)
EGO_SHARE = 0.6
"""Share of the nodes around a Wikidata entity that are linked with the entity itself."""


def draw_sizes(family: str, count: int, rng: np.random.Generator) -> list[int]:
    """Split the range of graph sizes into `count` equal parts, and draw one size from each."""
    fewest = 8 if family == "wikidata_anonymized" else 5
    slices = (np.arange(count) + rng.random(count)) / count
    sizes = fewest + np.floor(slices * (MAX_NODES + 1 - fewest))
    return [int(size) for size in rng.permutation(sizes)]


def draw_edges(family: str, n_nodes: int, rng: np.random.Generator) -> list[Edge]:
    """Draw the directed edges of a graph with nodes 0 to `n_nodes` - 1; only sfn has self-loops."""
    import networkx as nx

    seed = int(rng.integers(2**31))
    match family:
        case "ba":
            links = max(1, round(n_nodes * rng.uniform(*BA_LINKS_PER_NODE)))
            return _turn(nx.barabasi_albert_graph(n_nodes, links, seed=seed).edges, rng)
        case "er":
            density = rng.uniform(*ER_DENSITY)
            return list(nx.gnp_random_graph(n_nodes, density, seed=seed, directed=True).edges)
        case "sbm":
            sizes, densities = _draw_communities(n_nodes, rng)
            return list(nx.stochastic_block_model(sizes, densities, seed=seed, directed=True).edges)
        case "sfn":
            return list(nx.DiGraph(nx.scale_free_graph(n_nodes, seed=seed)).edges)
        case "star":
            return _turn(nx.star_graph(n_nodes - 1).edges, rng)
        case "complete":
            return list(nx.complete_graph(n_nodes, create_using=nx.DiGraph).edges)
        case "wikidata_anonymized":
            return _turn(_draw_surroundings(n_nodes, rng), rng)
        case _:
            raise ValueError(f"graph family {family!r} is not one of {', '.join(FAMILIES)}")


def _turn(edges: Iterable[Edge], rng: np.random.Generator) -> list[Edge]:
    """Give each undirected edge a random direction."""
    return [(b, a) if rng.random() < 0.5 else (a, b) for a, b in edges]


def _draw_communities(
    n_nodes: int, rng: np.random.Generator
) -> tuple[list[int], list[list[float]]]:
    """Draw the sizes of the communities and the densities within and between them."""
    count = int(rng.integers(*SBM_COMMUNITIES, endpoint=True))
    cuts = np.sort(rng.choice(np.arange(1, n_nodes), count - 1, replace=False))
    sizes = [int(b - a) for a, b in pairwise([0, *cuts, n_nodes])]
    within = rng.uniform(*SBM_DENSITY_WITHIN)
    between = rng.uniform(*SBM_DENSITY_BETWEEN)
    return sizes, [[within if i == j else between for j in range(count)] for i in range(count)]


def _draw_surroundings(n_nodes: int, rng: np.random.Generator) -> list[Edge]:
    """Draw the neighbours of node 0 and their neighbours."""
    edges = []
    for node in range(1, n_nodes):
        linked = 0 if rng.random() < EGO_SHARE else int(rng.integers(node))
        edges.append((linked, node))
    return edges
