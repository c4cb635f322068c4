"""The files of a table: text, and an HTML page with the commands of its rows."""

from collections.abc import Sequence
from pathlib import Path

from remem.tables import render
from remem.tables.paper import paper_render
from remem.tables.paper.compared import ComparedTable
from remem.tables.paper.rows import run_command
from remem.tables.table import Table
from remem.tables.table_plan import TablePlan


def write_own_table(
    plan: TablePlan, table: Table, overrides: Sequence[str], folder: Path
) -> tuple[Path, ...]:
    """Write the files of a table of conf/table and return their paths."""
    from remem.reports.html.table_report import write_own_report

    commands = [
        run_command((*block.overrides, *row.overrides, *overrides))
        for block in plan.blocks
        for row in block.rows
    ]
    return (*render.write_files(table, folder), write_own_report(table, commands, folder))


def write_paper_table(table: ComparedTable, folder: Path) -> tuple[Path, ...]:
    """Write the files of a table of the paper and return their paths."""
    from remem.reports.html.table_report import write_paper_report

    return (*paper_render.write_files(table, folder), write_paper_report(table, folder))
