"""The files of a table: its text forms, and its page with the commands of its rows."""

from collections.abc import Sequence
from pathlib import Path

from remem.paper_tables.rows import run_command
from remem.report import paper_render, render
from remem.report.compared import ComparedTable
from remem.report.table import Table
from remem.table_plan import TablePlan


def write_own_table(
    plan: TablePlan, table: Table, overrides: Sequence[str], folder: Path
) -> tuple[Path, ...]:
    """Write a table of conf/table and return the paths."""
    from remem.html_report.table_report import write_own_report

    commands = [
        run_command((*block.overrides, *row.overrides, *overrides))
        for block in plan.blocks
        for row in block.rows
    ]
    return (*render.write_files(table, folder), write_own_report(table, commands, folder))


def write_paper_table(table: ComparedTable, folder: Path) -> tuple[Path, ...]:
    """Write a table of the paper and return the paths."""
    from remem.html_report.table_report import write_paper_report

    return (*paper_render.write_files(table, folder), write_paper_report(table, folder))
