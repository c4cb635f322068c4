"""`remem log table`: a table of four memories on the user's own log."""

from pathlib import Path
from typing import Annotated

import typer

from remem.apps.own_log.ask import ALL_BRANCHES
from remem.cli.arguments import Json, Overrides
from remem.cli.tables import AllowPartial, ConfigDir, Rows, TrustConfig, with_folders


def table(  # noqa: PLR0917  each is an option of the command line
    log: Annotated[Path, typer.Argument(help="a log in any format that remem log ask reads")],
    questions: Annotated[
        Path,
        typer.Argument(help="questions about the log: a .jsonl, .json, .csv or .tsv file"),
    ],
    overrides: Overrides = None,
    rows: Rows = "",
    all_branches: Annotated[bool, typer.Option("--all-branches", help=ALL_BRANCHES)] = False,
    config_dir: ConfigDir = None,
    trust_config: TrustConfig = None,
    allow_partial: AllowPartial = False,
    json: Json = False,
) -> None:
    """Make a table of four memories of your own log, with your own questions.

    Example: remem log table diary.txt questions.jsonl
    """
    from remem.apps.own_log.log_table_plan import own_log_plan
    from remem.cli.table_output import make_table
    from remem.tables.table_plan import with_rows

    named = [part.strip() for part in rows.split(",")] if rows else []
    of_log = own_log_plan(log, questions, all_branches=all_branches)
    plan = with_rows(of_log, named) if named else of_log
    changes = with_folders(overrides or [], config_dir, trust_config)
    make_table(plan, changes, rehearsal=False, allow_partial=allow_partial, json=json)
