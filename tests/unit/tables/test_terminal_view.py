"""A table in a terminal: each row named, no cell cut, few other lines, at any width."""

import re
from collections.abc import Iterator
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from remem.metrics.columns import ScoreColumn
from remem.paper.layout import paper_folder, read_tables
from remem.tables.table import Block, Cell, Row, Table, Value
from remem.tables.table_plan import BlockPlan, read_plan, table_names
from remem.tables.terminal_view import MOST_OTHER_LINES, for_terminal, index_of

WIDTHS = (80, 120, 160)
ENDING = ("Page: results/tables/t/report.html (also: md, tex, csv)", "Next: remem view")
PAPER = read_tables(paper_folder())
LLM_FREE = ("REMem-I (scripted), in context", "Oracle Message (given the evidence)", "BM25")


def lines(table: Table, width: int, ending: tuple[str, ...] = ENDING) -> list[str]:
    console = Console(file=StringIO(), width=width)
    console.print(for_terminal(table, console, ending))
    assert isinstance(console.file, StringIO)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


def number(mean: float) -> Value:
    return Value(mean, mean - 3.2, mean + 3.4, 1986, 10, percent=True, p_value=0.01)


def block_of(plan: BlockPlan) -> Block:
    rows = tuple(
        Row(
            dict(choice.partition("=")[::2] for choice in row.overrides).get("method", "no_memory"),
            tuple(Cell(ours=number(10 * at + column / 10)) for column in range(len(plan.columns))),
            row.note,
            answered=1986,
            total=1986,
        )
        for at, row in enumerate(plan.rows)
    )
    return Block(plan.title, plan.columns, rows, plan.notes)


def own_table(name: str) -> Table:
    plan = read_plan(name)
    return Table(name, plan.title, tuple(map(block_of, plan.blocks)))


def paper_table(name: str, *, is_run: bool) -> Table:
    """Return a table of the paper with its printed numbers, and also as our values if `is_run`."""
    paper = PAPER[name]
    columns = tuple(
        ScoreColumn(column.metric, column.heading, group=column.group.title)
        for column in paper.columns
    )
    rows = tuple(
        Row(
            row,
            tuple(
                Cell(
                    ours=number(float(number_of.number.value)) if is_run else None,
                    paper=number_of.number.printed,
                    verdict="near" if is_run else "not run",
                )
                if (number_of := paper.cells.get((row, column.heading)))
                else None
                for column in paper.columns
            ),
        )
        for row in paper.rows
    )
    free = tuple(
        Row(name, tuple(Cell(ours=number(42.0)) if is_run else Cell(ours=None) for _ in columns))
        for name in LLM_FREE
    )
    blocks = (Block("", columns, rows), Block("LLM-free rows", columns, free))
    return Table(name, f"Table {paper.header.number}", blocks, number=paper.header.number)


def drawn_rows(table: Table, shown: list[str]) -> Iterator[tuple[Row, list[str]]]:
    """Yield each row with the cells of its printed line, found by the beginning of its name."""
    left = list(shown)
    for row in table.rows:
        begin = row.title.split(",")[0].split(" (")[0]
        line = next(line for line in left if line.startswith(begin))
        del left[: left.index(line) + 1]
        yield row, re.split(r" {2,}", line)[1:]


TABLES = [
    *(pytest.param(own_table(name), id=name) for name in table_names()),
    *(pytest.param(paper_table(name, is_run=True), id=f"{name}-run") for name in PAPER),
    *(pytest.param(paper_table(name, is_run=False), id=name) for name in PAPER),
]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("table", TABLES)
def test_every_row_is_named_no_cell_is_cut_and_few_lines_stand_beside(
    table: Table, width: int
) -> None:
    shown = lines(table, width)
    assert max(map(len, shown)) <= width
    words = " ".join(" ".join(shown).split())
    assert all(row.title.split(",")[0] in words for row in table.rows)
    is_run = any(cell.ours for cell in table.cells)
    rows = [row for row in table.rows if is_run or any(cell and cell.paper for cell in row.cells)]
    for row, cells in drawn_rows(replace(table, blocks=(Block("", (), tuple(rows)),)), shown):
        assert cells
        whole = {text for cell in row.cells for text in whole_texts(table, cell, is_run=is_run)}
        assert {cell for cell in cells if not cell.startswith("n = ")} <= whole
    drawn = len(list(drawn_rows(table, shown))) if is_run else 0
    named = len(PAPER[table.name].rows) if table.number else 0
    assert len(shown) - max(drawn, named) <= MOST_OTHER_LINES


