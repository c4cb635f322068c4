"""`remem agree`: metrics and judges against people's labels."""

from pathlib import Path
from typing import Annotated

import typer

from remem.cli.naming import Packages, Run, ScoreDir, Scores
from remem.cli.score_options import OneSet, named_convention


def agree(  # noqa: PLR0917  each is an option of the command line
    run: Run,
    labels: Annotated[Path, typer.Argument(help="the labelled sheet")],
    scores: Scores = None,
    chosen: OneSet = "paper",
    config_dir: ScoreDir = None,
    package: Packages = None,
) -> None:
    """Compare metrics, and every judge of the run, with people's labels.

    Example: remem agree results/runs/locomo/A sheet.csv --score f1 --score bleu1
    """
    from remem.reports.terminal.agreement import show_agreements
    from remem.reports.terminal.table_console import table_console
    from remem.results.agreement import agreements
    from remem.results.conventions import named_scores
    from remem.results.label_sheets import read_labels
    from remem.results.run import Run as OpenedRun

    opened = OpenedRun.open(run, package or ())
    records, dataset = opened.records, opened.config.settings.dataset
    said = read_labels(labels, records)
    shown = scores or ["f1", "bleu1", "em"]
    known = named_scores(shown, [opened], config_dir, package or ())
    convention = named_convention(chosen, dataset, known)
    found = agreements(records, said, shown, convention, run)
    table_console().print(show_agreements(found, convention))
