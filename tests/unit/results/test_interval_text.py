"""The text of an interval says what it is based on; without an interval, it says why."""

from dataclasses import replace
from io import StringIO

import pytest
from rich.console import Console

from remem.metrics.columns import ScoreColumn
from remem.metrics.intervals import Interval
from remem.results.run_notes import (
    BELIEVE_P,
    FEW_CLUSTERS_NOTE,
    ONE_CLUSTER_NOTE,
    TWO_CLUSTERS_NOTE,
    bracketed,
    cautions,
    p_cautions,
    resampled,
)
from remem.tables.file_formats import as_csv, as_latex
from remem.tables.render import as_markdown
from remem.tables.table import Block, Cell, Row, Table, Value
from remem.tables.terminal_view import for_terminal

ONE_CLUSTER = Cell(ours=Value(50.0, 25.0, 80.04, 3, 1, percent=True))
ONE_QUESTION = Cell(ours=Value(100.0, None, None, 1, 1, percent=True))
COLUMNS = (ScoreColumn("F1", "f1"), ScoreColumn("F1 of 1", "f1", "1"))
ROW = Row("A", (ONE_CLUSTER, ONE_QUESTION), answered=3, total=3)
TABLE = Table("t", "T", (Block("B", COLUMNS, (ROW,), ()),))


def over(clusters: int | None) -> Interval:
    return Interval(0.5, 0.25, 0.75, 40, clusters)


@pytest.mark.parametrize(
    ("clusters", "said"),
    [
        (None, []),
        (1, [ONE_CLUSTER_NOTE]),
        (2, [TWO_CLUSTERS_NOTE]),
        (19, [FEW_CLUSTERS_NOTE]),
        (20, []),
    ],
)
def test_fewer_than_twenty_clusters_are_cautioned_of_and_a_single_one_otherwise(
    clusters: int | None, said: list[str]
) -> None:
    found = [over(clusters), over(None)]
    assert list(cautions(found)) == said
    assert list(p_cautions(found)) == ([BELIEVE_P] if said == [FEW_CLUSTERS_NOTE] else [])


def test_an_interval_of_one_cluster_is_marked_and_one_question_has_none() -> None:
    assert bracketed(over(20), ".0f", 100) == "[25, 75]"
    assert bracketed(over(1), "+.1f", 100) == "[+25.0, +75.0]†"
    assert bracketed(replace(over(1), low=None, high=None), ".1f") == "(n = 1)"
    assert bracketed(over(2), ".1f") == "(2 clusters)"


@pytest.mark.parametrize(
    ("clusters", "said"),
    [
        ([None, None], "questions"),
        ([1], "questions (all from one cluster)"),
        ([12], "12 clusters"),
        ([5, 12, None], "5 to 12 clusters"),
        ([1, 12], "12 clusters (questions, where all are of one cluster)"),
    ],
)
def test_what_is_resampled_has_a_name(clusters: list[int | None], said: str) -> None:
    assert resampled([over(count) for count in clusters]) == said


def test_a_table_marks_the_interval_of_one_cluster_and_prints_none_for_one_question() -> None:
    assert "50.0 [25.0, 80.0]† | 100.0 (n = 1) |" in as_markdown(TABLE)
    assert as_markdown(TABLE).endswith(f"- {ONE_CLUSTER_NOTE}\n")
    assert r"$50.0_{-25.0}^{+30.0}$$^\dagger$ & $100.0$ (n = 1)" in as_latex(TABLE)
    first, second = as_csv(TABLE).splitlines()[1:]
    assert ",50.0000,25.0000,80.0400,3,1," in first
    assert ",100.0000,,,1,1," in second
    console = Console(file=StringIO(), width=100)
    console.print(for_terminal(TABLE, console))
    assert isinstance(console.file, StringIO)
    shown = console.file.getvalue()
    assert "[25.0, 80.0]†" in shown
    assert "(n = 1)" in shown
    assert ONE_CLUSTER_NOTE[:60] in shown