def whole_texts(table: Table, cell: Cell | None, *, is_run: bool) -> set[str]:
    """Return all texts with which a cell may be shown, none of them cut."""
    if cell is None:
        return {"-"}
    printed = cell.paper.split()[0] if cell.paper else ""
    if cell.ours is None:
        return {printed, f"- | {printed}", "not run"}
    mean = f"{cell.ours.mean:,.1f}*"
    ours = {mean, f"{mean} {cell.ours.interval(',.1f' if table.number else '.1f')}"}
    ours |= {text.replace(",", "") for text in ours}
    return {f"{text} ~ {printed}" if printed else text for text in ours}


CHATS = (
    ScoreColumn("F1 (all)", "f1"),
    ScoreColumn("F1, 1", "f1", "1"),
    ScoreColumn("F1, 2", "f1", "2"),
)
ROWS = (
    Row("A", tuple(Cell(ours=number(mean)) for mean in (50.0, 40.0, 30.0)), answered=9, total=9),
    Row("Oracle", (Cell(ours=number(60.0)), None, None), "ceiling", answered=9, total=9),
)
NOTES = ("A first note.", "A second note.")
WARNING = "A: embedder x, weights: random. This is not a result."
SMALL = Table("t", "A table", (Block("Chats", CHATS, ROWS, NOTES, leading=(WARNING,)),))


def test_a_wide_terminal_shows_every_interval_and_a_narrow_one_that_of_the_headline() -> None:
    assert lines(SMALL, 120, ())[:5] == [
        "A table",
        "Chats (n = 9)",
        "Method                      F1 (all)               F1, 1               F1, 2",
        "A                 50.0* [46.8, 53.4]  40.0* [36.8, 43.4]  30.0* [26.8, 33.4]",
        "Oracle (ceiling)  60.0* [56.8, 63.4]                   -                   -",
    ]
    assert lines(SMALL, 60, ())[2:4] == [
        "Method                      F1 (all)  F1, 1  F1, 2",
        "A                 50.0* [46.8, 53.4]  40.0*  30.0*",
    ]


def test_a_column_without_room_is_named_and_a_warning_is_never_left_out() -> None:
    shown = lines(SMALL, 45, ())
    assert shown[2] == "Method                      F1 (all)  F1, 1"
    text = " ".join(shown)
    assert "Left out for width: F1, 2" in text
    assert WARNING in text


def test_notes_fill_the_lines_that_are_left_and_the_others_are_counted() -> None:
    block = SMALL.blocks[0]
    many = replace(SMALL, blocks=(replace(block, notes=tuple(f"Note {at}." for at in range(20))),))
    shown = lines(many, 100)
    assert len(shown) == MOST_OTHER_LINES + 2
    assert shown[-3].endswith("more notes: see the page")
    assert (shown[-2], shown[-1]) == ENDING
    assert "Note 0." in shown


def test_rows_of_a_paper_table_that_are_not_run_are_named_with_their_commonest_reason() -> None:
    columns = (ScoreColumn("F1", "f1", group="LoCoMo"),)
    missing = Cell(ours=None, reason="no data at x")
    rows = (Row("Mem0", (Cell(ours=number(25.0), paper="25.1 -1 +1", verdict="differs"),)),)
    free = (Row("BM25, dated", (missing,)), Row("hashing", (missing,)))
    blocks = (Block("", columns, rows), Block("LLM-free rows", columns, free))
    shown = lines(Table("t", "Table 3", blocks, number=3), 100, ())
    assert shown[3] == "Mem0    25.0* [21.8, 28.4] ≠ 25.1"
    assert shown[4] == "Not run: BM25, dated; hashing. no data at x"
    assert shown[5] == "≠ differs from it"


def test_the_index_counts_what_is_run_and_the_verdicts() -> None:
    written = (Path("results/tables/t/report.html"),)
    tables = [
        (paper_table(name, is_run=name == "recollection"), () if name == "refusal" else written)
        for name in PAPER
    ]
    console = Console(file=StringIO(), width=100)
    console.print(index_of(tables, 100))
    assert isinstance(console.file, StringIO)
    shown = console.file.getvalue().splitlines()
    assert len(shown) <= len(PAPER) + 3
    recollection = next(line for line in shown if "recollection" in line)
    assert recollection.split()[:5] == ["3", "recollection", "51", "of", "51"]
    assert "51 near" in recollection
    numbers = [int(line.split()[0]) for line in shown[1 : len(PAPER) + 1]]
    assert numbers == sorted(numbers)
    assert [line.split()[1] for line in shown if "not written" in line] == ["refusal"]
