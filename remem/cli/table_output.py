"""Make, show and write the tables of `remem table` and `remem table --all`."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from remem.cli.arguments import say_json
from remem.config.config_dir import TRUST
from remem.errors import QuestionsInErrorError, UsageError
from remem.reports.terminal.console import safe_console, say

if TYPE_CHECKING:
    from remem.config.run_config import RunConfig
    from remem.reports.terminal.progress import ProgressView
    from remem.tables.notes import BlockCosts
    from remem.tables.paper.forecast import Forecast
    from remem.tables.paper.runs import Running, TableRuns
    from remem.tables.table import Table
    from remem.tables.table_plan import TablePlan


def make_table(
    plan: "TablePlan",
    overrides: Sequence[str],
    *,
    rehearsal: bool,
    allow_partial: bool,
    json: bool,
) -> None:
    """Run the missing rows of a plan, show the table, and write it as files and as a page."""
    from remem.reports.html.table_files import write_own_table
    from remem.tables.reproduce import reproduce

    result = reproduce(plan, overrides, show_rows(plan.row_count), allow_stub=rehearsal)
    table, results = result.table, result.results
    folder = results / "tables" / table.name
    show_table(table, json=json)
    files: Sequence[Path] = ()
    if allow_partial or not result.errors:
        files = write_own_table(plan, table, overrides, folder, result.costs)
    if json:
        from remem.reports.terminal.json_output import table_parts

        errors = (*result.failures, *result.stopped)
        say_json("table", **table_parts(table, results, files, errors, result.costs))
    else:
        show_block_costs(result.costs)
        say_files(files, result.errors, folder)
    runs = [row.run for block in table.blocks for row in block.rows]
    mirror_runs(overrides, results, runs, table.name)
    raise_if_failed(result.failures, result.stopped)


def show_rows(rows: int | None = None) -> "ProgressView":
    """Return the progress view of several rows; `rows` is None if their number is unknown."""
    from remem.reports.terminal.progress import ProgressView

    return ProgressView(safe_console(stderr=True), rows)


def show_plan(names: Sequence[str], overrides: Sequence[str], added: Sequence[str] = ()) -> None:
    """Show what tables of the paper would take; nothing is sent."""
    from remem.reports.terminal.console import table_console
    from remem.reports.terminal.forecast import show_forecasts

    _check_overrides(names, overrides)
    show_forecasts(_forecasts(names, overrides, added, allow_stub=True), table_console())


def show_paper_tables(
    names: Sequence[str],
    overrides: Sequence[str],
    *,
    named_by: Sequence[str],
    models: bool,
    rehearsal: bool,
    allow_partial: bool,
    budget: float | None = None,
    added: Sequence[str] = (),
    json: bool = False,
) -> "TableRuns":
    """Show tables of the paper and return their runs; a run in several tables is started once.

    If rows are paid for, their plan is shown first, and their budget is asked for. The folders of
    the tables are named by the overrides in `named_by`.

    Raises:
        UsageError: A budget is given although no row with a model is run.
    """
    from remem.cli.paid_tables import budget_overrides, check_budget, ledger_of
    from remem.llm.ledger import balance, money
    from remem.paper.layout import paper_folder
    from remem.reports.html.table_files import write_paper_table
    from remem.reports.terminal.forecast import show_forecasts
    from remem.reports.terminal.json_output import table_parts
    from remem.tables.paper.runs import TableRuns
    from remem.tables.paper.table import paper_table
    from remem.tables.reproduce import named_apart

    if budget is not None:
        if not models:
            raise UsageError("--budget is for the rows that --models runs; add --models")
        check_budget(budget)
    _check_overrides(names, overrides)
    results = _results(overrides)
    if models:
        planned = _forecasts(names, overrides, added, allow_stub=rehearsal)
        show_forecasts(planned, safe_console(stderr=True))
        limit = budget_overrides(planned, overrides, budget, results, rehearsal=rehearsal)
        overrides = [*overrides, *limit]
    running: Running = "all" if models else "llm_free"
    runs = TableRuns(running, show_rows(), allow_stub=rehearsal)
    for name in names:
        table = paper_table(name, overrides, runs, paper_folder(), added)
        show_table(table, json=json)
        folder = results / "tables" / named_apart(table.name, named_by)
        of_table = [run for cell in table.cells for run in cell.runs]
        errors = runs.errors_of(of_table)
        files = write_paper_table(table, folder) if allow_partial or not errors else ()
        if json:
            failures = (*runs.failures, *runs.stopped)
            say_json("table", **table_parts(table, results, files, failures))
        else:
            say_files(files, errors, folder)
        mirror_runs(overrides, results, of_table, folder.name)
    if rehearsal and (dollars := balance(ledger_of(names, results)).dollars):
        say(
            f"A rehearsal: at the prices of its models, all calls so far would have cost "
            f"{money(dollars)}. Without --rehearse, the same command asks them.",
            err=True,
        )
    return runs


def _check_overrides(names: Sequence[str], overrides: Sequence[str]) -> None:
    from remem.paper.layout import paper_folder, read_table
    from remem.tables.paper.rows import raw_rows
    from remem.tables.rows import check_overrides

    papers = [read_table(paper_folder() / f"{name}.yaml") for name in names]
    rows = dict.fromkeys(row for paper in papers for row in raw_rows(paper))
    check_overrides(rows, overrides)


def _forecasts(
    names: Sequence[str], overrides: Sequence[str], added: Sequence[str], *, allow_stub: bool
) -> "list[Forecast]":
    from remem.paper.layout import paper_folder
    from remem.tables.paper.forecast import forecasts
    from remem.tables.paper.own_rows import with_added
    from remem.tables.paper.runs import TableRuns
    from remem.tables.paper.table import table_cells

    runs = TableRuns("nothing", show_rows(), allow_stub=allow_stub)
    tables = (table_cells(name, overrides, runs, paper_folder()) for name in names)
    return forecasts([with_added(cells, added) for cells in tables], runs)


def _results(overrides: Sequence[str]) -> Path:
    """Return the folder of the runs."""
    return _shared_config(overrides).results


def _shared_config(overrides: Sequence[str]) -> "RunConfig":
    """Compose what every row has: the logger, folders and packages."""
    from remem.config.run_config import compose_config, run_config

    shared = ("logger", "paths.", "hydra.searchpath=", "run.packages=", TRUST)
    return run_config(compose_config([word for word in overrides if word.startswith(shared)]))


def show_cases(overrides: Sequence[str], runs: "TableRuns", *, json: bool = False) -> None:
    """Show the paper's worked examples next to our answers."""
    from remem.paper.layout import CASES, paper_folder
    from remem.reports.terminal.json_output import table_parts
    from remem.tables.paper.cases import case_table
    from remem.tables.render import write_files
    from remem.tables.reproduce import named_apart

    table = case_table(overrides, runs, paper_folder())
    show_table(table, json=json)
    results = _results(overrides)
    folder = results / "tables" / named_apart(CASES, overrides)
    files = write_files(table, folder)
    if json:
        say_json("table", **table_parts(table, results, files, runs.failures))
    else:
        say_files(files, 0, folder)


