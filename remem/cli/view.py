"""`remem view`: all runs in the browser, or as a folder of pages."""

from pathlib import Path
from typing import Annotated

import typer

from remem.cli import serving
from remem.cli.naming import Packages
from remem.reports.terminal.console import say

SAID_EVERY = 10


def view(
    results: Annotated[Path, typer.Argument(help="the results folder")] = Path("results"),
    *,
    port: Annotated[int, typer.Option(help="port; 0 takes a free one")] = 8765,
    export: Annotated[
        Path | None, typer.Option(help="write the pages to this folder instead of serving them")
    ] = None,
    with_text: Annotated[
        bool, typer.Option(help="include the texts of data sets too; check the licences first")
    ] = False,
    package: Packages = None,
) -> None:
    """Show all runs in the browser, or export them as a folder of pages.

    The server accepts connections from this machine only; its other users can open the pages too.

    An export has the list, all reports and tables, and a comparison of each two finished runs on
    the same data that answered as many questions, at most 100 comparisons.

    Example: remem view results --export site
    """
    from remem.errors import UsageError
    from remem.reports.html.site import Site
    from remem.reports.html.site_server import site_server

    if not results.is_dir():
        raise UsageError(f"{results} is not a folder; name the folder of your results")
    site = Site(results, package or (), with_text=with_text)
    if export is None:
        server = site_server(site, port)
        serving.serve_until_interrupt(server, f"Runs: {server.url}/")
        return
    exported = site.export(export, _said)
    for failure in exported.failed:
        say(f"left out: {failure}", err=True)
    if exported.left_out:
        say(f"{exported.left_out} comparisons of two runs were left out: there are too many")
    say(f"Written: {export} ({exported.pages} pages; open {export / 'index.html'})")


def _said(group: str, done: int, pages: int) -> None:
    """Say how many pages of a group are written: every tenth, and the last."""
    if done % SAID_EVERY == 0 or done == pages:
        say(f"{group}: {done} of {pages}", err=True)
