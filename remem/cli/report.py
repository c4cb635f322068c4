"""`remem report`: a run as a page that opens from disk."""

from collections.abc import Sequence
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

    A run that asked while its memory grew (run.stream=session) also gets stream.html and stream.csv
    next to it: its scores and costs over time, which are printed too.

    Example: remem report results/runs/locomo/A --out report.html
    """
    from remem.benchmarks.files.notes import licences_of
    from remem.reports.html.report import write_report
    from remem.run.store import read_manifest

    path = write_report(
        run, out, with_text=with_text, with_calls=with_calls, packages=package or ()
    )
    say(f"Written: {path} ({path.stat().st_size / 1_000_000:.1f} MB)")
    _write_stream(run, path, package or ())
    if with_text or with_calls:
        for licence in licences_of(read_manifest(run).data_names):
            say(f"  {licence}")


def _write_stream(folder: Path, report: Path, packages: Sequence[str]) -> None:
    """Write and print the curves of a run that asked while its memory grew."""
    from remem.reports.html.stream_page import PAGE, write_stream_page
    from remem.reports.terminal.stream_curves import show_curves
    from remem.reports.terminal.table_console import table_console
    from remem.results.run import Run
    from remem.results.stream_curves import AXES, stream_scores

    scored = Run.open(folder, packages)
    if not scored.config.is_stream:
        return
    found, page = stream_scores(scored), report.with_name(PAGE)
    write_stream_page(scored, found, page)
    for axis in AXES:
        table_console().print(show_curves(found, axis))
    say(f"Written: {page} and {page.with_suffix('.csv').name}")
