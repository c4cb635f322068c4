"""`remem tables`: the tables of the paper next to our runs."""

from typing import Annotated

import typer

from remem.cli.naming import named_by_number, one_of, tables_of_paper
from remem.cli.override_completion import completed_with
from remem.cli.rehearsal import rehearsed
from remem.cli.table_options import (
    AllowPartial,
    Dollars,
    Models,
    OwnPrompts,
    Plan,
    Rehearse,
    paper_changes,
)
from remem.cli.table_output import raise_if_failed, show_cases, show_paper_tables, show_plan
from remem.config.override_text import split_overrides


def tables(  # noqa: PLR0917  each is an option of the command line
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAMES]... [KEY=VALUE]...",
            help="only these tables; Hydra overrides for every row",
            autocompletion=completed_with(tables_of_paper),
        ),
    ] = None,
    models: Models = False,
    plan: Plan = False,
    budget: Dollars = None,
    own_prompts: OwnPrompts = False,
    rehearse: Rehearse = False,
    allow_partial: AllowPartial = False,
) -> None:
    """Show and write the tables of the paper next to our runs.

    Example: REMEM_DATA=/data/memory remem tables
    """
    from remem.paper.tables import CASES

    names, overrides = split_overrides(words or [])
    named = one_of("table of the paper", tables_of_paper)([*map(named_by_number, names)])
    chosen = named or list(tables_of_paper())
    with rehearsed(overrides, wanted=rehearse, of_paper=True, own_prompts=own_prompts) as asked:
        changes = paper_changes(asked, own_prompts=own_prompts)
        of_paper = [name for name in chosen if name != CASES]
        if plan:
            show_plan(of_paper, changes)
            return
        runs = show_paper_tables(
            of_paper,
            changes,
            models=models or rehearse,
            budget=budget,
            rehearsal=rehearse,
            allow_partial=allow_partial,
            named_by=paper_changes(overrides, own_prompts=own_prompts),
        )
        if CASES in chosen:
            show_cases(changes, runs)
        raise_if_failed(runs.failures, runs.stopped)
