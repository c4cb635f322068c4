"""Charts are laid out on their axes."""

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.metrics.intervals import Interval
from remem.reports.html import charts
from remem.reports.html.charts import (
    Chart,
    PlottedMean,
    curve_chart,
    dot_chart,
    line_chart,
    nice_ticks,
    point_chart,
    row_chart,
)
from remem.results.stream_curves import Curve, CurvePoint, Measure
from remem.tables.table import Value

TEMPLATES = Path(charts.__file__).parent / "templates"


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
    chart = dot_chart(
        "t", "", "steps", [PlottedMean("2", 2, mean(1.0)), PlottedMean("3", 3, mean(0.0))]
    )
    assert [mark.y for mark in chart.marks] == [Chart.top, Chart.bottom]
    assert [tick.text for tick in chart.x_ticks] == ["2", "3"]
    # two means stand in the middles of two halves
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
    (mark,) = dot_chart("t", "", "steps", [PlottedMean("2", 2, alone)]).marks
    assert (mark.low, mark.high, mark.tip) == (None, None, "2: 50.0, n = 1")


def test_each_point_of_a_curve_is_labelled_with_its_ages() -> None:
    ages = ((-4, -3), (0, 0), (1, 1), (3, 4))
    points = tuple(CurvePoint(low, high, Interval(0.5, 0.4, 0.6, 9, 3)) for low, high in ages)
    chart = curve_chart(Curve("evidence", Measure("f1", "F1", share=True), points))
    assert [tick.text for tick in chart.x_ticks] == ["-4 to -3", "0", "1", "3-4"]
    assert [tick.text for tick in chart.y_ticks] == ["0", "25", "50", "75", "100"]
    assert chart.marks[-1].tip == "3 to 4: 50.0 [40.0, 60.0], n = 9"


def per_cent(name: str, place: float, value: float) -> PlottedMean:
    return PlottedMean(name, place, Value(value, value - 1, value + 1, 40, None, percent=True))


def test_each_line_has_its_marks_in_order_and_a_little_apart_from_those_of_the_others() -> None:
    lines = {
        "A": [per_cent("A, k=10", 10, 34.0), per_cent("A, k=5", 5, 30.0)],
        "B": [per_cent("B, k=5", 5, 31.0), per_cent("B, k=10", 10, 33.0)],
    }
    chart = line_chart("F1", "k", lines)
    assert chart.lines == ("A", "B")
    assert [(mark.line, mark.tip) for mark in chart.marks] == [
        (0, "A, k=5: 30.0 [29.0, 31.0], n = 40"),
        (0, "A, k=10: 34.0 [33.0, 35.0], n = 40"),
        (1, "B, k=5: 31.0 [30.0, 32.0], n = 40"),
        (1, "B, k=10: 33.0 [32.0, 34.0], n = 40"),
    ]
    first, _, other, _ = chart.marks
    assert first.x < chart.x_ticks[0].at < other.x
    assert [tick.text for tick in chart.x_ticks] == ["5", "10"]


def test_an_axis_that_does_not_start_at_zero_says_so() -> None:
    chart = line_chart("F1", "k", {"": [per_cent("", 5, 30.0), per_cent("", 10, 34.0)]})
    assert [tick.text for tick in chart.y_ticks] == ["28", "30", "32", "34", "36"]
    assert chart.note.endswith("The axis starts at 28, not at 0.") and chart.lines == ()
    near = line_chart("F1", "k", {"": [per_cent("", 5, 10.0), per_cent("", 10, 34.0)]})
    assert near.y_ticks[0].text == "0" and near.note.endswith("interval.")


@pytest.mark.parametrize(
    ("numbers", "to_scale"), [((2, 5, 10, 20), True), ((1, 10, 100), False), ((7,), True)]
)
def test_numbers_too_near_to_each_other_are_spaced_evenly(
    numbers: tuple[float, ...], to_scale: bool
) -> None:
    chart = line_chart("F1", "k", {"": [per_cent("", number, 30.0) for number in numbers]})
    gaps = [after.at - before.at for before, after in pairwise(chart.x_ticks)]
    assert ("not to scale" not in chart.note) == to_scale
    if to_scale and gaps:
        assert gaps == pytest.approx([gaps[0], gaps[0] * 5 / 3, gaps[0] * 10 / 3], abs=0.05)
    else:
        assert gaps == pytest.approx(gaps[:1] * len(gaps), abs=0.05)


def test_labels_without_room_are_left_out() -> None:
    numbers = [per_cent("", at / 1000, 30.0) for at in range(1, 31)]
    chart = line_chart("F1", "k", {"": numbers})
    assert [tick.text for tick in chart.x_ticks][:3] == ["0.001", "0.005", "0.009"]
    assert len(chart.marks) == 30


def test_a_row_has_its_mean_and_its_interval_on_one_axis() -> None:
    chart = row_chart("F1", [per_cent("a", 0, 31.0), per_cent("b", 0, 34.0)])
    first, second = chart.marks
    assert first.low is not None and first.high is not None
    assert first.low < first.x < first.high < second.x
    assert [tick.text for tick in chart.y_ticks] == ["a", "b"]
    assert chart.x_ticks[0].text == "30" and first.low == chart.x_ticks[0].at
