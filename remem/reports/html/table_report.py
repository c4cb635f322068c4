"""The HTML report of a table: one file with its figures, rows, notes and commands.

The same table gives the same bytes: nothing depends on the time or on where the files are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from remem.reports.html.figures import figures_of
from remem.reports.html.page import render, write_page
from remem.reports.html.row_chart import BAR, RowChart, Series
from remem.tables.costs import NOTE, BlockCosts
from remem.tables.render import commands, headings
from remem.tables.table import NOT_RUN, Block, Cell, Row, Table, answered_of_asked, cell_texts

NAME = "report.html"
LEGEND: Mapping[Series, str] = {
    "ours": "our run",
    "paper": "the number that the paper prints",
    "llm-free": "our run, without a language model",
}


@dataclass(frozen=True, slots=True)
class PartCell:
    """The lines of a cell; `kind` is its CSS class."""

    lines: tuple[str, ...]
    kind: str = ""


@dataclass(frozen=True, slots=True)
class PartRow:
    """A row of a part: its label and its cells."""

    label: str
    cells: tuple[PartCell, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the page: rows under the same headings, and their notes.

    `missing` names the rows with missing answers, each with the number of answers and of questions.
    """

    title: str
    headings: tuple[str, ...]
    rows: tuple[PartRow, ...]
    notes: tuple[str, ...]
    missing: tuple[str, ...]


def write_report(
    table: Table,
    row_commands: Sequence[str],
    folder: Path,
    costs: Sequence[BlockCosts] = (),
) -> Path:
    """Write the report of a table and return its path.

    Args:
        table: The table.
        row_commands: The commands of its rows, unless its cells name them.
        folder: The folder for the page.
        costs: What its runs took, if the page shows it.
    """
    parts = [_part(table, block) for block in table.blocks if block.rows]
    if table.number is not None:
        parts[0] = replace(parts[0], title="The paper's rows", notes=table.all_notes)
    lines = row_commands or tuple(commands(table))
    return _write(table.title, figures_of(table), parts, lines, folder, costs=costs)


def _write(
    title: str,
    figures: Sequence[RowChart],
    parts: Sequence[Part],
    lines: Sequence[str],
    folder: Path,
    *,
    costs: Sequence[BlockCosts],
) -> Path:
    rows = [row for chart in figures for row in chart.rows]
    series = dict.fromkeys(bar.series for row in rows for bar in row.bars)
    shown = [block for block in costs if block.columns]
    page = render(
        "table.html.j2",
        [],
        None,
        styles=["cards.css"] if shown else [],  # a page in a bundle has no costs
        title=title,
        figures=figures,
        series=list(series),
        parts=parts,
        costs=shown,
        cost_note=NOTE,
        commands="\n".join(lines),
        legend=LEGEND,
        bar_height=BAR,
    )
    write_page(folder / NAME, page)
    return folder / NAME


def _part(table: Table, block: Block) -> Part:
    rows = tuple(PartRow(row.title, _cells(table, row)) for row in block.rows)
    missing = ((row.title, _missing(row)) for row in block.rows)
    return Part(
        block.title,
        headings(table, block)[1:],
        rows,
        table.notes_below(block),
        tuple(f"{label} {count}" for label, count in missing if count),
    )


def _cells(table: Table, row: Row) -> tuple[PartCell, ...]:
    count = () if table.number is not None else (PartCell((row.count,)),)
    return (*count, *(PartCell(cell_texts(table, cell), _kind(cell)) for cell in row.cells))


def _missing(row: Row) -> str:
    """Return "answered/asked" of a row, or of its first such cell; "" if all have answers."""
    if row.answered < row.total:
        return row.count
    return next((count for cell in row.cells if cell and (count := answered_of_asked(cell))), "")


def _kind(cell: Cell | None) -> str:
    kind = "" if cell is None else NOT_RUN if cell.ours is None else cell.verdict
    return kind.replace(" ", "-")
