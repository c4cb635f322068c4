"""`remem bundle`: pack runs into one file, which other people can check without a key."""

from pathlib import Path
from typing import Annotated

import typer

from remem.cli.bundle_output import say_licences
from remem.cli.naming import Packages, tables
from remem.cli.override_completion import completed_with
from remem.config.override_text import split_overrides
from remem.config.suggestions import did_you_mean, either
from remem.reports.terminal.console import safe_console, say


def bundle(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="NAMES... [KEY=VALUE]...",
            help="folders of runs, or names of tables; Hydra overrides that these were made with",
            autocompletion=completed_with(tables),
        ),
    ],
    out: Annotated[Path, typer.Option(help="file to write")],
    with_text: Annotated[
        bool, typer.Option(help="include questions, golds and answers; check the licences first")
    ] = False,
    allow_stub: Annotated[
        bool, typer.Option(help="allow runs answered by the loopback stub")
    ] = False,
    package: Packages = None,
) -> None:
    """Pack runs with the replies and vectors they need; each is replayed first.

    A table is packed with all its finished runs.

    Example: remem bundle recollection --out table3.remem
    """
    from remem.bundle.pack import pack
    from remem.bundle.tables import WantedTable, known_tables
    from remem.errors import UsageError
    from remem.reports.html import table_files
    from remem.run.store import MANIFEST

    names, overrides = split_overrides(words)
    folders = [Path(name) for name in names if (Path(name) / MANIFEST).exists()]
    wanted = [name for name in names if Path(name) not in folders]
    unknown = [name for name in wanted if name not in known_tables()]
    if unknown:
        raise UsageError(
            f"{unknown[0]} is neither a run (a folder with {MANIFEST}) nor a table; choose "
            f"{either(known_tables())}{did_you_mean(unknown[0], known_tables())}"
        )
    if overrides and not wanted:
        raise UsageError(
            f"{overrides[0]} is for tables only, and none is named: a run has its own configuration"
        )
    from remem.reports.terminal.progress import ProgressView

    view = ProgressView(safe_console(stderr=True), None)
    packed = pack(
        folders,
        out,
        lambda label, price: view(f"replaying {label}", price),
        files=table_files,
        tables=[WantedTable(name, tuple(overrides)) for name in wanted],
        packages=package or (),
        with_text=with_text,
        allow_stub=allow_stub,
    )
    say(f"Written: {packed.path} ({packed.bytes / 1e6:.1f} MB), sha256 {packed.sha256}")
    say_licences(packed.index.note, packed.index.licences)
