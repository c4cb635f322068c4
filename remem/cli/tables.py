"""`remem table`: make a table of conf/table, a table of the paper, or all tables of the paper."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer

from remem.cli.arguments import Json, complete_names
from remem.cli.names import all_tables, check_name, paper_tables, table_by_number
from remem.cli.table_output import (
    make_table,
    raise_if_failed,
    show_own_plan,
    show_paper_tables,
    show_plan,
    stored_runs,
)
from remem.config.config_dir import GRANTED, TRUST, existing_folder, grants
from remem.config.override_text import searched, split_overrides
from remem.errors import UsageError
from remem.reports.terminal.console import say

OFFLINE = "offline"
Kind = Literal["own", "paper"]
"""A table of conf/table, or one of the paper."""


Rows = Annotated[
    str,
    typer.Option(help="show only the rows of these methods; +<method> adds a row to each block"),
]
ConfigDir = Annotated[
    Path | None,
    typer.Option(
        help="a folder with method/, table/ ...; its files may set only plain values",
        callback=existing_folder,
    ),
]
TrustConfig = Annotated[
    Path | None, typer.Option(help=f"like --config-dir, for a folder that you trust: {GRANTED}")
]
Rehearse = Annotated[
    bool,
    typer.Option(
        help="rehearse the command at no cost, in results/rehearsal: the loopback "
        "stub answers, 2% of the calls fail at the first try, and every row is "
        "marked"
    ),
]
AllowPartial = Annotated[
    bool,
    typer.Option(
        help="write a table even if questions failed, with n/N in its cells: n of N were answered"
    ),
]
Models = Annotated[
    bool,
    typer.Option(
        help="for a table of the paper: also run the rows that need a model, and pay for them"
    ),
]
OwnPrompts = Annotated[
    bool,
    typer.Option(
        help="for a table of the paper: use the prompts and judge of remem, not the released ones"
    ),
]
Plan = Annotated[
    bool,
    typer.Option(help="show what the rows would cost and need, then stop; nothing is sent"),
]
Dollars = Annotated[
    float | None,
    typer.Option(
        "--budget", help="maximum dollars for the rows with a model, their judges and their checks"
    ),
]


def table(  # noqa: PLR0917  each is an option of the command line
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME] [KEY=VALUE]...",
            help="a table of conf/table or of the paper (default: offline); Hydra "
            "overrides for every row",
            autocompletion=complete_names(all_tables),
        ),
    ] = None,
    all_: Annotated[bool, typer.Option("--all", help="every table of the paper")] = False,
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
    costs: Annotated[
        bool,
        typer.Option(help="for a table of conf/table: also show the time and tokens of each row"),
    ] = False,
    json: Json = False,
) -> None:
    """Run the missing rows of a table, show it, and write it as files and as a page.

    For a table of the paper, given by name or number, only the rows without a model are run.
    --models first shows the plan of the other rows, then runs them.

    Example: remem table offline --rows bm25_messages,remem_s
    """
    from remem.cli.paid_tables import stub_for_rehearsal
    from remem.tables.table_plan import read_plan, with_rows

    names, changes = split_overrides(words or [])
    if all_ and (names or explain or json):
        raise UsageError("--all shows every table; leave out the name, --explain and --json")
    name = table_by_number(names[0] if names else OFFLINE)
    # a second name is refused as an override
    overrides = with_folders([*names[1:], *changes], config_dir, trust_config)
    folders = [path for path in (config_dir, trust_config) if path]
    methods = [method.strip() for method in rows.split(",")] if rows else []
    kind = "paper" if all_ else _kind_of(name, folders)
    if kind != "paper" and (models or explain or own_prompts or budget is not None):
        raise UsageError(
            f"--models, --budget, --own-prompts and --explain are only for tables of the paper, "
            f"and {name!r} is not one"
        )
    if kind != "own" and costs:
        raise UsageError("--costs is only for tables of conf/table, not for those of the paper")
    _check_rows(kind, "--all" if all_ else name, methods)
    if json and (explain or plan):
        raise UsageError(
            "--json cannot be used with --explain or --plan, which are shown on the screen"
        )
    of_paper = kind != "own"
    with stub_for_rehearsal(
        overrides, wanted=rehearse, of_paper=of_paper, own_prompts=own_prompts
    ) as stub_overrides:
        if kind == "own":
            own_plan = read_plan(name, folders, trusted=trust_config is not None)
            own_plan = with_rows(own_plan, methods) if methods else own_plan
            if plan:
                show_own_plan(own_plan, stub_overrides)
                return
            make_table(
                own_plan,
                stub_overrides,
                rehearsal=rehearse,
                allow_partial=allow_partial,
                json=json,
                costs=costs,
            )
            return
        row_overrides = with_prompts(stub_overrides, own_prompts=own_prompts)
        added = [method.removeprefix("+") for method in methods]
        tables = paper_tables() if all_ else [name]
        if plan:
            show_plan(tables, row_overrides, added)
        elif explain:
            _explain(name, row_overrides, explain, added, rehearsal=rehearse)
        else:
            runs = show_paper_tables(
                tables,
                row_overrides,
                models=models or rehearse,
                budget=budget,
                rehearsal=rehearse,
                allow_partial=allow_partial,
                added=added,
                json=json,
                named_by=with_prompts(overrides, own_prompts=own_prompts),
            )
            raise_if_failed(runs.failures, runs.stopped)


def with_folders(
    overrides: Sequence[str], config_dir: Path | None, trust_config: Path | None
) -> list[str]:
    """Append the user's folders to the overrides, and report what a trusted folder may set."""
    if config_dir is not None and trust_config is not None:
        raise UsageError(f"--config-dir and {TRUST} cannot be used together: choose one")
    if config_dir is not None:
        return [*overrides, searched(config_dir)]
    if trust_config is None:
        return list(overrides)
    trusting = [*overrides, f"{TRUST}={trust_config.absolute()}"]
    say(f"remem: {grants(trusting)}", err=True)
    return trusting


