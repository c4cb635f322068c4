"""Retrieval scores against hand-worked values."""

from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.metrics.retrieval import (
    evidence_recall,
    hit,
    message_recall,
    ndcg,
    numbered_session,
    recall_per_1000_tokens,
    reciprocal_rank,
    relevance,
    session_recall,
)

ITEMS = [("D1:1",), ("D1:2", "D1:3"), (), ("D2:1",), ("D1:1",)]
IDS = st.sampled_from(["D1:1", "D1:2", "D2:1", "D2:2", "D3:1"])
RUNS = st.lists(st.lists(IDS, max_size=3), max_size=8)


@pytest.mark.parametrize(
    ("gold", "k", "expected"),
    [
        (["D1:1"], 1, 1.0),
        (["D1:3"], 1, 0.0),
        (["D1:1", "D1:3", "D2:1", "D9:9"], 2, 2 / 4),
        (["D1:1", "D1:3", "D2:1", "D9:9"], 10, 3 / 4),
        (["D1:1", "D1:3", "D2:1", "D9:9"], None, 3 / 4),
        (["D1:1", "D1:1", "D9:9"], 10, 1 / 2),  # a message named twice counts once
    ],
)
def test_recall_is_the_share_of_gold_messages_behind_the_first_k_items(gold, k, expected):
    assert evidence_recall(ITEMS, gold, k) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("gold", "k", "expected"),
    [
        (["D1:1"], 1, 1.0),
        (["D1:2", "D1:3"], 2, 1 / 2),  # the second item is cut after its first message
        (["D1:2", "D1:3"], 3, 1.0),
        (["D2:1"], 3, 0.0),
        (["D2:1"], 4, 1.0),  # the fourth message: an item without a source takes no place
        (["D1:1", "D1:1", "D9:9"], 10, 1 / 2),  # a message named twice counts once
    ],
)
def test_message_recall_counts_the_first_k_different_messages(gold, k, expected):
    assert message_recall(ITEMS, gold, k) == pytest.approx(expected)


def test_an_item_is_relevant_if_it_carries_a_gold_message_not_seen_before():
    gold = ["D1:1", "D1:3", "D2:1"]
    assert relevance(ITEMS, gold, 10) == [True, True, False, True, False]
    assert relevance(ITEMS, gold, 2) == [True, True]


@pytest.mark.parametrize(
    ("gold", "k", "found", "rank"),
    [
        (["D1:1"], 10, 1.0, 1.0),
        (["D2:1"], 10, 1.0, 1 / 4),
        (["D2:1"], 3, 0.0, 0.0),
        (["D2:1", "D1:3"], 10, 1.0, 1 / 2),
    ],
)
def test_hit_and_reciprocal_rank_look_for_the_first_relevant_item(gold, k, found, rank):
    assert hit(ITEMS, gold, k) == found
    assert reciprocal_rank(ITEMS, gold, k) == pytest.approx(rank)


@pytest.mark.parametrize(
    ("gold", "k", "expected"),
    [
        (["D1:1"], 10, 1.0),
        (["D2:1"], 10, 1 / log2(5)),  # rank 4 instead of rank 1
        (["D1:1", "D2:1"], 10, (1 + 1 / log2(5)) / (1 + 1 / log2(3))),
        (["D1:1", "D2:1"], 1, 1.0),  # one place, and the ideal list has no more
        (["D1:2", "D1:3"], 10, (1 / log2(3)) / (1 + 1 / log2(3))),  # one item carries both
        (["D9:9"], 10, 0.0),
    ],
)
def test_ndcg_divides_by_an_ideal_list_with_one_gold_message_per_item(gold, k, expected):
    assert ndcg(ITEMS, gold, k) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("gold", "expected"),
    [
        (["D1:9"], 1.0),  # another message of the session
        (["D1:9", "D2:9", "D3:1"], 2 / 3),
        (["D3:1"], 0.0),
        (["D1:9", "f12"], None),
    ],
)
def test_session_recall_counts_the_sessions_of_gold_messages(gold, expected):
    assert session_recall(ITEMS, gold, numbered_session) == expected


def test_sessions_can_be_told_by_any_mapping():
    assert session_recall([["m2"], ["m9"]], ["m1"], {"m1": "s1", "m2": "s1"}.get) == 1.0


@pytest.mark.parametrize(
    ("message_id", "session"),
    [("D8:6", "D8"), ("D10:19", "D10"), ("f12", None), ("D8", None), ("D8:6:1", None), ("", None)],
)
def test_a_session_is_read_from_ids_in_locomos_form(message_id, session):
    assert numbered_session(message_id) == session


def test_recall_per_1000_tokens_divides_by_what_the_reader_was_given():
    assert recall_per_1000_tokens(ITEMS, ["D1:1", "D9:9"], 2_000) == pytest.approx(0.25)


def test_recall_per_1000_tokens_is_none_and_not_zero_without_a_context():
    assert recall_per_1000_tokens(ITEMS, ["D1:1"], 0) is None
    assert recall_per_1000_tokens([], ["D1:1"], 0) is None
    assert recall_per_1000_tokens([], ["D1:1"], 100) is None
    assert recall_per_1000_tokens([()], ["D1:1"], 100) == 0.0


def test_nothing_is_scored_without_gold_evidence():
    assert evidence_recall(ITEMS, [], 10) is None
    assert message_recall(ITEMS, [], 10) is None
    assert hit(ITEMS, [], 10) is None
    assert reciprocal_rank(ITEMS, [], 10) is None
    assert ndcg(ITEMS, [], 10) is None
    assert session_recall(ITEMS, [], numbered_session) is None
    assert recall_per_1000_tokens(ITEMS, [], 100) is None


@pytest.mark.parametrize("score", [evidence_recall, message_recall, hit, reciprocal_rank, ndcg])
def test_a_depth_below_one_is_an_error(score):
    with pytest.raises(ValueError, match="k is 0"):
        score(ITEMS, ["D1:1"], 0)


@given(RUNS, st.lists(IDS, min_size=1), st.integers(1, 8))
def test_the_scores_keep_their_order_and_bounds(items, gold, k):
    found, rank = hit(items, gold, k), reciprocal_rank(items, gold, k)
    assert 0.0 <= rank <= found <= 1.0
    assert 0.0 <= ndcg(items, gold, k) <= 1.0 + 1e-12
    assert (evidence_recall(items, gold, k) > 0) == (found == 1.0)
    assert evidence_recall(items, gold, k) <= evidence_recall(items, gold)
    assert session_recall(items, gold, numbered_session) >= float(evidence_recall(items, gold) == 1)


@given(RUNS, st.lists(IDS, min_size=1), st.integers(1, 8))
def test_message_recall_is_recall_over_a_list_of_single_messages(items, gold, k):
    found = message_recall(items, gold, k)
    assert 0.0 <= found <= message_recall(items, gold, k + 1) <= evidence_recall(items, gold)
    singles = [(id_,) for id_ in dict.fromkeys(id_ for item in items for id_ in item)]
    assert found == message_recall(singles, gold, k) == evidence_recall(singles, gold, k)
    assert found == message_recall([item for item in items for _ in range(2)], gold, k)
