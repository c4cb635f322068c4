"""`remem judge-noise`: how much repeats add to the noise of a judge's score."""

from pathlib import Path
from typing import Annotated

import typer

from remem.cli.naming import Runs
from remem.cli.score_options import OneSet, named_convention
from remem.reports.terminal.console import say


def judge_noise(
    runs: Runs,
    judge: Annotated[
        str, typer.Option(help="the beginning of the name of the judge's file")
    ] = "judgments.",
    chosen: OneSet = "paper",
) -> None:
    """Show how much repeats add to the noise of a judge's score.

    Repeats of the judge and repeats of the answers are shown separately.

    Example: remem judge-noise results/runs/locomo/A results/runs/locomo/A-repeated
    """
    from remem.reports.terminal.agreement import told_variance
    from remem.results.agreement import judge_variance
    from remem.results.run import Run

    files = [_only_file(run, judge) for run in runs]
    opened = [Run.open(run) for run in runs]
    convention = named_convention(chosen, opened[0].config.settings.dataset)
    records = [run.records for run in opened]
    for line in told_variance(judge_variance(records, files, convention.refusal_gold)):
        say(line)


def _only_file(run: Path, judge: str) -> Path:
    from remem.errors import UsageError
    from remem.results.verdicts import judgment_files

    found = [path for path in judgment_files(run) if path.name.startswith(judge)]
    if len(found) != 1:
        names = ", ".join(path.name for path in found) or "none"
        raise UsageError(
            f"{run} needs one file of verdicts that begins with {judge!r}; found {names}; "
            f"choose one with --judge, or create it with remem judge"
        )
    return found[0]
