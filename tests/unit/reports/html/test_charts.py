"""Charts are laid out on their axes."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.metrics.intervals import Interval
from remem.reports.html.charts import (
    Chart,
    PlottedMean,
    bar_chart,
    curve_chart,
    nice_ticks,
    point_chart,
)
from remem.results.stream_curves import Curve, CurvePoint, Measure


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
    chart = bar_chart(
        "t", "", "steps", [PlottedMean("2", 2, mean(1.0)), PlottedMean("3", 3, mean(0.0))]
    )
    assert [mark.y for mark in chart.marks] == [Chart.top, Chart.bottom]
    assert [tick.text for tick in chart.x_ticks] == ["2", "3"]
    # two bars stand in the middles of two halves
    width = Chart.right - Chart.left
    middles = [Chart.left + width / 4, Chart.left + 3 * width / 4]
    assert [mark.x for mark in chart.marks] == pytest.approx(middles)


def test_a_point_stands_at_its_share_of_the_last_tick() -> None:
    chart = point_chart("t", "", "tokens", [PlottedMean("10", 10, mean(0.5, 0.25, 0.75))])
    mark = chart.marks[0]
    assert mark.x == Chart.right  # the last tick is 10
    middle = (Chart.top + Chart.bottom) / 2
    assert mark.y == middle and mark.high < middle < mark.low
    assert mark.tip == "10: 50.0 [25.0, 75.0], n = 4"


def test_a_mean_of_one_question_has_a_mark_and_no_interval() -> None:
    alone = Interval(0.5, None, None, 1, 1)
    (mark,) = bar_chart("t", "", "steps", [PlottedMean("2", 2, alone)]).marks
    assert (mark.low, mark.high, mark.tip) == (None, None, "2: 50.0, n = 1")


def test_each_point_of_a_curve_is_labelled_with_its_ages() -> None:
    ages = ((-4, -3), (0, 0), (1, 1), (3, 4))
    points = tuple(CurvePoint(low, high, Interval(0.5, 0.4, 0.6, 9, 3)) for low, high in ages)
    chart = curve_chart(Curve("evidence", Measure("f1", "F1", share=True), points))
    assert [tick.text for tick in chart.x_ticks] == ["-4 to -3", "0", "1", "3-4"]
    assert [tick.text for tick in chart.y_ticks] == ["0", "25", "50", "75", "100"]
    assert chart.marks[-1].tip == "3 to 4: 50 [40, 60], n = 9"
