"""`remem label-sheet`: answers of a run, drawn for a person to label."""

from pathlib import Path
from typing import Annotated

import typer

from remem.cli.naming import Packages, Run
from remem.cli.score_options import SAMPLE, OneSet, kinds_of_error, named_convention
from remem.reports.terminal.console import say


def label_sheet(  # noqa: PLR0917  each is an option of the command line
    run: Run,
    sheet: Annotated[Path, typer.Argument(help="CSV file to write")],
    size: Annotated[int, typer.Option(help="number of answers")] = SAMPLE,
    seed: Annotated[int, typer.Option(help="seed of the random sample")] = 0,
    chosen: OneSet = "paper",
    wrong: Annotated[
        bool, typer.Option("--wrong", help="only wrong answers, to label by kind of error")
    ] = False,
    package: Packages = None,
) -> None:
    """Draw answers of a run for a person to label 1 (right) or 0 (wrong).

    With --wrong the sheet also has evidence and steps, and the labels are the paper's kinds of
    error. An answer is wrong if the judge says so; without a judge, if the dataset's first score is
    below one half.

    Example: remem label-sheet results/runs/locomo/A sheet.csv
    """
    from remem.errors import UsageError
    from remem.results.flips import RIGHT
    from remem.results.label_sheets import (
        answered_wrongly,
        draw_sample,
        write_error_sheet,
        write_sheet,
    )
    from remem.results.run import Run as OpenedRun

    opened = OpenedRun.open(run, package or ())
    convention = named_convention(chosen, opened.config.settings.dataset)
    if not wrong:
        write_sheet(sheet, draw_sample(opened.records, size, seed), convention.refusal_gold)
        say(f"Written: {sheet} ({size} answers, seed {seed}); then remem agree {run} {sheet}")
        return
    data = opened.under(convention)
    found = answered_wrongly(data)
    if size > len(found):
        raise UsageError(
            f"{run} has only {len(found)} wrong answers; --size {len(found)} takes all"
        )
    write_error_sheet(sheet, draw_sample(found, size, seed), convention.refusal_gold)
    by = f"{data.main_heading} below {RIGHT}"
    say(f"Written: {sheet} ({size} of {len(found)} answers with {by}, seed {seed})")
    say(f"Labels: {', '.join(kinds_of_error(opened))}")
    say(f"Then: remem error-shares {run} {sheet}")
