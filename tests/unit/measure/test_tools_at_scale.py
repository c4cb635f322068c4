"""The benchmark of the tools runs at any size and compares like with like."""

import numpy as np
import pytest
from measure.generated_history import DrawnExtractor, day_point, numbered_history, span
from measure.large_memory import PreparedEmbedder, Workload, ask
from measure.line import MeasuredLine, MemoryGrowth
from measure.tools_at_scale import compare, nearest
from measure.workload import unit_vectors

from remem.index.numpy_dense import NumpyDense

TOOLS = ("semantic_retrieve", "lexical_retrieve", "find_gist_contexts", "find_entity_contexts")


def test_every_tool_has_a_line_with_a_goal_and_a_growth():
    found = list(compare((200, 400), dimension=16, repeats=3))
    lines = [item for item in found if isinstance(item, MeasuredLine)]
    growths = [item for item in found if isinstance(item, MemoryGrowth)]
    for tool in TOOLS:
        assert any(tool in line.name and line.goal is not None for line in lines)
        assert any(tool in growth.name for growth in growths)
    assert all(line.ours.low <= line.ours.median <= line.ours.high for line in lines)
    assert all(growth.sizes == (200, 400) and np.isfinite(growth.exponent) for growth in growths)


def test_the_peer_finds_what_the_memory_finds():
    load = Workload.draw(300, 0, dimension=16, repeats=4, seed=1)
    memory = load.memory(NumpyDense)
    memory.index(numbered_history(0, 300))
    for call, query in zip(load.semantic(4, None), load.queries, strict=True):
        gists = {gist.id for gist in ask(memory, call)[1].gists}
        assert gists == {f"g{at + 1}" for at in nearest(load.gists, query).tolist()}


def test_a_time_filter_keeps_its_share_of_the_gists():
    load = Workload.draw(2000, 0, dimension=16, repeats=1, seed=1)
    extractor = load.extractor
    gists = [
        gist
        for episode in numbered_history(0, 2000).episodes
        for gist in extractor.extract(episode).gists
    ]
    kept = span(0.25, 0.5)
    inside = [kept["start_time"] <= str(gist.time) <= kept["end_time"] for gist in gists]
    assert np.mean(inside) == pytest.approx(0.5, abs=0.05)
    facts = extractor.extract(numbered_history(1990, 2000).episodes[0]).facts
    assert str(facts[0].time.start) == str(day_point(39_800))


def test_an_episode_is_drawn_alike_each_time():
    episode = numbered_history(50, 60).episodes[0]
    first, second = (DrawnExtractor(1000, 3).extract(episode) for _ in range(2))
    assert first == second
    assert (len(first.gists), len(first.facts)) == (10, 10)


def test_unit_vectors_have_near_copies():
    vectors = unit_vectors(10, 64, np.random.default_rng(0))
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert vectors[3] @ vectors[4] > 0.8


def test_prepared_vectors_are_handed_out_in_order_gists_and_facts_in_turn():
    gists, facts = (unit_vectors(5, 8, np.random.default_rng(seed)) for seed in (0, 1))
    embedder = PreparedEmbedder(gists, facts, gists)
    for expected in (gists[:2], facts[:2], gists[2:5], facts[2:5]):
        assert np.array_equal(embedder.embed_documents(["x"] * len(expected)), expected)
    with pytest.raises(ValueError, match="found 1 texts for 0 prepared vectors"):
        embedder.embed_documents(["x"])
