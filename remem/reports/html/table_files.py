"""The files of a table: text, and a page with its figures, rows, notes and commands.

The same table gives the same bytes: nothing depends on the time or on where the files are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from remem.files.disk import write_whole
from remem.reports.html.figures import Series, budget_charts, figures_of
from remem.reports.html.page import MOST_DRAWN, page_data, render, write_page
from remem.reports.html.table_cells import page_rows, short_for
from remem.results.diagnosis import CAUSES, Cause
from remem.tables.headline import headlines
from remem.tables.notes import NAME as COSTS
from remem.tables.notes import NOTE, BlockCosts, costs_csv
from remem.tables.render import commands, write_files
from remem.tables.rows import run_command
from remem.tables.table import Block, Row, Table, answered_of_asked
from remem.tables.table_plan import TablePlan

NAME = "report.html"
LEGEND: Mapping[Series, str] = {
    "ours": "our run",
    "paper": "the number that the paper prints",
    "llm-free": "our run, without a language model",
}


@dataclass(frozen=True, slots=True)
class TablePage:
    """The content of a table's page: the table, and the commands and costs of its rows."""

    table: Table
    commands: tuple[str, ...]
    costs: tuple[BlockCosts, ...] = ()


def write_own_table(
    plan: TablePlan,
    table: Table,
    overrides: Sequence[str],
    folder: Path,
    costs: Sequence[BlockCosts] = (),
) -> tuple[Path, ...]:
    """Write the files of a table of conf/table and return their paths.

    Args:
        plan: The plan of the table.
        table: The table.
        overrides: The overrides that all rows of the table share.
        folder: The folder for the files.
        costs: The costs of its runs. Without them, the files depend only on scores.
    """
    lines = [
        run_command((*block.overrides, *row.overrides, *overrides))
        for block in plan.blocks
        for row in block.rows
    ]
    written = (*write_files(table, folder), write_table_page(table, lines, folder, costs))
    if not any(block.columns for block in costs):
        return written
    write_whole(folder / COSTS, costs_csv(costs).encode())
    return (*written, folder / COSTS)


def write_paper_table(table: Table, folder: Path) -> tuple[Path, ...]:
    """Write the files of a table of the paper and return their paths."""
    return (*write_files(table, folder), write_table_page(table, list(commands(table)), folder))


def write_table_page(
    table: Table, lines: Sequence[str], folder: Path, costs: Sequence[BlockCosts] = ()
) -> Path:
    """Write the page of a table and return its path.

    Args:
        table: The table.
        lines: The commands of its rows.
        folder: The folder for the page.
        costs: The costs of its runs, if the page shows them.
    """
    shown = tuple(block for block in costs if block.columns)
    write_page(folder / NAME, draw_table(TablePage(table, tuple(lines), shown)))
    return folder / NAME


def draw_table(page: TablePage) -> bytes:
    """Return the page of a table as HTML."""
    table = page.table
    figures = figures_of(table)
    systems = [system for chart in figures for system in chart.systems]
    return render(
        "table.html.j2",
        ["links.js", "table.js"],
        page_data(TablePage, page),
        most=MOST_DRAWN,
        styles=[
            "links.css",
            "table.css",
            *(["cards.css"] if page.costs or any(map(_shown_causes, table.blocks)) else []),
        ],  # in a bundle without costs
        table=table,
        figures=figures,
        curves=list(budget_charts(table)),
        series=list(dict.fromkeys(mean.series for system in systems for mean in system.means)),
        legend=LEGEND,
        blocks=[(block, _missing(block)) for block in table.blocks if block.rows],
        headlines=headlines,
        short_for=short_for,
        causes=[(block, shown) for block in table.blocks if (shown := _shown_causes(block))],
        rows=page_rows,
        costs=page.costs,
        cost_note=NOTE,
        commands="\n".join(page.commands),
    )


def _shown_causes(block: Block) -> list[Cause]:
    """Return the causes that occur among a block's wrong answers, in the order of the stages."""
    return [cause for cause in CAUSES if any(cause in row.causes for row in block.rows)]


def _missing(block: Block) -> list[str]:
    """Name the rows with missing answers, each with its numbers of answers and questions."""
    counts = ((row.title, _answered(row)) for row in block.rows)
    return [f"{label} {count}" for label, count in counts if count]


def _answered(row: Row) -> str:
    """Return "answered/asked" of a row or its first incomplete cell; "" if all are answered."""
    if row.answered < row.total:
        return row.count
    return next((count for cell in row.cells if cell and (count := answered_of_asked(cell))), "")
