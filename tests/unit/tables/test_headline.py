"""The headline of a block names the best row, and says if its lead may be due to chance."""

import pytest

from remem.metrics.columns import ScoreColumn
from remem.tables.headline import headlines
from remem.tables.table import Block, Cell, Row, Value

F1 = ScoreColumn("F1", "f1")


def row(
    label: str, mean: float, half: float = 2.0, p_value: float | None = None, note: str = ""
) -> Row:
    value = Value(mean, mean - half, mean + half, 100, 30, True, p_value)
    return Row(label, (Cell(ours=value),), note)


@pytest.mark.parametrize(
    ("rows", "best", "certainty"),
    [
        (
            (row("A", 50), row("B", 40, p_value=0.01)),
            "A scores highest in F1: 50.0 [48.0, 52.0].",
            "Its lead over every other row is more than chance.",
        ),
        (  # a paired test can part rows whose intervals overlap, and the other way round
            (row("A", 50), row("B", 49, p_value=0.01), row("C", 40, p_value=0.2)),
            "No certain winner in F1: A scores highest, 50.0 [48.0, 52.0],",
            "but its lead over C can be chance (2 comparisons, corrected).",
        ),
        (  # only differences from the first row were tested
            (row("A", 40), row("B", 50, p_value=0.01), row("C, dated", 47, p_value=0.01)),
            "No certain winner in F1: B scores highest, 50.0 [48.0, 52.0],",
            'but its interval overlaps with that of "C, dated".',
        ),
        (  # an upper bound is no contender
            (row("A", 40), row("B", 30, p_value=0.01), row("Full-Context", 90, note="ceiling")),
            "A scores highest in F1: 40.0 [38.0, 42.0].",
            "Its lead over every other row is more than chance. Upper bounds do not compete: "
            "Full-Context (ceiling).",
        ),
    ],
)
def test_a_lead_is_certain_only_where_it_was_tested_or_no_interval_overlaps(
    rows: tuple[Row, ...], best: str, certainty: str
) -> None:
    (line,) = headlines(Block("b", (F1,), rows))
    assert (line.best, line.certainty) == (best, certainty)


def test_many_close_rows_are_counted() -> None:
    rows = (row("A", 50), *(row(f"B{at}", 49, p_value=0.5) for at in range(6)))
    (line,) = headlines(Block("b", (F1,), rows))
    assert line.certainty == (
        "but its lead over B0, B1, B2 and 3 more rows can be chance (6 comparisons, corrected)."
    )


def test_f1_has_a_headline_of_its_own_and_counts_and_single_rows_have_none() -> None:
    tokens = Cell(ours=Value(900.0, None, None, 100, 30, False))
    rows = tuple(
        Row(name, (tokens, *row(name, mean, p_value=0.01).cells))
        for name, mean in (("A", 50), ("B", 40))
    )
    columns = (ScoreColumn("tokens", "context_tokens"), F1)
    assert [line.best for line in headlines(Block("b", columns, rows))] == [
        "A scores highest in F1: 50.0 [48.0, 52.0]."
    ]
    assert list(headlines(Block("b", (F1,), (row("A", 50),)))) == []
