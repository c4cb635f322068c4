"""`remem table`: one of conf/table, or one of the paper; `remem tables`: all of the paper's."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from remem.cli.naming import check_name, one_of, tables_of_paper
from remem.cli.naming import tables as known_tables
from remem.cli.table_rows import numbered_progress, stub_overrides
from remem.config.config_dir import GRANTED, TRUST, grants
from remem.config.instantiation import UsageError
from remem.reports.terminal.console import say

if TYPE_CHECKING:
    from remem.tables.paper.runs import Running, Runs
    from remem.tables.table_plan import TablePlan


def _existing(folder: Path | None) -> Path | None:
    from remem.config.config_dir import existing_folder

    return existing_folder(folder)


Overrides = Annotated[
    list[str] | None, typer.Option(help="a Hydra override for every row, repeatable")
]
AllowStub = Annotated[
    bool, typer.Option(help="let the loopback stub answer for the models, every row marked")
]
AllowPartial = Annotated[
    bool, typer.Option(help="write a table though questions ended in an error, with n/N")
]
Models = Annotated[
    bool, typer.Option(help="of a table of the paper: run the rows with a model too, and pay")
]


def table(  # noqa: PLR0917  each is an option of the command line
    name: Annotated[
        str,
        typer.Argument(
            help="a table of conf/table, of the paper, or its cases", autocompletion=known_tables
        ),
    ] = "offline",
    override: Overrides = None,
    rows: Annotated[
        str,
        typer.Option(help="methods whose rows are kept; +<method> adds a row to a table's blocks"),
    ] = "",
    config_dir: Annotated[
        Path | None,
        typer.Option(
            help="a folder with method/, table/ ...; its files set only plain values",
            callback=_existing,
        ),
    ] = None,
    trust_config: Annotated[
        Path | None, typer.Option(help=f"the same for a folder of your own: {GRANTED}")
    ] = None,
    models: Models = False,
    explain: Annotated[
        str, typer.Option(help="of a table of the paper: trace 'ROW | COLUMN' to its records")
    ] = "",
    allow_stub: AllowStub = False,
    allow_partial: AllowPartial = False,
) -> None:
    """Run the rows of a table that are missing, show it, and write it as files and as a page.

    A table of the paper runs its LLM-free rows; --models says what the others would take, then runs
    them.

    Example: remem table offline --rows bm25_messages,remem_s
    """
    from remem.paper.tables import CASES, paper_folder, paper_table_names
    from remem.reports.terminal.console import safe_console
    from remem.tables.paper.runs import Runs
    from remem.tables.table_plan import read_plan, table_names, with_rows

    overrides, folders = override or [], [one for one in (config_dir, trust_config) if one]
    if len(folders) > 1:
        raise UsageError(f"--config-dir and {TRUST} name two folders; choose one")
    if config_dir is not None:
        overrides = [*overrides, f"hydra.searchpath=[file://{config_dir.absolute()}]"]
    if trust_config is not None:
        overrides = [*overrides, f"{TRUST}={trust_config.absolute()}"]
        safe_console(stderr=True, soft_wrap=True).print(f"remem: {grants(overrides)}", markup=False)
    own = table_names(folders)
    check_name("table", name, dict.fromkeys((*known_tables(), *own)))
    of_paper = name in paper_table_names(paper_folder()) and name not in own
    of_cases = name == CASES and name not in own
    if not of_paper and (models or explain):
        raise UsageError("--models and --explain are for the tables of the paper")
    named = [one.strip() for one in rows.split(",")] if rows else []
    if (of_cases and named) or (of_paper and not all(one.startswith("+") for one in named)):
        raise UsageError(
            f"--rows {rows}: a table of the paper keeps its rows, and +<method> adds one; its "
            f"cases have no rows to choose"
        )
    added = [one[1:] for one in named] if of_paper else []
    with stub_overrides(allow_stub) as stubbed:
        changes = [*overrides, *stubbed]
        if of_cases:
            _show_cases(changes, Runs("nothing", numbered_progress(), allow_stub=allow_stub))
        elif explain:
            _explain(name, changes, explain, added, allow_stub=allow_stub)
        elif of_paper:
            runs = _show_paper_tables(
                [name],
                changes,
                models=models,
                allow_stub=allow_stub,
                allow_partial=allow_partial,
                added=added,
            )
            _raise_if_errors(runs.errors)
        else:
            plan = read_plan(name, folders, trusted=trust_config is not None)
            chosen = with_rows(plan, named) if named else plan
            _show_table(chosen, changes, allow_stub=allow_stub, allow_partial=allow_partial)


def tables(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            help="only these of them",
            callback=one_of("table of the paper", tables_of_paper),
            autocompletion=tables_of_paper,
        ),
    ] = None,
    override: Overrides = None,
    models: Models = False,
    allow_stub: AllowStub = False,
    allow_partial: AllowPartial = False,
) -> None:
    """Show and write the tables of the paper, and its cases, beside our runs.

    Example: REMEM_DATA=/data/memory remem tables
    """
    from remem.paper.tables import CASES

    with stub_overrides(allow_stub) as stubbed:
        chosen = names or list(tables_of_paper())
        changes = [*(override or []), *stubbed]
        runs = _show_paper_tables(
            [name for name in chosen if name != CASES],
            changes,
            models=models,
            allow_stub=allow_stub,
            allow_partial=allow_partial,
        )
        if CASES in chosen:
            _show_cases(changes, runs)
        _raise_if_errors(runs.errors)


def _show_table(
    plan: "TablePlan", overrides: Sequence[str], *, allow_stub: bool, allow_partial: bool
) -> None:
    from remem.reports.html.table_files import write_own_table
    from remem.reports.terminal.table_console import table_console
    from remem.tables.render import for_terminal
    from remem.tables.reproduce import reproduce

    made = reproduce(plan, overrides, numbered_progress(plan.row_count), allow_stub=allow_stub)
    folder = made.results / "tables" / made.table.name
    out = table_console()
    out.print(for_terminal(made.table, out))
    if allow_partial or not made.errors:
        _tell_written(write_own_table(plan, made.table, overrides, folder))
    else:
        _tell_partial(made.errors, folder)
    runs = [row.run for block in made.table.blocks for row in block.rows]
    _mirror(overrides, made.results, runs, made.table.name)
    _raise_if_errors(made.errors)


def _show_paper_tables(
    names: Sequence[str],
    overrides: Sequence[str],
    *,
    models: bool,
    allow_stub: bool,
    allow_partial: bool,
    added: Sequence[str] = (),
) -> "Runs":
    """Show tables of the paper; runs that several of them name are made once, and returned."""
    from remem.config.run_config import compose_config, run_config
    from remem.paper.tables import paper_folder
    from remem.reports.html.table_files import write_paper_table
    from remem.reports.terminal.table_console import table_console
    from remem.tables.paper import paper_render
    from remem.tables.paper.runs import Runs
    from remem.tables.paper.table import paper_table
    from remem.tables.reproduce import named_apart

    if models and not allow_stub:
        for name in names:
            _tell_estimates(name, overrides)
    running: Running = "all" if models or allow_stub else "llm_free"
    runs = Runs(running, numbered_progress(), allow_stub=allow_stub)
    results = run_config(compose_config(overrides)).results
    for name in names:
        made = paper_table(name, overrides, runs, paper_folder(), added)
        table_console().print(paper_render.for_terminal(made))
        folder = results / "tables" / named_apart(made.name, overrides)
        cells = [cell for row in (*made.rows, *made.llm_free) for cell in row.cells]
        named = [run for cell in cells if cell is not None for run in cell.runs]
        errors = runs.errors_of(named)
        if allow_partial or not errors:
            _tell_written(write_paper_table(made, folder))
        else:
            _tell_partial(errors, folder)
        _mirror(overrides, results, named, folder.name)
    return runs


def _mirror(overrides: Sequence[str], results: Path, runs: Sequence[str], table: str) -> None:
    """Mirror the runs of a table, each once, if its overrides ask for it."""
    from remem.config.run_config import compose_config, run_config
    from remem.reports.wandb.mirror import mirror
    from remem.run.store import MANIFEST

    folders = [results / run for run in dict.fromkeys(runs) if run]
    there = [folder for folder in folders if (folder / MANIFEST).exists()]
    where = [change for change in overrides if change.startswith(("logger", "paths.results="))]
    mirror(run_config(compose_config(where)), there, table, "table")


def _show_cases(overrides: Sequence[str], runs: "Runs") -> None:
    """Show the paper's worked examples beside our answers."""
    from remem.config.run_config import compose_config, run_config
    from remem.paper.tables import CASES, paper_folder
    from remem.reports.terminal.table_console import table_console
    from remem.tables.paper import cases_render as cases
    from remem.tables.paper.cases import case_table
    from remem.tables.reproduce import named_apart

    made = case_table(overrides, runs, paper_folder())
    table_console().print(cases.for_terminal(made))
    results = run_config(compose_config(overrides)).results
    _tell_written(cases.write_files(made, results / "tables" / named_apart(CASES, overrides)))


