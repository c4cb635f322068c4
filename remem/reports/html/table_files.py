"""The files of a table: text, and an HTML page with the commands of its rows."""

from collections.abc import Sequence
from pathlib import Path

from remem.tables.paper.rows import run_command
from remem.tables.render import write_files
from remem.tables.table import Table
from remem.tables.table_plan import TablePlan


def write_own_table(
    plan: TablePlan, table: Table, overrides: Sequence[str], folder: Path
) -> tuple[Path, ...]:
    """Write the files of a table of conf/table and return their paths."""
    commands = [
        run_command((*block.overrides, *row.overrides, *overrides))
        for block in plan.blocks
        for row in block.rows
    ]
    return _write(table, commands, folder)


def write_paper_table(table: Table, folder: Path) -> tuple[Path, ...]:
    """Write the files of a table of the paper and return their paths."""
    return _write(table, (), folder)


def _write(table: Table, commands: Sequence[str], folder: Path) -> tuple[Path, ...]:
    from remem.reports.html.table_report import write_report

    return (*write_files(table, folder), write_report(table, commands, folder))
