"""`remem referee leaderboard`: a static site that ranks the runs of verified bundles."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from remem.cli.arguments import Packages
from remem.files.plain_text import printable
from remem.reports.terminal.console import safe_console, say

if TYPE_CHECKING:
    from remem.apps.referee.leaderboards.leaderboard_entries import Certify


def leaderboard(
    folder: Annotated[Path, typer.Argument(help="folder of bundles with their certificates")],
    out: Annotated[Path, typer.Option(help="a new or empty folder for the site")],
    replay: Annotated[
        bool, typer.Option(help="replay each bundle, and read no certificates")
    ] = False,
    public_key: Annotated[
        list[Path] | None,
        typer.Option(help="accept only signatures that fit this minisign public key; repeatable"),
    ] = None,
    package: Packages = None,
) -> None:
    """Rank the runs of verified bundles, and write the boards as a static site.

    A bundle needs its certificate next to it, unless it is replayed. A bundle that is refused is
    named on the page with the reason, and the exit code is 5.

    Example: remem referee leaderboard bundles --out site
    """
    from remem.apps.referee.leaderboards.leaderboard_entries import read_entries
    from remem.apps.referee.leaderboards.leaderboard_site import INDEX, write_site
    from remem.errors import UsageError, VerificationFailedError

    if replay and public_key:
        raise UsageError(
            "--public-key checks certificates, but --replay reads none: leave out one of them"
        )
    certify = _certify(package or []) if replay else None
    entries = read_entries(folder, public_key or (), certify)
    boards = write_site(entries, out)
    accepted = f"{len(entries.entries)} bundle{'s' * (len(entries.entries) != 1)}"
    say(f"Written: {out / INDEX} ({accepted}, {len(boards)} board{'s' * (len(boards) != 1)})")
    if entries.refused:
        reasons = "; ".join(f"{bundle.file}: {bundle.reason}" for bundle in entries.refused)
        every = len(entries.refused) + len(entries.entries)
        refused = f"{len(entries.refused)} of {every} bundles refused: {reasons}"
        raise VerificationFailedError(printable(refused))


def _certify(packages: list[str]) -> "Certify":
    """Return a function that replays a bundle into a temporary folder."""
    from remem.apps.referee.certificates.certificate import Certificate
    from remem.apps.referee.certificates.certify import certify
    from remem.benchmarks.files.notes import data_folder
    from remem.reports.html import table_files
    from remem.reports.terminal.progress import ProgressView

    view = ProgressView(safe_console(stderr=True), None)

    def certified(path: Path) -> Certificate:
        with TemporaryDirectory(prefix="remem-leaderboard-") as temporary:
            return certify(
                path,
                data_folder(),
                Path(temporary) / "results",
                lambda label, price: view(printable(label), price),
                packages,
                files=table_files,
            )

    return certified
