"""`remem error-shares`: the kinds of error on a labelled sheet."""

from pathlib import Path
from typing import Annotated

import typer

from remem.cli.naming import Run
from remem.cli.score_options import kinds_of_error


def error_shares(
    run: Run, sheet: Annotated[Path, typer.Argument(help="the labelled sheet of wrong answers")]
) -> None:
    """Show the share of each kind of error on a labelled sheet.

    The paper's shares are shown next to them.

    Example: remem error-shares results/runs/locomo/A sheet.csv
    """
    from remem.paper.claims import read_claims
    from remem.paper.tables import paper_folder
    from remem.reports.terminal.table_console import table_console
    from remem.results.label_sheets import read_error_labels, shares_by_kind, show_shares
    from remem.results.run import Run as OpenedRun

    opened = OpenedRun.open(run)
    allowed = kinds_of_error(opened)
    said = read_error_labels(sheet, opened.records, allowed)
    found = shares_by_kind(said, allowed, read_claims(paper_folder()))
    table_console().print(show_shares(found))