def _tell_estimates(name: str, overrides: Sequence[str]) -> None:
    """Say what each missing row with a model would take."""
    from remem.config.run_config import compose_config
    from remem.evaluation.estimate import estimate
    from remem.paper.tables import paper_folder
    from remem.reports.terminal.stage_usage import show_usage
    from remem.reports.terminal.table_console import table_console
    from remem.tables.paper.runs import Runs
    from remem.tables.paper.table import paper_runs, table_cells

    looked_up = Runs("nothing", numbered_progress())
    for one in paper_runs(table_cells(name, overrides, looked_up, paper_folder())):
        if one.missing and one.folder is not None:
            row = f"{name}: {one.config.label} on {one.config.dataset}"
            try:
                found = estimate(compose_config(list(one.overrides)))
            except ImportError as error:  # a row that cannot run here costs no other row
                table_console().print(f"{row}: no estimate: {error}", markup=False)
                continue
            for told in found.free:
                table_console().print(f"{row}: {told}", markup=False)
            if found.questions:
                table_console().print(show_usage(f"{row}, estimated", found.stages))


def _explain(
    name: str, overrides: Sequence[str], place: str, added: Sequence[str], *, allow_stub: bool
) -> None:
    from remem.paper.tables import paper_folder
    from remem.reports.terminal.table_console import table_console
    from remem.tables.paper.added import with_added
    from remem.tables.paper.runs import Runs
    from remem.tables.paper.table import table_cells
    from remem.tables.paper.trace import explain as explain_cell
    from remem.tables.paper.trace import show_trace

    row, bar, column = (part.strip() for part in place.rpartition("|"))
    if not bar:
        raise UsageError(f"--explain is {place!r}, expected 'ROW | COLUMN'")
    runs = Runs("nothing", numbered_progress(), allow_stub=allow_stub)
    cells = with_added(table_cells(name, overrides, runs, paper_folder()), added)
    table_console().print(show_trace(explain_cell(cells, row, column)))


def _tell_written(paths: Sequence[Path]) -> None:
    say("Written: " + ", ".join(map(str, paths)))


def _tell_partial(errors: int, folder: Path) -> None:
    say(
        f"Not written to {folder}: {errors} questions ended in an error, so this is no result. "
        f"--allow-partial (make: ALLOW_PARTIAL=1) writes it all the same, with n/N."
    )


def _raise_if_errors(errors: int) -> None:
    from remem.cli.hydra_entry import QuestionsInErrorError

    if errors:
        raise QuestionsInErrorError(
            f"{errors} questions ended in an error; the same command asks them again"
        )
