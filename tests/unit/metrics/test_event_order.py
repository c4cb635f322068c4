"""The order of events, checked by hand and against scipy's own definition.

Example: five items are asked for, with ranks 1 to 5 in the reference, and the answer is a refusal
of one line. The refusal has rank 1 in the answer and rank 7 in the reference; the five items share
rank 7 in the answer. Of the 15 pairs, 5 are discordant and 10 tied, so tau-b =
-5 / sqrt(5 * 15) = -.577, and (tau-b + 1) / 2 = .211.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.metrics.benchmark_scores import released_order, strict_order

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
