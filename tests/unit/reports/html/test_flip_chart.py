"""Bars of flips go to both sides of the middle, on one scale."""

from remem.reports.html.flip_chart import flip_chart
from remem.results.flips import FlipRow

NAMES = ("BM25", "REMem-S")


def test_the_longest_bar_takes_half_the_width_and_the_rest_is_counted_as_the_same() -> None:
    rows = [FlipRow("2", 4, 3), FlipRow("5", 1, 8)]
    bars = flip_chart(rows, NAMES, {"2": 37, "3": 13, "5": 9})
    assert [(bar.name, bar.left, bar.right, bar.same) for bar in bars] == [
        ("2", 25.0, 18.75, 30),  # 4 and 3 of the 8 that fill a half
        ("3", 0.0, 0.0, 13),  # nothing flipped
        ("5", 6.25, 50.0, 0),
    ]
    assert bars[0].tip == "2: only BM25 right on 4, only REMem-S right on 3"


def test_what_no_question_has_counts_nothing_as_the_same() -> None:
    (bar,) = flip_chart([FlipRow("other evidence", 0, 2)], NAMES)
    assert (bar.left, bar.right, bar.same) == (0.0, 50.0, None)


def test_without_flips_no_bar_is_drawn() -> None:
    assert flip_chart([], NAMES) == []
    (bar,) = flip_chart([], NAMES, {"1": 2})
    assert (bar.left, bar.right, bar.same) == (0.0, 0.0, 2)
