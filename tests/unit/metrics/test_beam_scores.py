"""BEAM's score for the order of events, by hand and against scipy's own definition.

Of records, the evidence is 4, 9, 10 in the file's order. In the example of five items, these have
the ranks 1 to 5 in the reference, and the answer is a refusal of one line. The refusal has rank 1
in the answer and rank 7 in the reference; the five items share rank 7 in the answer. Of the 15
pairs, 5 are discordant and 10 tied, so tau-b = -5 / sqrt(5 * 15) = -.577, and (tau-b + 1) / 2 =
.211.
"""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.config.run_config import compose_config, run_config
from remem.metrics.benchmark_scores import (
    found_order,
    found_order_released,
    released_order,
    strict_order,
)
from remem.types import Gold, Record, Retrieved

GOLD = Gold(("?",), "event_ordering", evidence=("4", "9", "10"))
CONVENTION = run_config(compose_config([])).score_convention()


def record(*sources, gold=GOLD):
    retrieved = tuple(Retrieved(f"p{place}", source) for place, source in enumerate(sources))
    return Record("q", "h", 0, "?", gold, "ok", retrieved=retrieved)


def test_messages_are_ordered_by_number_not_as_text_nor_by_rank():
    assert found_order(record(("10", "77"), ("9",), ("4",)), CONVENTION) == 1


def test_ids_that_are_not_in_the_order_of_the_messages_cannot_be_matched():
    # Found: 4, 9, 10; the file has 4, 10, 9: one of three pairs is discordant, tau = 1/3.
    gold = replace(GOLD, evidence=("4", "10", "9"))
    found = found_order(record(("4",), ("10",), ("9",), gold=gold), CONVENTION)
    assert found == pytest.approx(2 / 3)


def test_nothing_found_is_an_empty_line_by_the_released_rule():
    # Three items at 5, the line at 1; three discordant pairs of six, three tied.
    assert found_order(record(("77",)), CONVENTION) == 0
    assert found_order_released(record(("77",)), CONVENTION) == pytest.approx((1 - 3 / 18**0.5) / 2)


@pytest.mark.parametrize(
    "gold",
    [
        Gold(("?",), "event_ordering"),
        Gold(("?",), "temporal_reasoning", evidence=("4", "9")),
        Gold(("?",), "event_ordering", evidence=("D1:1",)),
    ],
)
def test_other_questions_have_no_order_of_events(gold):
    assert found_order(record(("4",), gold=gold), CONVENTION) is None
    assert found_order_released(record(("4",), gold=gold), CONVENTION) is None


FIVE = ("a", "b", "c", "d", "e")


@pytest.mark.parametrize(
    ("aligned", "released", "strict"),
    [
        (FIVE, 1.0, 1.0),
        (("In this order:", *FIVE), 2 / 3, 1.0),
        # Seven concordant pairs, three tied: tau-b = 7 / sqrt(7 * 10).
        (("a", "b"), (7 / 70**0.5 + 1) / 2, (7 / 70**0.5 + 1) / 2 * 2 / 5),
        (("",), (1 - 5 / 75**0.5) / 2, 0.0),
        (FIVE[::-1], 0.0, 0.0),
    ],
)
def test_five_items_score_as_worked_out_by_hand(aligned, released, strict):
    assert released_order(FIVE, aligned) == pytest.approx(released, abs=1e-9)
    assert strict_order(FIVE, aligned) == pytest.approx(strict, abs=1e-9)


def test_one_item_of_one_has_no_tau_and_is_right_if_it_is_stated():
    assert released_order(("a",), ("a",)) is None
    assert strict_order(("a",), ("a",)) == 1.0
    assert strict_order(("a",), ("x",)) == 0.0


def test_a_repeated_item_counts_at_its_first_place_in_the_strict_order():
    assert strict_order(("a", "b"), ("a", "b", "a")) == 1.0


ANSWERS = st.lists(st.sampled_from([*FIVE, "x", ""]), max_size=9)


@given(ANSWERS)
def test_scores_are_shares_and_lines_without_items_do_not_count_in_the_strict_order(aligned):
    released = released_order(FIVE, aligned)
    assert released is None or 0 <= released <= 1 + 1e-9
    strict = strict_order(FIVE, aligned)
    assert -1e-9 <= strict <= 1 + 1e-9
    assert strict == strict_order(FIVE, [item for item in aligned if item in FIVE])


@given(st.permutations(FIVE))
def test_only_the_right_order_of_everything_is_perfect(order):
    perfect = strict_order(FIVE, order) > 1 - 1e-9
    assert perfect == (tuple(order) == FIVE)
