"""The figures of tables: the paper's first one, columns of scores, ours beside the paper's."""

from dataclasses import replace

import pytest

from remem.metrics.columns import Column
from remem.paper.headline import FIGURE
from remem.reports.html.figures import FIGURE_1, own_figures, paper_figures
from remem.tables.paper.compared import ComparedCell, ComparedColumn, ComparedRow, ComparedTable
from remem.tables.table import Block, Cell, Row, Table

COLUMNS = (
    ComparedColumn("locomo f1", "LoCoMo", "F1"),
    ComparedColumn("locomo llm_j", "LoCoMo", "LLM-J"),
    ComparedColumn("realtalk llm_j", "REALTALK", "LLM-J"),
)


def ours(mean: float, low: float, high: float) -> Cell:
    return Cell(mean, low, high, 4, None, percent=True)


def cell(at: int, paper: str, own: Cell | None = None, verdict: str = "not run") -> ComparedCell:
    return ComparedCell(column=COLUMNS[at].key, ours=own, paper=paper, verdict=verdict)


ROWS = (
    ComparedRow("Full-Context", (cell(0, "37.8"), cell(1, "76.7"), cell(2, "65.1"))),
    ComparedRow("Oracle", (cell(0, "48.0"), cell(1, "81.0"), None)),
    ComparedRow(
        "REMem-S",
        (
            cell(0, "41.3 -1.5 +1.6"),
            cell(1, "77.5 -3.0 +4.0", ours(70.0, 67.0, 74.0), "differs"),
            cell(2, "65.3 -4.0 +3.0", ours(60.0, 56.0, 63.0), "near"),
        ),
    ),
)
FREE = ComparedRow(
    "BM25", (ComparedCell(column="locomo f1", ours=ours(20.0, 18.0, 22.0)), None, None)
)
TABLE = ComparedTable("recollection", 3, "Table 3", COLUMNS, ROWS, (FREE,), ())


def test_figure_1_averages_the_columns_of_its_caption_with_their_intervals() -> None:
    figure = paper_figures(TABLE)[0]
    assert figure.title == "Figure 1 of the paper: episodic recollection"
    assert [label.text for label in figure.labels] == ["Full-Context", "REMem-S"]  # no Oracle
    tips = [bar.tip for bar in figure.bars]
    assert tips == [
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
    figure = paper_figures(replace(TABLE, rows=(half,)))[0]
    assert [bar.series for bar in figure.bars] == ["paper"]


def test_every_column_of_scores_is_drawn_and_llm_free_rows_are_told_apart() -> None:
    _, f1, *judged = paper_figures(TABLE)
    assert (f1.title, [chart.title for chart in judged]) == (
        "LoCoMo F1",
        ["LoCoMo LLM-J", "REALTALK LLM-J"],
    )
    assert [bar.series for bar in f1.bars] == ["paper", "paper", "paper", "llm-free"]
    assert f1.bars[-1].tip == "BM25, llm-free: 20.0 [18.0, 22.0]"


@pytest.mark.parametrize(
    ("metric", "printed"), [("#", "954"), ("LLM-J", "T"), ("index seconds", "3,604.2")]
)
def test_counts_verdicts_and_times_are_not_drawn_as_scores(metric: str, printed: str) -> None:
    column = ComparedColumn("x", "", metric)
    row = ComparedRow("A", (ComparedCell(column="x", ours=None, paper=printed),))
    assert paper_figures(ComparedTable("other", 1, "t", (column,), (row,), (), ())) == []


def test_a_table_of_ones_own_has_a_chart_for_each_column() -> None:
    columns = (Column("F1", "f1"), Column("tokens", "context_tokens"))
    tokens = replace(ours(340.0, 332.0, 347.0), percent=False)
    rows = (
        Row("BM25", "none", 4, 4, (ours(29.1, 26.3, 32.6), tokens), note="told"),
        Row("Asked", "gpt", 4, 4, (ours(40.0, 39.0, 41.0), None)),
    )
    f1, counted = own_figures(Table("mine", "Mine", (Block("b", columns, rows, ()),)))
    assert [bar.tip for bar in f1.bars] == [
        "BM25 (told), llm-free: 29.1 [26.3, 32.6]",
        "Asked, ours: 40.0 [39.0, 41.0]",
    ]
    assert (counted.ticks[-1].text, [bar.written for bar in counted.bars]) == ("400", ["340"])
