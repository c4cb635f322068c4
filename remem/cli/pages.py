"""Show runs as a page, in the browser, as a folder of pages, or in W&B."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from remem.cli.arguments import Packages, RunFolder, check_runs_or_sweeps
from remem.cli.serve import serve_until_interrupt
from remem.errors import UsageError
from remem.reports.terminal.console import say

PAGES_A_MESSAGE = 10


def report(
    run: RunFolder,
    out: Annotated[
        Path | None,
        typer.Option(help="file to write (default: report.html in the folder of the run)"),
    ] = None,
    with_text: Annotated[
        bool, typer.Option(help="include texts of the dataset; check the licences first")
    ] = False,
    with_calls: Annotated[
        bool, typer.Option(help="include prompts and completions from the call store")
    ] = False,
    package: Packages = None,
) -> None:
    """Write a run as one HTML file: scores, plots, every question and its answer.

    If the run asked questions while its memory grew (run.stream=session), its scores and costs over
    time are printed, and written to stream.html and stream.csv next to the page.

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
    from remem.reports.html.report import PAGE, write_stream_page
    from remem.reports.terminal.console import table_console
    from remem.reports.terminal.run_tables import show_curves
    from remem.results.run import Run
    from remem.results.stream_curves import AXES, stream_scores

    run = Run.open(folder, packages)
    if not run.config.is_stream:
        return
    curves, page = stream_scores(run), report.with_name(PAGE)
    write_stream_page(run, curves, page)
    for axis in AXES:
        table_console().print(show_curves(curves, axis))
    say(f"Written: {page} and {page.with_suffix('.csv').name}")


def view(
    results: Annotated[Path, typer.Argument(help="the results folder")] = Path("results"),
    *,
    port: Annotated[int, typer.Option(help="port; 0 chooses a free one")] = 8765,
    export: Annotated[
        Path | None, typer.Option(help="write the pages to this folder instead of serving them")
    ] = None,
    with_text: Annotated[
        bool, typer.Option(help="include texts of the dataset; check the licences first")
    ] = False,
    package: Packages = None,
) -> None:
    """Show all runs in the browser, or export them as a folder of pages.

    The server accepts connections from this machine only; other users of the machine can open the
    pages too.

    An export has the list, all reports and tables, and at most 100 comparisons, each between two
    finished runs that answered the same number of questions on the same data.

    Example: remem view results --export site
    """
    from remem.reports.html.site import Site, site_server

    if not results.is_dir():
        raise UsageError(f"{results} is not a folder; name the folder of your results")
    site = Site(results, package or (), with_text=with_text)
    if export is None:
        server = site_server(site, port)
        serve_until_interrupt(server, f"Runs: {server.url}/")
        return
    exported = site.export(export, _say_progress)
    for failure in exported.failed:
        say(f"left out: {failure}", err=True)
    if exported.left_out:
        say(f"left out: comparisons of two runs beyond the limit of 100 ({exported.left_out})")
    say(f"Written: {export} ({exported.pages} pages; open {export / 'index.html'})")


def _say_progress(group: str, done: int, pages: int) -> None:
    """Report how many pages of a group are written: every tenth, and the last."""
    if done % PAGES_A_MESSAGE == 0 or done == pages:
        say(f"{group}: {done} of {pages}", err=True)


def wandb(  # noqa: PLR0917  each is an option of the command line
    runs: Annotated[
        list[Path],
        typer.Argument(help="folders of runs or sweeps", callback=check_runs_or_sweeps),
    ],
    project: Annotated[str, typer.Option(help="project in W&B")] = "remem",
    entity: Annotated[
        str | None,
        typer.Option(help="user or team that owns the project (default: your default in W&B)"),
    ] = None,
    group: Annotated[str | None, typer.Option(help="name of a group for the runs")] = None,
    offline: Annotated[
        bool, typer.Option(help="only write the runs to disk (the default if there is no key)")
    ] = False,
    with_text: Annotated[
        bool,
        typer.Option(
            help="also send questions, gold answers and answers; check the licences first"
        ),
    ] = False,
    bundle: Annotated[
        Path | None, typer.Option(help="a bundle of these runs, to send with them")
    ] = None,
    graph: Annotated[
        bool, typer.Option(help="also send the properties of the stored memory graphs")
    ] = False,
    dashboard: Annotated[
        bool,
        typer.Option(
            help="create a W&B workspace for the runs; if offline, write its specification"
        ),
    ] = False,
    allow_stub: Annotated[
        bool, typer.Option(help="allow runs answered by the loopback stub")
    ] = False,
    package: Packages = None,
) -> None:
    """Copy finished runs to W&B; pushing again updates them.

    The scores, a row for each question, and the records are sent. For the folder of a sweep, its
    runs and its table are sent.

    Example: remem wandb results/sweeps/top-k_locomo-1a2b3c4d --dashboard
    """
    from remem.reports.wandb.client import Destination, default_entity, why_wandb_is_offline
    from remem.reports.wandb.dashboard import save_dashboard, shown_of, write_dashboard
    from remem.reports.wandb.mirror import Wanted, push, push_sweep
    from remem.reports.wandb.tables import read_sweep
    from remem.results.run import Run
    from remem.run.sweep_jobs import is_sweep

    sweeps = [read_sweep(folder, package or ()) for folder in runs if is_sweep(folder)]
    alone = [Run.open(folder, package or ()) for folder in runs if not is_sweep(folder)]
    opened = [*alone, *(run for sweep in sweeps for run in sweep.runs)]
    destination = Destination(
        results=opened[0].config.results,
        project=project,
        entity=entity,
        group=group,
        offline=why_wandb_is_offline(os.environ, asked=offline),
    )
    wanted = Wanted(with_text=with_text, allow_stub=allow_stub, bundle=bundle, graph=graph)
    for run in alone:
        for line in push(run, destination, wanted):
            say(line)
    for sweep in sweeps:
        for line in push_sweep(sweep, replace(destination, group=group or sweep.name), wanted):
            say(line)
    if not dashboard:
        return
    shown, swept = shown_of(opened), [table for sweep in sweeps for table in sweep.tables]
    if destination.offline:
        say(f"Written: {write_dashboard(shown, swept, destination)}")
    else:
        owner = default_entity(destination)
        say(f"W&B: {save_dashboard(shown, swept, destination, owner)}")
