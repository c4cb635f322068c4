"""Charts of tables have a row for each system and a bar for each of its numbers."""

from remem.reports.html.row_chart import BAR, WIDEST, Mean, System, row_chart


def mean(value: float, low: float | None = None, high: float | None = None) -> Mean:
    return Mean("ours", value, low, high, f"{value:.1f}", " (agrees)")


def test_a_bar_is_as_long_as_its_share_of_the_axis() -> None:
    systems = [System("A", (mean(50.0, 25.0, 75.0), mean(100.0))), System("B", (mean(0.0),))]
    chart = row_chart("t", "n", systems, percent=True)
    assert chart is not None
    first, second, third = (bar for row in chart.rows for bar in row.bars)
    assert [bar.width for bar in (first, second, third)] == [WIDEST / 2, WIDEST, 0]
    assert (first.low, first.high) == (WIDEST / 4, 3 * WIDEST / 4)
    assert first.at == 3 * WIDEST / 4  # the number stands clear of the interval
    assert (second.low, second.at) == (None, WIDEST)
    assert [row.height for row in chart.rows] == [2 * BAR, BAR]
    assert [first.y, second.y, third.y] == [0, BAR, 0]
    assert [tick.text for tick in chart.ticks] == ["0", "25", "50", "75", "100"]


def test_a_row_has_its_label_and_a_tip_that_says_all() -> None:
    chart = row_chart("t", "", [System("A", (mean(50.0, 25.0, 75.0), mean(1.0)))], percent=True)
    assert chart is not None
    (row,) = chart.rows
    assert row.label == "A"
    assert row.bars[0].tip == "A, ours: 50.0 [25.0, 75.0] (agrees)"
    assert row.bars[1].tip == "A, ours: 1.0 (agrees)"


def test_what_is_no_percentage_has_an_axis_of_its_own() -> None:
    chart = row_chart("t", "", [System("A", (mean(23.0),))], percent=False)
    assert chart is not None
    assert [tick.text for tick in chart.ticks] == ["0", "5", "10", "15", "20", "25"]
    assert chart.rows[0].bars[0].width == round(WIDEST * 23 / 25, 2)


def test_a_system_without_a_number_is_left_out_and_a_chart_without_any_is_none() -> None:
    chart = row_chart("t", "", [System("A", ()), System("B", (mean(1.0),))], percent=True)
    assert chart is not None
    assert [row.label for row in chart.rows] == ["B"]
    assert row_chart("t", "", [System("A", ())], percent=True) is None
