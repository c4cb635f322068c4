"""`remem tables`: the tables of the paper next to our runs."""

from typing import Annotated

import typer

from remem.cli.naming import one_of, tables_of_paper
from remem.cli.table_options import AllowPartial, AllowStub, Models, Overrides, stub_overrides
from remem.cli.table_output import raise_if_failed, show_cases, show_paper_tables


def tables(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            help="only these tables",
            callback=one_of("table of the paper", tables_of_paper),
            autocompletion=tables_of_paper,
        ),
    ] = None,
    override: Overrides = None,
    models: Models = False,
    allow_stub: AllowStub = False,
    allow_partial: AllowPartial = False,
) -> None:
    """Show and write the tables of the paper next to our runs.

    Example: REMEM_DATA=/data/memory remem tables
    """
    from remem.paper.tables import CASES

    with stub_overrides(allow_stub) as stubbed:
        chosen = names or list(tables_of_paper())
        changes = [*(override or []), *stubbed]
        runs = show_paper_tables(
            [name for name in chosen if name != CASES],
            changes,
            models=models,
            allow_stub=allow_stub,
            allow_partial=allow_partial,
        )
        if CASES in chosen:
            show_cases(changes, runs)
        raise_if_failed(runs.failures)
