"""`remem report`: a run as a page that opens from disk."""

from pathlib import Path
from typing import Annotated

import typer

from remem.cli.naming import Packages, Run
from remem.reports.terminal.console import say


def report(
    run: Run,
    out: Annotated[
        Path | None, typer.Option(help="file to write; report.html in the run's folder by default")
    ] = None,
    with_text: Annotated[
        bool, typer.Option(help="include the texts of data sets too; check the licences first")
    ] = False,
    with_calls: Annotated[
        bool, typer.Option(help="include prompts and completions from the call store")
    ] = False,
    package: Packages = None,
) -> None:
    """Write a run as one HTML file: scores, plots, every question and its answer.

    Example: remem report results/runs/locomo/A --out report.html
    """
    from remem.benchmarks.files.notes import licences_of
    from remem.reports.html.report import write_report
    from remem.run.store import read_manifest

    path = write_report(
        run, out, with_text=with_text, with_calls=with_calls, packages=package or ()
    )
    say(f"Written: {path} ({path.stat().st_size / 1_000_000:.1f} MB)")
    if with_text or with_calls:
        for licence in licences_of(file["name"] for file in read_manifest(run)["data"]):
            say(f"  {licence}")
