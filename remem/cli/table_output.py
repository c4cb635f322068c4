"""Show and write the tables of `remem table` and `remem tables`."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from remem.cli.json_option import say_json
from remem.cli.table_options import show_rows
from remem.reports.terminal.console import say

if TYPE_CHECKING:
    from remem.tables.costs import BlockCosts
    from remem.tables.paper.runs import Running, Runs
    from remem.tables.table import Table


def show_paper_tables(
    names: Sequence[str],
    overrides: Sequence[str],
    *,
    models: bool,
    allow_stub: bool,
    allow_partial: bool,
    added: Sequence[str] = (),
    json: bool = False,
) -> "Runs":
    """Show tables of the paper and return their runs; a run in several tables is started once."""
    from remem.config.run_config import compose_config, run_config
    from remem.paper.tables import paper_folder
    from remem.reports.html.table_files import write_paper_table
    from remem.reports.terminal.json_tables import table_output
    from remem.tables.paper.runs import Runs
    from remem.tables.paper.table import paper_table
    from remem.tables.reproduce import named_apart

    if models and not allow_stub and not json:
        for name in names:
            _tell_estimates(name, overrides)
    running: Running = "all" if models or allow_stub else "llm_free"
    runs = Runs(running, show_rows(), allow_stub=allow_stub)
    results = run_config(compose_config(overrides)).results
    for name in names:
        made = paper_table(name, overrides, runs, paper_folder(), added)
        show_table(made, json=json)
        folder = results / "tables" / named_apart(made.name, overrides)
        named = [run for cell in made.cells for run in cell.runs]
        errors = runs.errors_of(named)
        written = write_paper_table(made, folder) if allow_partial or not errors else ()
        if json:
            say_json(table_output(made, results, written, runs.failures))
        else:
            tell_files(written, errors, folder)
        mirror_runs(overrides, results, named, folder.name)
    return runs


def show_cases(overrides: Sequence[str], runs: "Runs", *, json: bool = False) -> None:
    """Show the paper's worked examples next to our answers."""
    from remem.config.run_config import compose_config, run_config
    from remem.paper.tables import CASES, paper_folder
    from remem.reports.terminal.json_tables import table_output
    from remem.tables.paper.cases import case_table
    from remem.tables.render import write_files
    from remem.tables.reproduce import named_apart

    made = case_table(overrides, runs, paper_folder())
    show_table(made, json=json)
    results = run_config(compose_config(overrides)).results
    folder = results / "tables" / named_apart(CASES, overrides)
    written = write_files(made, folder)
    if json:
        say_json(table_output(made, results, written, runs.failures))
    else:
        tell_files(written, 0, folder)


def mirror_runs(overrides: Sequence[str], results: Path, runs: Sequence[str], table: str) -> None:
    """Mirror the runs of a table, each once, if its overrides ask for it."""
    from remem.config.run_config import compose_config, run_config
    from remem.reports.wandb.mirror import mirror
    from remem.run.store import MANIFEST

    folders = [results / run for run in dict.fromkeys(runs) if run]
    there = [folder for folder in folders if (folder / MANIFEST).exists()]
    needed = ("logger", "paths.results=", "run.packages=")
    where = [change for change in overrides if change.startswith(needed)]
    mirror(run_config(compose_config(where)), there, table, "table")


def _tell_estimates(name: str, overrides: Sequence[str]) -> None:
    """Print what each missing row with a model would cost."""
    from remem.config.run_config import compose_config
    from remem.evaluation.estimate import estimate
    from remem.paper.tables import paper_folder
    from remem.reports.terminal.stage_usage import show_usage
    from remem.reports.terminal.table_console import table_console
    from remem.tables.paper.runs import Runs
    from remem.tables.paper.table import paper_runs, table_cells

    looked_up = Runs("nothing", show_rows())
    for paper_run in paper_runs(table_cells(name, overrides, looked_up, paper_folder())):
        if paper_run.missing and paper_run.folder is not None:
            row = f"{name}: {paper_run.config.label} on {paper_run.config.dataset}"
            try:
                found = estimate(compose_config(list(paper_run.plan.overrides)))
            except ImportError as error:  # a row that cannot run here costs no other row
                table_console().print(f"{row}: no estimate: {error}", markup=False)
                continue
            for told in found.free:
                table_console().print(f"{row}: {told}", markup=False)
            if found.questions:
                table_console().print(show_usage(f"{row}, estimated", found.stages))


def show_table(table: "Table", *, json: bool) -> None:
    """Print a table for people; as JSON it is printed once its files are written."""
    from remem.reports.terminal.table_console import table_console
    from remem.tables.render import for_terminal

    if not json:
        out = table_console()
        out.print(for_terminal(table, out))


def tell_costs(costs: "Sequence[BlockCosts]") -> None:
    """Print what the runs of a table took."""
    from remem.reports.terminal.costs import show_costs
    from remem.reports.terminal.table_console import table_console
    from remem.tables.costs import NOTE

    out = table_console()
    shown = [block for block in costs if block.columns]
    for block in shown:
        out.print(show_costs(block))
    if shown:
        out.print(NOTE, markup=False)


def tell_files(written: Sequence[Path], errors: int, folder: Path) -> None:
    """Print which files were written, or why none were."""
    if written:
        say("Written: " + ", ".join(map(str, written)))
        return
    say(
        f"Not written to {folder}: {errors} questions failed, so this is not a result. "
        f"To write it anyway, with n/N in its cells: --allow-partial (make: ALLOW_PARTIAL=1)."
    )


def raise_if_failed(failures: Sequence[str]) -> None:
    """Raise QuestionsInErrorError if a question of a table has no answer."""
    from remem.cli.hydra_entry import QuestionsInErrorError
    from remem.run.failures import ASK_AGAIN, told_failures

    if failures:
        raise QuestionsInErrorError(told_failures(failures, None, "question", ASK_AGAIN))
