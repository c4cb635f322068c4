"""`remem tables`: the tables of the paper next to our runs."""

from typing import Annotated

import typer

from remem.cli.naming import named_by_number, one_of, tables_of_paper
from remem.cli.rehearsal import rehearsed
from remem.cli.table_options import (
    AllowPartial,
    Dollars,
    Models,
    Overrides,
    OwnPrompts,
    Plan,
    Rehearse,
    paper_changes,
)
from remem.cli.table_output import raise_if_failed, show_cases, show_paper_tables, show_plan


def _names(given: list[str] | None) -> list[str] | None:
    """Return the names of tables that are given by name or number."""
    named = [named_by_number(table) for table in given or []]
    return one_of("table of the paper", tables_of_paper)(named) or None


def tables(  # noqa: PLR0917  each is an option of the command line
    names: Annotated[
        list[str] | None,
        typer.Argument(
            help="only these tables",
            callback=_names,
            autocompletion=tables_of_paper,
        ),
    ] = None,
    override: Overrides = None,
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

    chosen = names or list(tables_of_paper())
    with rehearsed(override or [], wanted=rehearse, of_paper=True) as overrides:
        changes = paper_changes(overrides, own_prompts=own_prompts)
        of_paper = [name for name in chosen if name != CASES]
        if plan:
            show_plan(of_paper, changes)
            return
        runs = show_paper_tables(
            of_paper,
            changes,
            models=models,
            budget=budget,
            rehearsal=rehearse,
            allow_partial=allow_partial,
        )
        if CASES in chosen:
            show_cases(changes, runs)
        raise_if_failed(runs.failures)
