"""`remem table`: a table of conf/table, or one of the paper."""

from collections.abc import Sequence
from typing import Annotated

import typer

from remem.cli.json_option import Json
from remem.cli.naming import check_name, named_by_number
from remem.cli.naming import tables as known_tables
from remem.cli.override_completion import completed_with
from remem.cli.rehearsal import rehearsed
from remem.cli.table_options import (
    AllowPartial,
    ConfigDir,
    Dollars,
    Models,
    OwnPrompts,
    Plan,
    Rehearse,
    Rows,
    TrustConfig,
    paper_changes,
    show_rows,
    with_folders,
)
from remem.cli.table_output import (
    make_table,
    raise_if_failed,
    show_cases,
    show_paper_tables,
    show_plan,
)
from remem.config.override_text import split_overrides
from remem.errors import UsageError

OFFLINE = "offline"


def table(  # noqa: PLR0917  each is an option of the command line
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME] [KEY=VALUE]...",
            help="a table of conf/table or of the paper, or cases (offline); Hydra overrides for "
            "every row",
            autocompletion=completed_with(known_tables),
        ),
    ] = None,
    rows: Rows = "",
    config_dir: ConfigDir = None,
    trust_config: TrustConfig = None,
    models: Models = False,
    plan: Plan = False,
    budget: Dollars = None,
    own_prompts: OwnPrompts = False,
    explain: Annotated[
        str, typer.Option(help="for a table of the paper: trace 'ROW | COLUMN' to its records")
    ] = "",
    rehearse: Rehearse = False,
    allow_partial: AllowPartial = False,
    json: Json = False,
) -> None:
    """Run the missing rows of a table, show it, and write it as files and as a page.

    For a table of the paper, or its number, only the rows without a model are run. --models first
    shows the plan of the others, then runs them.

    Example: remem table offline --rows bm25_messages,remem_s
    """
    from remem.paper.tables import CASES, paper_folder, paper_table_names
    from remem.tables.table_plan import read_plan, table_names, with_rows

    folders = [path for path in (config_dir, trust_config) if path]
    names, changed = split_overrides(words or [])
    name = names[0] if names else OFFLINE
    # a second name is refused as an override
    overrides = with_folders([*names[1:], *changed], config_dir, trust_config)
    named = [part.strip() for part in rows.split(",")] if rows else []
    own = table_names(folders)
    name = named_by_number(name)
    check_name("table", name, dict.fromkeys((*known_tables(), *own)))
    of_paper = name in paper_table_names(paper_folder()) and name not in own
    of_cases = name == CASES and name not in own
    if not of_paper and (models or explain or plan or own_prompts or budget is not None):
        raise UsageError(
            f"--models, --plan, --budget, --own-prompts and --explain are only for tables of the "
            f"paper, and {name!r} is not one"
        )
    if (of_cases and named) or (of_paper and not all(row.startswith("+") for row in named)):
        raise UsageError(
            f"--rows {rows} does not fit {name}: a table of the paper keeps its rows, and "
            f"+<method> adds one; cases has no rows to choose"
        )
    if json and (explain or plan):
        raise UsageError("--explain and --plan are shown on the screen; leave them or --json out")
    added = [row[1:] for row in named]
    with rehearsed(
        overrides, wanted=rehearse, of_paper=of_paper or of_cases, own_prompts=own_prompts
    ) as changes:
        of_rows = paper_changes(changes, own_prompts=own_prompts)
        if of_cases:
            from remem.tables.paper.runs import Runs

            show_cases(of_rows, Runs("nothing", show_rows(), allow_stub=rehearse), json=json)
        elif of_paper and plan:
            show_plan([name], of_rows, added)
        elif of_paper and explain:
            _explain(name, of_rows, explain, added, rehearsal=rehearse)
        elif of_paper:
            runs = show_paper_tables(
                [name],
                of_rows,
                models=models or rehearse,
                budget=budget,
                rehearsal=rehearse,
                allow_partial=allow_partial,
                added=added,
                json=json,
                named_by=paper_changes(overrides, own_prompts=own_prompts),
            )
            raise_if_failed(runs.failures, runs.stopped)
        else:
            of_conf = read_plan(name, folders, trusted=trust_config is not None)
            chosen = with_rows(of_conf, named) if named else of_conf
            make_table(chosen, changes, rehearsal=rehearse, allow_partial=allow_partial, json=json)


def _explain(
    name: str, overrides: Sequence[str], place: str, added: Sequence[str], *, rehearsal: bool
) -> None:
    from remem.paper.tables import paper_folder
    from remem.reports.terminal.table_console import table_console
    from remem.tables.paper.own_rows import with_added
    from remem.tables.paper.runs import Runs
    from remem.tables.paper.table import table_cells
    from remem.tables.paper.trace import explain as explain_cell
    from remem.tables.paper.trace import show_trace

    row, bar, column = (part.strip() for part in place.rpartition("|"))
    if not bar:
        raise UsageError(f"--explain is {place!r}; expected 'ROW | COLUMN'")
    runs = Runs("nothing", show_rows(), allow_stub=rehearsal)
    cells = with_added(table_cells(name, overrides, runs, paper_folder()), added)
    table_console().print(show_trace(explain_cell(cells, row, column)))
