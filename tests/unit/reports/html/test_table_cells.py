"""A number on a table's page is explained, and links to the questions behind it."""

from dataclasses import replace

import pytest

from remem.metrics.columns import ScoreColumn
from remem.reports.html.table_cells import PageCell, page_rows, questions_address, title_in_words
from remem.tables.table import Block, Cell, Row, Table, Value

F1 = ScoreColumn("F1, when", "f1", "2")
CELL = Cell(ours=Value(40.0, 38.0, 42.0, 1986, 10, True))
FIRST = Row("REMem-I", (CELL,), run="runs/locomo/a b")


@pytest.mark.parametrize(
    ("column", "parameters"),
    [
        (ScoreColumn("F1", "f1"), "score=f1"),
        (
            ScoreColumn("recall", "recall_at_10", "two words"),
            "score=recall_at_10&category=two+words",
        ),
        (ScoreColumn("refusal P", "refusal_precision"), "outcome=every+refusal"),
        # the paper names scores as "<columns> <metric>"
        (ScoreColumn("LLM-J", "single_hop llm_j", "2", "Single-Hop"), "score=llm_judge&category=2"),
    ],
)
def test_the_address_names_the_run_the_score_and_the_category(
    column: ScoreColumn, parameters: str
) -> None:
    address = questions_address("runs/locomo/a b", column)
    assert address == f"../../runs/locomo/a%20b/report.html#{parameters}"


def cells(table: Table, block: Block) -> list[PageCell]:
    return [cell for _, row in page_rows(table, block) for cell in row]


def test_a_number_says_its_interval_its_test_and_what_the_star_means() -> None:
    other = replace(
        FIRST, label="BM25", cells=(Cell(ours=Value(30.0, 28.0, 33.0, 1986, 10, True, 0.004)),)
    )
    block = Block("b", (F1,), (FIRST, other))
    table = Table("t", "T", (block,))
    first, second = cells(table, block)
    assert first.tip == (
        "F1, when of REMem-I: 40.0, 95% interval [38.0, 42.0], 1,986 questions in 10 clusters."
    )
    assert second.tip.endswith(
        "The star: it differs from REMem-I by more than chance (paired bootstrap, p = 0.004 after "
        "Holm's correction)."
    )
    assert second.texts[0] == "30.0*"
    chance = replace(other, cells=(Cell(ours=Value(39.0, 37.0, 41.0, 1986, 10, True, 0.6)),))
    _, third = cells(table, replace(block, rows=(FIRST, chance)))
    assert "No star: its difference from REMem-I can be chance" in third.tip


def test_a_cell_over_several_runs_leads_to_each_and_one_without_a_number_nowhere() -> None:
    pooled = replace(FIRST, cells=(replace(CELL, runs=("x", "y")),))
    block = Block("", (F1,), (pooled,))
    (cell,) = cells(Table("t", "T", (block,), number=3), block)
    assert [link.partition("/report")[0] for link in cell.links] == ["../../x", "../../y"]
    empty = replace(FIRST, cells=(Cell(ours=None, paper="42.4"),))
    block = replace(block, rows=(empty,))
    assert cells(Table("t", "T", (block,)), block)[0].links == ()


@pytest.mark.parametrize(
    ("column", "words"),
    [
        (ScoreColumn("BA", "tot_em", "before_after"), "BA (before after)"),
        (F1, "F1, when"),
        (ScoreColumn("F1, inference", "f1", "inference"), "F1, inference"),
    ],
)
def test_a_short_heading_is_shown_with_its_category(column: ScoreColumn, words: str) -> None:
    assert title_in_words(column) == words
