"""The report of a table: one HTML file with its figures, its rows, its notes and its commands.

Same table, same bytes: nothing depends on the clock, or on where the files lie.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from remem.reports.html import row_chart
from remem.reports.html.figures import own_figures, paper_figures
from remem.reports.html.page import render, write_page
from remem.reports.html.row_chart import RowChart
from remem.tables.paper.compared import NOT_RUN, ComparedCell, ComparedRow, ComparedTable
from remem.tables.paper.paper_render import cell_lines, commands
from remem.tables.render import row_count, row_label
from remem.tables.table import Block, Cell, Table

NAME = "report.html"
SIZE = {
    "width": row_chart.WIDTH,
    "left": row_chart.LEFT,
    "right": row_chart.RIGHT,
    "bottom": row_chart.BOTTOM,
    "bar": row_chart.BAR,
}


@dataclass(frozen=True, slots=True)
class PartCell:
    """A cell as lines; `kind` says how it is marked."""

    lines: tuple[str, ...]
    kind: str = ""


@dataclass(frozen=True, slots=True)
class PartRow:
    """A row of a part."""

    label: str
    cells: tuple[PartCell, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """Rows under the same headings, with what is to be said of them.

    `missing` names the rows that lack answers, with n/N.
    """

    title: str
    headings: tuple[str, ...]
    rows: tuple[PartRow, ...]
    notes: tuple[str, ...]
    missing: tuple[str, ...]


def write_paper_report(table: ComparedTable, folder: Path) -> Path:
    """Write the report of a table of the paper and return its path."""
    headings = tuple(f"{column.group} {column.metric}".strip() for column in table.columns)
    parts = [_compared("The paper's rows", headings, table.rows, table.all_notes)]
    if table.llm_free:
        parts.append(_compared("LLM-free rows", headings, table.llm_free, ()))
    return _write(table.title, paper_figures(table), parts, tuple(commands(table)), folder)


def write_own_report(table: Table, row_commands: Sequence[str], folder: Path) -> Path:
    """Write the report of a table of conf/table, with the commands of its rows."""
    parts = [_block(block) for block in table.blocks]
    return _write(table.title, own_figures(table), parts, row_commands, folder)


def _write(
    title: str,
    figures: Sequence[RowChart],
    parts: Sequence[Part],
    lines: Sequence[str],
    folder: Path,
) -> Path:
    series = dict.fromkeys(bar.series for chart in figures for bar in chart.bars)
    page = render(
        "table.html.j2",
        [],
        None,
        title=title,
        figures=figures,
        series=list(series),
        parts=parts,
        commands="\n".join(lines),
        size=SIZE,
    )
    write_page(folder / NAME, page)
    return folder / NAME


def _compared(
    title: str, headings: tuple[str, ...], rows: Sequence[ComparedRow], notes: tuple[str, ...]
) -> Part:
    shown = tuple(PartRow(row.label, tuple(map(_compared_cell, row.cells))) for row in rows)
    short = ((row.label, next(filter(None, map(_short, row.cells)), "")) for row in rows)
    missing = tuple(f"{label} {count}" for label, count in short if count)
    return Part(title, headings, shown, notes, missing)


def _short(cell: ComparedCell | None) -> str:
    """Return the n/N of a cell that shows it, for want of answers; nothing of any other."""
    if cell is None or cell.ours is None:
        return ""
    count = f"{cell.ours.n}/{cell.n}"
    return count if cell_lines(cell)[0].endswith(f"({count})") else ""


def _compared_cell(cell: ComparedCell | None) -> PartCell:
    kind = "" if cell is None else NOT_RUN if cell.ours is None else cell.verdict
    return PartCell(tuple(cell_lines(cell)), kind.replace(" ", "-"))


def _block(block: Block) -> Part:
    headings = ("n", *(column.heading for column in block.columns))
    rows = tuple(
        PartRow(row_label(row), (PartCell((row_count(row),)), *map(_own_cell, row.cells)))
        for row in block.rows
    )
    missing = tuple(
        f"{row_label(row)} {row_count(row)}" for row in block.rows if row.answered < row.total
    )
    return Part(block.title, headings, rows, block.all_notes, missing)


def _own_cell(cell: Cell | None) -> PartCell:
    if cell is None:
        return PartCell(("-",))
    return PartCell((f"{cell.mean:{cell.form}}{cell.mark}", cell.interval(cell.form)))
