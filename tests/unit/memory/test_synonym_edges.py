"""Synonymy edges are the same whether they come at once or in portions."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from remem.memory.synonym_edges import SynonymEdges


def test_no_gist_has_neighbours_at_first():
    edges = SynonymEdges()
    assert (len(edges), edges.of(3), edges.pairs().shape) == (0, [], (0, 2))


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
