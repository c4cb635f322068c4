"""Make, show and write the tables of `remem table` and `remem table --all`."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from remem.cli.arguments import say_json
from remem.config.config_dir import TRUST
from remem.errors import QuestionsInErrorError, UsageError
from remem.reports.terminal.console import safe_console, say

LARGE_CACHE = 50e6
"""The size of the index cache, in bytes, from which a table reports that size."""

if TYPE_CHECKING:
    from remem.config.run_config import RunConfig
    from remem.reports.terminal.progress import ProgressView
    from remem.tables.kept_table import TableKeeper
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
    costs: bool = False,
) -> None:
    """Run the missing rows of a plan, write the table as files and as a page, and show it.

    A finished table is shown from its file if nothing has changed.
    """
    from remem.tables.reproduce import named_apart, reproduce

    config = _shared_config(overrides)
    results, name = config.results, named_apart(plan.name, overrides)
    folder = results / "tables" / name
    keeper = _keeper((plan, tuple(overrides)), overrides, config, name)
    failures: Sequence[str] = ()
    stopped: Sequence[str] = ()
    files: Sequence[Path] = ()
    kept_table = None if keeper is None else keeper.read()
    if kept_table is not None:
        table, block_costs = kept_table.table, kept_table.costs
        files = kept_table.files_in(folder)
    else:
        result = reproduce(plan, overrides, show_rows(plan.row_count), allow_stub=rehearsal)
        table, block_costs = result.table, result.costs
        failures, stopped = result.failures, result.stopped
    if not files and (allow_partial or not failures):
        from remem.reports.html.table_files import write_own_table

        files = write_own_table(plan, table, overrides, folder, block_costs)
    if keeper is not None and not (kept_table or failures or stopped):
        keeper.keep(table, block_costs, table.runs, files)
    if json:
        from remem.reports.terminal.json_output import table_parts

        errors = (*failures, *stopped)
        say_json("table", **table_parts(table, results, files, errors, block_costs))
    else:
        show_table(table, ending_lines(files, len(failures), folder, next_of_own(plan.name)))
        if costs:
            show_block_costs(block_costs)
        if kept_table is None:
            _say_index_cache(results)
    mirror_table(config, table.runs, table)
    raise_if_failed(failures, stopped)


def _say_index_cache(results: Path) -> None:
    """Report the size of the index cache if it is large."""
    from remem.run.index_cache import index_folder

    folder = index_folder(results)
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    if size > LARGE_CACHE:
        say(f"{folder} holds {size / 1e6:,.0f} MB of indexes for later runs; it may be deleted.")


def _keeper(
    request: object, overrides: Sequence[str], config: "RunConfig", name: str
) -> "TableKeeper | None":
    """Return the cache of a finished table; None if it depends on code or files of the user."""
    from remem.results.temporal_classes import classes_folder
    from remem.tables.kept_table import TableKeeper, is_kept

    if not is_kept(overrides):
        return None
    paths = config.settings.paths
    folders = (Path(paths.data), Path(paths.prompts), classes_folder(config.results))
    return TableKeeper.of(request, folders, config.results, name)


def show_rows(rows: int | None = None) -> "ProgressView":
    """Return a progress view for several rows; `rows` is None if their number is unknown."""
    from remem.reports.terminal.progress import ProgressView

    return ProgressView(safe_console(stderr=True), rows)


def stored_runs(*, allow_stub: bool) -> "TableRuns":
    """Return the stored runs for tables of the paper; a missing run is not started."""
    from remem.tables.paper.runs import TableRuns

    return TableRuns("nothing", show_rows(), allow_stub=allow_stub)


def show_own_plan(plan: "TablePlan", overrides: Sequence[str]) -> None:
    """Show what the rows of a table of conf/table would send to models; nothing is sent."""
    from remem.reports.terminal.console import table_console
    from remem.reports.terminal.run_tables import show_usages
    from remem.results.costs import StageUsage
    from remem.results.estimate import UsageEstimate, estimate_together
    from remem.tables.table_plan import without_budget

    rows = [(block, row) for block in plan.blocks for row in block.rows]
    estimates = estimate_together(
        [(*block.overrides, *row.overrides, *overrides) for block, row in rows]
    )
    usages: dict[tuple[str, str], list[StageUsage]] = {}
    for (block, row), estimate in zip(rows, estimates, strict=True):
        label = " ".join(without_budget(row))
        if not isinstance(estimate, UsageEstimate):
            say(f"No estimate of {block.title}, {label}: {estimate}")
        elif estimate.stages:
            usages.setdefault((block.title, label), []).extend(estimate.stages)
    if not usages:
        say(f"No row of {plan.name} calls a model that has a price.")
        return
    table_console().print(show_usages(usages))
    say(
        "These estimates come from a rehearsal, as in remem estimate. Its made-up replies are as "
        "long as those in the paper. Calls that are already in the call store cost nothing."
    )


def show_plan(names: Sequence[str], overrides: Sequence[str], added: Sequence[str] = ()) -> None:
    """Show the calls and costs that tables of the paper would need; nothing is sent."""
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
    """Show tables of the paper and return their runs; a run that tables share is started once.

    If some rows have a price, the plan is shown first and the user is asked for a budget. The name
    of a table's folder depends on the overrides in `named_by`.

    Raises:
        UsageError: A budget is given, but `models` is False, so no row with a model is run.
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
    config = _shared_config(overrides)
    results = config.results
    if models:
        planned = _forecasts(names, overrides, added, allow_stub=rehearsal)
        show_forecasts(planned, safe_console(stderr=True))
        limit = budget_overrides(planned, overrides, budget, results, rehearsal=rehearsal)
        overrides = [*overrides, *limit]
    running: Running = "all" if models else "llm_free"
    runs = TableRuns(running, show_rows(), allow_stub=rehearsal)
    tables = []
    for name in names:
        folder = results / "tables" / named_apart("+".join((name, *added)), named_by)
        keeper = None if models else _keeper((name, *overrides), overrides, config, folder.name)
        kept_table = None if keeper is None else keeper.read()
        table = (
            kept_table.table
            if kept_table
            else paper_table(name, overrides, runs, paper_folder(), added)
        )
        of_table = [run for cell in table.cells for run in cell.runs]
        files: Sequence[Path] = kept_table.files_in(folder) if kept_table else ()
        if not files and (allow_partial or not runs.errors_of(of_table)):
            files = write_paper_table(table, folder)
        if keeper is not None and not (kept_table or runs.errors_of(of_table) or runs.stopped):
            keeper.keep(table, (), of_table, files)
        tables.append((table, files))
        if json:
            failures = (*runs.failures, *runs.stopped)
            say_json("table", **table_parts(table, results, files, failures))
        elif len(names) == 1:
            ending = ending_lines(files, runs.errors_of(of_table), folder, next_of_paper(table))
            show_table(table, ending)
        mirror_table(config, of_table, replace(table, name=folder.name))
    if len(names) > 1:
        show_index(tables)
    if rehearsal and (dollars := balance(ledger_of(names, results)).dollars):
        say(
            "This was a rehearsal. At the prices of the real models, all rehearsed calls so far "
            f"would have cost {money(dollars)}. Without --rehearse, the same command asks these "
            "models.",
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
    from remem.tables.paper.table import table_cells

    runs = stored_runs(allow_stub=allow_stub)
    tables = (table_cells(name, overrides, runs, paper_folder()) for name in names)
    return forecasts([with_added(cells, added) for cells in tables], runs)


def _shared_config(overrides: Sequence[str]) -> "RunConfig":
    """Compose the configuration that all rows share: the logger, folders and packages."""
    from remem.config.run_config import compose_config, run_config

    shared = ("logger", "paths.", "hydra.searchpath=", "run.packages=", TRUST)
    return run_config(compose_config([word for word in overrides if word.startswith(shared)]))


def mirror_table(config: "RunConfig", runs: Sequence[str], table: "Table") -> None:
    """Copy a table and its distinct runs to W&B; do nothing if the logger is "none"."""
    if config.settings.logger.name == "none":
        return
    from remem.reports.wandb.mirror import mirror
    from remem.run.store import MANIFEST

    folders = [config.results / run for run in dict.fromkeys(runs) if run]
    existing = [folder for folder in folders if (folder / MANIFEST).exists()]
    mirror(config, existing, table.name, table=table)


def show_index(tables: "Sequence[tuple[Table, Sequence[Path]]]") -> None:
    """Print a line for each table of the paper: how much of it has run, and where its page is."""
    from remem.reports.terminal.console import table_console
    from remem.tables.terminal_view import index_of

    console = table_console()
    console.print(index_of(tables, console.width), markup=False, highlight=False)


def show_table(table: "Table", ending: Sequence[str]) -> None:
    """Print a table, formatted for the terminal, and the closing lines below it."""
    from remem.reports.terminal.console import table_console
    from remem.tables.terminal_view import for_terminal

    console = table_console()
    console.print(for_terminal(table, console, ending))


def next_of_own(name: str) -> str:
    """Return the commands to suggest below a table of conf/table."""
    return f"remem table {name} --costs (time and tokens), or remem view (all runs)"


def next_of_paper(table: "Table") -> str:
    """Return the command to suggest below a table of the paper."""
    if all(cell.ours is not None for cell in table.cells):
        return f"remem table {table.number} --explain 'ROW | COLUMN': trace a number to its records"
    return f"remem table {table.number} --plan: what the missing rows would cost"


def ending_lines(files: Sequence[Path], errors: int, folder: Path, then: str) -> list[str]:
    """Return the closing lines of a table: where it was written (or why not), and the next step."""
    if not files:
        return [
            f"Not written to {folder}: {errors} questions failed, so this is not a result. "
            f"To write it anyway, with n/N in its cells: --allow-partial."
        ]
    page = next((path for path in files if path.suffix == ".html"), files[0])
    kinds = dict.fromkeys(path.suffix[1:] for path in files if path != page)
    return [f"Page: {page} (also: {', '.join(kinds)})", f"Next: {then}"]


def show_block_costs(costs: "Sequence[BlockCosts]") -> None:
    """Print the costs of the runs of a table."""
    from remem.reports.terminal.console import table_console
    from remem.reports.terminal.run_tables import show_costs
    from remem.tables.notes import NOTE

    console = table_console()
    measured = [block for block in costs if block.columns]
    for block in measured:
        console.print(show_costs(block))
    if measured:
        console.print(NOTE, markup=False)


def raise_if_failed(failures: Sequence[str], stopped: Sequence[str]) -> None:
    """Raise QuestionsInErrorError if a question of a table failed, or a health check stopped a row.

    Args:
        failures: The error message of each failed question.
        stopped: The message of the health check for each row that it stopped.
    """
    from remem.results.run_notes import ASK_AGAIN, describe_failures

    if stopped:
        raise QuestionsInErrorError(describe_failures(stopped, None, "row", ASK_AGAIN))
    if failures:
        raise QuestionsInErrorError(describe_failures(failures, None, "question", ASK_AGAIN))
