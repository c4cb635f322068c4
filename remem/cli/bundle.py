"""`remem bundle`: pack runs into one file, check it, and answer its runs again.

A bundle may come from anyone, so its texts are printed without control characters.
"""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from remem.cli.arguments import Packages, complete_names
from remem.cli.names import all_tables
from remem.config.override_text import split_overrides
from remem.config.suggestions import did_you_mean, either
from remem.errors import UsageError
from remem.files.opened import file_sum
from remem.files.plain_text import printable
from remem.reports.terminal.console import safe_console, say

if TYPE_CHECKING:
    from remem.bundle.layout import Index
    from remem.bundle.replay import Replayed
    from remem.tables.table import Table

SAME = "same result"
File = Annotated[Path, typer.Argument(help="a bundle file")]


def say_printable(text: str) -> None:
    """Print a text from a bundle as one line without control characters."""
    say(printable(text))


def say_licences(index: "Index") -> None:
    """Print the note of a bundle, and the licences of its data."""
    say_printable(index.note)
    for licence in index.licences:
        say(f"  {printable(licence)}")


def pack(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="NAMES... [KEY=VALUE]...",
            help="folders of runs, or names of tables with the Hydra overrides of their runs",
            autocompletion=complete_names(all_tables),
        ),
    ],
    out: Annotated[Path, typer.Option(help="file to write")],
    with_text: Annotated[
        bool,
        typer.Option(help="include questions, gold answers and answers; check the licences first"),
    ] = False,
    allow_stub: Annotated[
        bool, typer.Option(help="allow runs answered by the loopback stub")
    ] = False,
    package: Packages = None,
) -> None:
    """Pack runs with the replies and vectors they need; each is replayed first.

    A table is packed with all its finished runs.

    Example: remem bundle pack recollection --out table3.remem
    """
    from remem.bundle.pack import pack as pack_runs
    from remem.bundle.tables import WantedTable, known_tables
    from remem.reports.html import table_files
    from remem.run.store import MANIFEST

    names, overrides = split_overrides(words)
    folders = [Path(name) for name in names if (Path(name) / MANIFEST).exists()]
    tables = [name for name in names if Path(name) not in folders]
    unknown = [name for name in tables if name not in known_tables()]
    if unknown:
        raise UsageError(
            f"{unknown[0]} is neither a run (a folder with {MANIFEST}) nor a table; choose "
            f"{either(known_tables())}{did_you_mean(unknown[0], known_tables())}"
        )
    if overrides and not tables:
        raise UsageError(
            f"{overrides[0]} applies only to tables, but no table is named; leave it out, since a "
            f"run has its own configuration"
        )
    from remem.reports.terminal.progress import ProgressView

    view = ProgressView(safe_console(stderr=True), None)
    packed = pack_runs(
        folders,
        out,
        lambda label, price: view(f"replaying {label}", price),
        files=table_files,
        tables=[WantedTable(name, tuple(overrides)) for name in tables],
        packages=package or (),
        with_text=with_text,
        allow_stub=allow_stub,
    )
    say(f"Written: {packed.path} ({packed.bytes / 1e6:.1f} MB), sha256 {packed.sha256}")
    say_licences(packed.index)


def verify(file: File) -> None:
    """Check a bundle's checksums and score its runs again; no data is needed.

    Example: remem bundle verify table1.remem
    """
    from remem.bundle.verify import verify as verify_bundle

    verified = verify_bundle(file)
    for label in verified.runs:
        say_printable(f"{label}: its scores match the scores of its questions")
    say(
        f"Intact: {file}, {len(verified.index.entries)} entries, {verified.questions} questions, "
        f"{verified.calls} calls, {verified.vectors} vectors; sha256 {verified.sha256}"
    )
    say_licences(verified.index)


def replay(
    file: File,
    results: Annotated[
        Path | None,
        typer.Option(help="empty folder for the runs (default: results/replayed/...)"),
    ] = None,
    package: Packages = None,
) -> None:
    """Answer the runs of a bundle again from its replies, and show their table.

    Nothing is sent to a model.

    Example: REMEM_DATA=/data/memory remem bundle replay table1.remem
    """
    from remem.benchmarks.files.notes import data_folder
    from remem.bundle.replay import replay as replay_bundle
    from remem.config.run_config import configure
    from remem.reports.html import table_files
    from remem.reports.terminal.progress import ProgressView

    view = ProgressView(safe_console(stderr=True), None)
    folder = results or _own_folder(configure().results / "replayed", file)
    try:
        replayed = replay_bundle(
            file,
            data_folder(),
            folder,
            lambda label, price: view(printable(label), price),
            package or (),
            files=table_files,
        )
    except BaseException:
        if results is None:
            shutil.rmtree(folder, ignore_errors=True)
        raise
    _show_replayed(replayed, folder, package or ())
    say_licences(replayed.verified.index)


def _own_folder(parent: Path, file: Path) -> Path:
    """Return the folder for a replay of this file, after deleting its old content."""
    name = file.stem
    if file.is_file():
        name = f"{file.stem}-{file_sum(file)[:12]}"
        shutil.rmtree(parent / name, ignore_errors=True)
    return parent / name


def _show_replayed(replayed: "Replayed", folder: Path, packages: Sequence[str]) -> None:
    """Print the tables of a replay, or one of its runs, then the differences and the folders."""
    from remem.reports.terminal.console import table_console
    from remem.tables.terminal_view import for_terminal

    tables = [made.table for made in replayed.tables if made.table is not None]
    console = table_console()
    for table in tables or [_table_of(replayed, folder, packages)]:
        console.print(for_terminal(table, console))
    same = [run for run in replayed.runs if run.outcome == SAME and not run.remark]
    if same:
        runs = "1 run" if len(same) == 1 else f"{len(same)} runs"
        say(f"{runs}, {sum(run.questions for run in same)} records: {SAME}")
    for run in replayed.runs:
        if run not in same:
            say_printable(f"{run.label}: {run.questions} records: {run.outcome}")
            if run.remark:
                say(f"  {printable(run.remark)}")
    for made in replayed.tables:
        how = made.not_compared or f"{SAME}: {', '.join(made.files)}"
        say_printable(f"table {made.name}: {how}")
    pages = sorted((folder / "tables").glob("*/*.html"))
    say(f"Page: {pages[0]}" if pages else f"Runs: {folder / 'runs'}")
    say(f"Next: remem view {folder} (all runs and questions)")


def _table_of(replayed: "Replayed", folder: Path, packages: Sequence[str]) -> "Table":
    from remem.results.run import Run
    from remem.tables.runs_table import table_of_runs

    answered = [run for run in replayed.runs if (folder / run.name).exists()]
    opened = [Run.open(folder / run.name, packages) for run in answered]
    labels = (
        printable(run.label.replace(f" on {opened_run.config.dataset}", ""))
        for run, opened_run in zip(answered, opened, strict=True)
    )
    pairs = list(zip(labels, opened, strict=True))
    return table_of_runs("replayed", "The runs of this bundle, answered again", pairs)
