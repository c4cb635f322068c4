"""Charts are laid out on their axes."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.metrics.intervals import Interval
from remem.reports.html.chart import (
    BOTTOM,
    HEIGHT,
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    Measured,
    bar_chart,
    nice_ticks,
    point_chart,
)


def mean(value: float, low: float = 0.0, high: float = 1.0) -> Interval:
    return Interval(value, low, high, 4, None)


@given(st.floats(min_value=1e-9, max_value=1e12))
def test_ticks_go_from_zero_to_the_most_in_a_few_even_steps(most: float) -> None:
    ticks = nice_ticks(most)
    assert ticks[0] == 0 and ticks[-1] >= most * (1 - 1e-8)
    assert 2 <= len(ticks) <= 7
    steps = [after - before for before, after in pairwise(ticks)]
    assert steps == pytest.approx([steps[0]] * len(steps), rel=1e-3)


def test_an_axis_of_nothing_but_zero_has_a_length() -> None:
    assert nice_ticks(0) == [0.0, 1.0]


def test_all_and_nothing_stand_at_the_ends_of_the_height() -> None:
    chart = bar_chart("t", "", "steps", [Measured("2", 2, mean(1.0)), Measured("3", 3, mean(0.0))])
    assert [mark.y for mark in chart.marks] == [TOP, HEIGHT - BOTTOM]
    assert [tick.text for tick in chart.x_ticks] == ["2", "3"]
    # two bars stand in the middles of two halves
    width = WIDTH - LEFT - RIGHT
    assert [mark.x for mark in chart.marks] == [LEFT + width / 4, LEFT + 3 * width / 4]


def test_a_point_stands_at_its_share_of_the_last_tick() -> None:
    chart = point_chart("t", "", "tokens", [Measured("10", 10, mean(0.5, 0.25, 0.75))])
    mark = chart.marks[0]
    assert mark.x == WIDTH - RIGHT  # the last tick is 10
    middle = (TOP + HEIGHT - BOTTOM) / 2
    assert mark.y == middle and mark.high < middle < mark.low
    assert mark.tip == "10: 50.0 [25.0, 75.0], n = 4"


def test_a_mean_of_one_question_has_a_mark_and_no_interval() -> None:
    alone = Interval(0.5, None, None, 1, 1)
    (mark,) = bar_chart("t", "", "steps", [Measured("2", 2, alone)]).marks
    assert (mark.low, mark.high, mark.tip) == (None, None, "2: 50.0, n = 1")