def mirror_runs(overrides: Sequence[str], results: Path, runs: Sequence[str], table: str) -> None:
    """Mirror the runs of a table, each once, if its overrides ask for it."""
    from remem.run.store import MANIFEST

    config = _shared_config(overrides)
    if config.settings.logger.name == "none":
        return
    from remem.reports.wandb.mirror import mirror

    folders = [results / run for run in dict.fromkeys(runs) if run]
    existing = [folder for folder in folders if (folder / MANIFEST).exists()]
    mirror(config, existing, table, "table")


def show_table(table: "Table", *, json: bool) -> None:
    """Print a table for people; as JSON it is printed once its files are written."""
    from remem.reports.terminal.console import table_console
    from remem.tables.render import for_terminal

    if not json:
        console = table_console()
        console.print(for_terminal(table, console))


def show_block_costs(costs: "Sequence[BlockCosts]") -> None:
    """Print what the runs of a table took."""
    from remem.reports.terminal.console import table_console
    from remem.reports.terminal.run_tables import show_costs
    from remem.tables.notes import NOTE

    console = table_console()
    measured = [block for block in costs if block.columns]
    for block in measured:
        console.print(show_costs(block))
    if measured:
        console.print(NOTE, markup=False)


def say_files(files: Sequence[Path], errors: int, folder: Path) -> None:
    """Print which files were written, or why none were."""
    if files:
        say("Written: " + ", ".join(map(str, files)))
        return
    say(
        f"Not written to {folder}: {errors} questions failed, so this is not a result. "
        f"To write it anyway, with n/N in its cells: --allow-partial."
    )


def raise_if_failed(failures: Sequence[str], stopped: Sequence[str]) -> None:
    """Raise QuestionsInErrorError if a question of a table failed, or a health check stopped a row.

    Args:
        failures: The error of each failed question.
        stopped: The reason of each stopped row.
    """
    from remem.results.run_notes import ASK_AGAIN, describe_failures

    if stopped:
        raise QuestionsInErrorError(describe_failures(stopped, None, "row", ASK_AGAIN))
    if failures:
        raise QuestionsInErrorError(describe_failures(failures, None, "question", ASK_AGAIN))
