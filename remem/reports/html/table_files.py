"""The files of a table: text, and an HTML page with the commands of its rows."""

from collections.abc import Sequence
from pathlib import Path

from remem.files.whole_file import write_whole
from remem.tables.costs import NAME as COSTS
from remem.tables.costs import BlockCosts, costs_csv
from remem.tables.render import write_files
from remem.tables.rows import run_command
from remem.tables.table import Table
from remem.tables.table_plan import TablePlan


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
        overrides: The overrides of all its rows.
        folder: The folder for the files.
        costs: What its runs took; without it, the files depend on scores alone.
    """
    commands = [
        run_command((*block.overrides, *row.overrides, *overrides))
        for block in plan.blocks
        for row in block.rows
    ]
    written = _write(table, commands, folder, costs)
    if not any(block.columns for block in costs):
        return written
    write_whole(folder / COSTS, costs_csv(costs).encode())
    return (*written, folder / COSTS)


def write_paper_table(table: Table, folder: Path) -> tuple[Path, ...]:
    """Write the files of a table of the paper and return their paths."""
    return _write(table, (), folder)


def _write(
    table: Table, commands: Sequence[str], folder: Path, costs: Sequence[BlockCosts] = ()
) -> tuple[Path, ...]:
    from remem.reports.html.table_report import write_report

    return (*write_files(table, folder), write_report(table, commands, folder, costs))
