"""The facts of generated graphs: windows, durations, arities."""

from collections import Counter, defaultdict
from itertools import combinations

import numpy as np
import pytest

from remem.benchmarks.tot.facts import SYNTHETIC, WIKIDATA, draw_facts, draw_vocabulary, sort_facts
from remem.benchmarks.tot.graphs import draw_edges


def draw(family, n_nodes, style, seed):
    rng = np.random.default_rng(seed)
    return draw_facts(draw_edges(family, n_nodes, rng), style, draw_vocabulary(rng), rng)


def clash(one, other):
    return one.start <= other.end and other.start <= one.end


@pytest.fixture(scope="module")
def complete_graphs():
    return [draw("complete", 15, SYNTHETIC, seed) for seed in range(12)]


def test_facts_lie_in_one_30_year_window_and_last_1_to_10_years(complete_graphs):
    for facts in complete_graphs:
        assert max(fact.end for fact in facts) - min(fact.start for fact in facts) <= 30
        assert {fact.end - fact.start for fact in facts} == set(range(1, 11))


def test_an_edge_has_1_to_3_relations_and_a_triple_1_to_4_intervals(complete_graphs):
    n_relations, n_intervals = set(), set()
    for facts in complete_graphs:
        triples = Counter((fact.subject, fact.object, fact.relation) for fact in facts)
        n_intervals |= set(triples.values())
        n_relations |= set(Counter(triple[:2] for triple in triples).values())
    assert n_relations == {1, 2, 3}
    assert n_intervals == {1, 2, 3, 4}


def test_intervals_of_one_triple_never_overlap_nor_touch(complete_graphs):
    for facts in complete_graphs:
        triples = defaultdict(list)
        for fact in facts:
            triples[fact.subject, fact.relation, fact.object].append(fact)
        assert not any(clash(*pair) for same in triples.values() for pair in combinations(same, 2))


def test_a_one_side_is_free_of_overlaps_and_all_four_arities_are_about_as_frequent(
    complete_graphs,
):
    """A "many" side of a graph this dense has overlaps by chance alone, a "one" side has none."""
    arities = Counter()
    for facts in complete_graphs:
        for relation in {fact.relation for fact in facts}:
            held = [fact for fact in facts if fact.relation == relation]
            sides = []
            for side in ("subject", "object"):
                overlaps = any(
                    clash(one, other)
                    for one, other in combinations(held, 2)
                    if getattr(one, side) == getattr(other, side)
                )
                sides.append("many" if overlaps else "one")
            arities[tuple(sides)] += 1
    assert len(arities) == 4
    assert min(arities.values()) > 0.1 * sum(arities.values())


def test_wikidata_facts_may_start_and_end_in_the_same_year():
    drawn = [fact for seed in range(20) for fact in draw("wikidata_anonymized", 20, WIKIDATA, seed)]
    instants = sum(fact.start == fact.end for fact in drawn)
    assert 0 < instants < len(drawn)
    assert max(fact.end for fact in drawn) - min(fact.start for fact in drawn) > 60


def test_an_unknown_sorting_type_is_refused():
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="'by_mood' is not one of shuffle"):
        sort_facts([], "by_mood", draw_vocabulary(rng), rng)
