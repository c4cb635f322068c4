"""The benchmark runs at any size, and says whether a goal is met."""

import numpy as np
import pytest

from remem.bench.tools_at_scale import Timed, time_chat_indexing, time_tools
from remem.bench.workload import ReadyEmbedder, ready_history, unit_vectors


def test_every_tool_is_timed():
    lines = list(time_tools(size=60, appended=2, dimension=16, repeats=3, seed=1))
    names = " ".join(line.name for line in lines)
    for tool in ("index", "semantic", "lexical", "find_gist_contexts", "find_entity_contexts"):
        assert tool in names
    assert all(line.low <= line.median <= line.high for line in lines)
    assert [line.name.split(" (")[0] for line in lines[-4:]] == [
        "append 2 episodes",
        "first lexical search after it",
        "rebuild with them",
        "append an episode",
    ]


def test_a_chat_is_indexed_from_its_messages_on():
    timed = time_chat_indexing(events=80, seed=1)
    assert "messages" in timed.name
    assert timed.median > 0


def test_a_goal_is_an_upper_limit_of_the_median():
    assert Timed("x", "ms", 1, 50.0, 1.0, 90.0, goal=50.0).holds is True
    assert Timed("x", "ms", 1, 50.1, 1.0, 90.0, goal=50.0).holds is False
    assert Timed("x", "s", 1, 9.0, 9.0, 9.0, goal=None).holds is None


def test_the_workload_has_as_many_gists_and_facts_as_asked_and_near_copies():
    history, extractor = ready_history(25, np.random.default_rng(0))
    found = [extractor.extract(episode) for episode in history.episodes]
    assert sum(len(one.gists) for one in found) == sum(len(one.facts) for one in found) == 25
    vectors = unit_vectors(10, 64, np.random.default_rng(0))
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert vectors[3] @ vectors[4] > 0.8


def test_ready_vectors_are_handed_out_in_order_gists_and_facts_in_turn():
    gists, facts = (unit_vectors(5, 8, np.random.default_rng(seed)) for seed in (0, 1))
    embedder = ReadyEmbedder(gists, facts, gists)
    for expected in (gists[:2], facts[:2], gists[2:5], facts[2:5]):
        assert np.array_equal(embedder.embed_documents(["x"] * len(expected)), expected)
    with pytest.raises(ValueError, match="found 1 texts for 0 ready vectors"):
        embedder.embed_documents(["x"])