def with_prompts(overrides: Sequence[str], *, own_prompts: bool) -> list[str]:
    """Return the user's overrides; if `own_prompts`, put the choice of our prompts before them."""
    if not own_prompts:
        return list(overrides)
    from remem.tables.paper.rows import OWN_PROMPTS

    return [*OWN_PROMPTS, *overrides]


def _kind_of(name: str, folders: Sequence[Path]) -> Kind:
    """Return the kind of a table; one in the user's folders takes precedence over the paper's.

    Raises:
        UsageError: There is no such table.
    """
    from remem.paper.layout import paper_folder, paper_table_names
    from remem.tables.table_plan import table_names

    own = table_names(folders)
    check_name("table", name, dict.fromkeys((*all_tables(), *own)))
    return "paper" if name not in own and name in paper_table_names(paper_folder()) else "own"


def _check_rows(kind: Kind, name: str, methods: Sequence[str]) -> None:
    """Raise UsageError unless a table of this kind can have these rows."""
    only_adds = all(method.startswith("+") for method in methods)
    if kind == "paper" and not only_adds:
        raise UsageError(
            f"--rows {','.join(methods)} cannot be used for {name}: a table of the paper always "
            f"has all its rows; write +<method> to add one"
        )


def _explain(
    name: str, overrides: Sequence[str], place: str, added: Sequence[str], *, rehearsal: bool
) -> None:
    """Trace a cell of a table of the paper to its records."""
    from remem.paper.layout import paper_folder
    from remem.reports.terminal.console import table_console
    from remem.tables.paper.own_rows import with_added
    from remem.tables.paper.table import table_cells
    from remem.tables.paper.trace import explain, show_trace

    row, bar, column = (part.strip() for part in place.rpartition("|"))
    if not bar:
        raise UsageError(f"--explain is {place!r}; expected 'ROW | COLUMN'")
    runs = stored_runs(allow_stub=rehearsal)
    cells = with_added(table_cells(name, overrides, runs, paper_folder()), added)
    table_console().print(show_trace(explain(cells, row, column)))
