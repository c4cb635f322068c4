"""The figures of tables: the paper's first one, columns of scores, ours beside the paper's."""

from dataclasses import replace

import pytest
from paper_checks.headline import FIGURE

from remem.metrics.columns import ScoreColumn
from remem.reports.html.figures import FIGURE_1, Mean, PlottedRow, RowChart, figures_of, row_chart
from remem.tables.table import Block, Cell, Row, Table, Value

COLUMNS = (
    ScoreColumn("F1", "locomo f1", group="LoCoMo"),
    ScoreColumn("LLM-J", "locomo llm_j", group="LoCoMo"),
    ScoreColumn("LLM-J", "realtalk llm_j", group="REALTALK"),
)


def ours(mean: float, low: float, high: float) -> Value:
    return Value(mean, low, high, 4, None, percent=True)


def cell(at: int, paper: str, own: Value | None = None, verdict: str = "not run") -> Cell:
    return Cell(column=COLUMNS[at].score, ours=own, paper=paper, verdict=verdict)


ROWS = (
    Row("Full-Context", (cell(0, "37.8"), cell(1, "76.7"), cell(2, "65.1"))),
    Row("Oracle", (cell(0, "48.0"), cell(1, "81.0"), None)),
    Row(
        "REMem-S",
        (
            cell(0, "41.3 -1.5 +1.6"),
            cell(1, "77.5 -3.0 +4.0", ours(70.0, 67.0, 74.0), "differs"),
            cell(2, "65.3 -4.0 +3.0", ours(60.0, 56.0, 63.0), "near"),
        ),
    ),
)
FREE = Row("BM25", (Cell(column="locomo f1", ours=ours(20.0, 18.0, 22.0)), None, None))
TABLE = Table(
    "recollection",
    "Table 3",
    (Block("", COLUMNS, ROWS), Block("LLM-free rows", COLUMNS, (FREE,))),
    number=3,
)


def means_of(chart: RowChart) -> list[Mean]:
    return [mean for system in chart.systems for mean in system.means]


def tips_of(chart: RowChart) -> list[str]:
    return [f"{system.label}, {mean.tip}" for system in chart.systems for mean in system.means]


def test_figure_1_averages_the_columns_of_its_caption_with_their_intervals() -> None:
    figure = figures_of(TABLE)[0]
    assert figure.title == "Figure 1 of the paper: episodic recollection"
    assert [system.label for system in figure.systems] == ["Full-Context", "REMem-S"]  # no Oracle
    assert tips_of(figure) == [
        "Full-Context, paper: 70.9",
        # half of the root of 3 * 3 + 4 * 4 is 2.5, on either side
        "REMem-S, ours: 65.0 [62.5, 67.5] (differs) (near)",
        "REMem-S, paper: 71.4 [68.9, 73.9]",
    ]


def test_a_figure_takes_the_columns_that_the_audit_takes() -> None:
    assert {name: f"mean of {' and '.join(keys)}" for name, keys in FIGURE_1.items()} == FIGURE


def test_ours_is_in_figure_1_only_with_both_benchmarks() -> None:
    whole = ROWS[2]
    half = replace(whole, cells=(*whole.cells[:2], cell(2, "65.3 -4.0 +3.0")))
    figure = figures_of(replace(TABLE, blocks=(replace(TABLE.blocks[0], rows=(half,)),)))[0]
    assert [mean.series for mean in means_of(figure)] == ["paper"]


def test_every_column_of_scores_is_drawn_and_llm_free_rows_are_told_apart() -> None:
    _, f1, *judged = figures_of(TABLE)
    assert (f1.title, [chart.title for chart in judged]) == (
        "LoCoMo F1",
        ["LoCoMo LLM-J", "REALTALK LLM-J"],
    )
    assert [mean.series for mean in means_of(f1)] == ["paper", "paper", "paper", "llm-free"]
    assert tips_of(f1)[-1] == "BM25, llm-free: 20.0 [18.0, 22.0]"


@pytest.mark.parametrize(
    ("metric", "printed"), [("#", "954"), ("LLM-J", "T"), ("index seconds", "3,604.2")]
)
def test_counts_verdicts_and_times_are_not_drawn_as_scores(metric: str, printed: str) -> None:
    column = ScoreColumn(metric, "x")
    row = Row("A", (Cell(column="x", ours=None, paper=printed),))
    assert figures_of(Table("other", "t", (Block("", (column,), (row,)),), number=1)) == []


def test_a_table_of_ones_own_has_a_chart_for_each_column() -> None:
    columns = (ScoreColumn("F1", "f1"), ScoreColumn("tokens", "context_tokens"))
    tokens = Cell(ours=replace(ours(340.0, 332.0, 347.0), percent=False), decimals=0)
    rows = (
        Row("BM25", (Cell(ours=ours(29.1, 26.3, 32.6)), tokens), note="told"),
        Row("Asked", (Cell(ours=ours(40.0, 39.0, 41.0)), None), llm="gpt"),
    )
    f1, counted = figures_of(Table("mine", "Mine", (Block("b", columns, rows, ()),)))
    assert tips_of(f1) == [
        "BM25 (told), llm-free: 29.1 [26.3, 32.6]",
        "Asked, ours: 40.0 [39.0, 41.0]",
    ]
    assert [mean.written for mean in means_of(counted)] == ["340"]


def drawn(*values: float) -> RowChart:
    means = tuple(Mean("ours", value, None, None, f"{value:.1f}") for value in values)
    chart = row_chart("t", "", [PlottedRow("A", means), PlottedRow("B", ())])
    assert chart is not None
    assert [system.label for system in chart.systems] == ["A"]  # a system without a number
    return chart


def test_an_axis_shows_the_range_of_the_numbers_from_0_if_that_is_near() -> None:
    chart = drawn(50.0, 0.0)
    assert chart.ticks == (0, 10, 20, 30, 40, 50)
    assert [chart.place(value) for value in (0, 25, 50)] == [0, 43, RowChart.widest]
    far = drawn(60.0, 70.0)
    assert (far.ticks[0], far.ticks[-1], far.place(65.0)) == (60, 70, 43)
    assert drawn(23.0).ticks == (0, 5, 10, 15, 20, 25)
    assert row_chart("t", "", [PlottedRow("A", ())]) is None
