"""The score for the order of recalled events; the evidence is 4, 9, 10 in the file's order."""

from dataclasses import replace

import pytest

from remem.config.run_config import compose_config, run_config
from remem.metrics.benchmark_scores import found_order, found_order_released
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
