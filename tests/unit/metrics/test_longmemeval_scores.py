"""LongMemEval's retrieval scores, worked out by hand.

The gold turns are a_1_1, a_1_3 and a_2_2, so the gold sessions are a_1 and a_2. The turns found,
best first, are x_1_1, a_1_3, x_1_2, a_1_1, a_2_2, so the sessions are x_1, a_1, a_2.
"""

from math import log2

import pytest

from remem.config.run_config import compose_config, run_config
from remem.config.settings import our_scores
from remem.metrics.benchmark_scores import ndcg_any, recall_all, recall_any
from remem.types import Gold, Record, Retrieved

CONVENTION = run_config(compose_config([])).score_convention()
GOLD = Gold(("2",), "multi-session", evidence=("a_1_1", "a_1_3", "a_2_2"))
FOUND = ("x_1_1", "a_1_3", "x_1_2", "a_1_1", "a_2_2")
# Turns at ranks 2, 4, 5. Released: 1 + 1/2 + 1/log2(5), of 1 + 1 + 1/log2(3).
RELEASED = (1.5 + 1 / log2(5)) / (2 + 1 / log2(3))
STANDARD = (1 / log2(3) + 1 / log2(5) + 1 / log2(6)) / (1 + 1 / log2(3) + 1 / 2)


def record(found=FOUND, gold=GOLD, ranked=True):
    retrieved = tuple(Retrieved(each, (each,)) for each in found)
    return Record("q", "h", 0, "?", gold, "ok", retrieved=retrieved, ranked=ranked)


@pytest.mark.parametrize(
    ("level", "k", "any_of_it", "all_of_it"),
    [
        *(("turn", 1, 0, 0), ("turn", 2, 1, 0), ("turn", 4, 1, 0), ("turn", 5, 1, 1)),
        *(("session", 1, 0, 0), ("session", 2, 1, 0), ("session", 3, 1, 1)),
    ],
)
def test_recall_counts_distinct_turns_or_sessions(level, k, any_of_it, all_of_it):
    assert recall_any(record(), CONVENTION, level=level, k=k) == any_of_it
    assert recall_all(record(), CONVENTION, level=level, k=k) == all_of_it


@pytest.mark.parametrize(
    ("level", "discount", "expected"),
    [
        ("turn", "released", RELEASED),
        ("turn", "standard", STANDARD),
        # Sessions at ranks 2 and 3.
        ("session", "released", (1 + 1 / log2(3)) / 2),
        ("session", "standard", (1 / log2(3) + 1 / 2) / (1 + 1 / log2(3))),
    ],
)
def test_ndcg_with_both_discounts(level, discount, expected):
    found = ndcg_any(record(), CONVENTION, level=level, k=10, discount=discount)
    assert found == pytest.approx(expected)


def test_the_released_discount_cannot_tell_rank_one_from_rank_two():
    gold = Gold(("2",), "multi-session", evidence=("a_1_1",))
    first, second = record(("a_1_1", "x_1_1"), gold), record(("x_1_1", "a_1_1"), gold)
    scores = [
        ndcg_any(each, CONVENTION, level="turn", k=10, discount="released")
        for each in (first, second)
    ]
    assert scores == [1, 1]
    standard = ndcg_any(second, CONVENTION, level="turn", k=10, discount="standard")
    assert standard == pytest.approx(1 / log2(3))


@pytest.mark.parametrize(
    "without",
    [
        record(gold=Gold(("no information available",), "multi-session", answerable=False)),
        record(gold=Gold(("2",), "4", evidence=("a_1_1",))),
        record(ranked=False),
    ],
)
def test_refusals_other_benchmarks_and_unranked_items_have_no_score(without):
    assert recall_any(without, CONVENTION, level="turn", k=5) is None
    assert recall_all(without, CONVENTION, level="session", k=5) is None
    assert ndcg_any(without, CONVENTION, level="turn", k=5, discount="standard") is None


def test_every_score_of_the_configuration_does_what_its_name_says():
    scores = {s.name: s.of(record(), CONVENTION, None) for s in our_scores()}
    assert {name: scores[name] for name in scores if name.startswith(("turn_", "session_a"))} == {
        "session_any_at_5": 1,
        "session_all_at_5": 1,
        "session_any_at_10": 1,
        "session_all_at_10": 1,
        "turn_any_at_5": 1,
        "turn_all_at_5": 1,
        "turn_any_at_10": 1,
        "turn_all_at_10": 1,
        "turn_ndcg_at_10": pytest.approx(STANDARD),
        "turn_ndcg_at_10_released": pytest.approx(RELEASED),
    }
    assert scores["session_ndcg_at_10_released"] == pytest.approx((1 + 1 / log2(3)) / 2)
