"""The graph families: sizes, directions, self-loops."""

import numpy as np
import pytest

from remem.benchmarks.tot.graphs import FAMILIES, draw_edges, draw_sizes


@pytest.mark.parametrize("family", FAMILIES)
def test_edges_are_unique_and_join_nodes_of_the_graph(family):
    for n_nodes in range(5, 31):
        edges = draw_edges(family, n_nodes, np.random.default_rng(n_nodes))
        assert len(set(edges)) == len(edges)
        assert all(0 <= node < n_nodes for edge in edges for node in edge)


@pytest.mark.parametrize("family", FAMILIES)
def test_only_scale_free_graphs_have_self_loops(family):
    loops = [
        edge
        for seed in range(20)
        for edge in draw_edges(family, 20, np.random.default_rng(seed))
        if edge[0] == edge[1]
    ]
    assert bool(loops) == (family == "sfn")


def test_a_star_is_joined_at_node_0_in_both_directions_and_a_complete_graph_is_complete():
    star = draw_edges("star", 20, np.random.default_rng(0))
    assert len(star) == 19
    assert all(0 in edge for edge in star)
    assert {edge.index(0) for edge in star} == {0, 1}
    assert len(draw_edges("complete", 20, np.random.default_rng(0))) == 20 * 19


def test_sizes_cover_5_to_30_evenly():
    sizes = draw_sizes("er", 260, np.random.default_rng(0))
    assert set(sizes) == set(range(5, 31))
    assert sum(sizes) / len(sizes) == pytest.approx(17.5, abs=0.1)
    assert sizes != sorted(sizes)


def test_an_unknown_family_is_refused():
    with pytest.raises(ValueError, match="'tree' is not one of ba, er"):
        draw_edges("tree", 5, np.random.default_rng(0))
