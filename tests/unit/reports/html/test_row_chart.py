"""Charts of tables have a row for each system and a bar for each of its numbers."""

from remem.reports.html.row_chart import BAR, LEFT, RIGHT, WIDTH, Mean, System, row_chart

LENGTH = WIDTH - LEFT - RIGHT


def mean(value: float, low: float | None = None, high: float | None = None) -> Mean:
    return Mean("ours", value, low, high, f"{value:.1f}", " (agrees)")


def test_a_bar_is_as_long_as_its_share_of_the_axis() -> None:
    systems = [System("A", (mean(50.0, 25.0, 75.0), mean(100.0))), System("B", (mean(0.0),))]
    chart = row_chart("t", "n", systems, percent=True)
    assert chart is not None
    assert [bar.width for bar in chart.bars] == [LENGTH / 2, LENGTH, 0]
    first, second, third = chart.bars
    assert (first.low, first.high) == (LEFT + LENGTH / 4, LEFT + 3 * LENGTH / 4)
    assert first.at == LEFT + 3 * LENGTH / 4 + 5  # the number stands clear of the interval
    assert (second.low, second.at) == (None, LEFT + LENGTH + 5)
    assert (second.y - first.y, third.y > second.y + BAR) == (BAR, True)
    assert [tick.text for tick in chart.ticks] == ["0", "25", "50", "75", "100"]


def test_the_label_stands_in_the_middle_of_its_bars_and_the_tip_says_all() -> None:
    chart = row_chart("t", "", [System("A", (mean(50.0, 25.0, 75.0), mean(1.0)))], percent=True)
    assert chart is not None
    assert [(label.y, label.text) for label in chart.labels] == [(BAR, "A")]
    assert chart.bars[0].tip == "A, ours: 50.0 [25.0, 75.0] (agrees)"
    assert chart.bars[1].tip == "A, ours: 1.0 (agrees)"


def test_what_is_no_percentage_has_an_axis_of_its_own() -> None:
    chart = row_chart("t", "", [System("A", (mean(23.0),))], percent=False)
    assert chart is not None
    assert [tick.text for tick in chart.ticks] == ["0", "5", "10", "15", "20", "25"]
    assert chart.bars[0].width == round(LENGTH * 23 / 25, 1)


def test_a_system_without_a_number_is_left_out_and_a_chart_without_any_is_none() -> None:
    chart = row_chart("t", "", [System("A", ()), System("B", (mean(1.0),))], percent=True)
    assert chart is not None
    assert [label.text for label in chart.labels] == ["B"]
    assert row_chart("t", "", [System("A", ())], percent=True) is None
