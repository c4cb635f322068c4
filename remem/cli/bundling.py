"""`remem bundle`, `replay` and `verify`: runs in one file, which others check without a key."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from remem.cli.naming import Packages
from remem.config.suggestions import did_you_mean
from remem.reports.terminal.console import safe_console, say

File = Annotated[Path, typer.Argument(help="a bundle")]


def bundle(  # noqa: PLR0917  each is an option of the command line
    names: Annotated[list[str], typer.Argument(help="folders of runs, or names of tables")],
    out: Annotated[Path, typer.Option(help="the file to write")],
    override: Annotated[
        list[str] | None,
        typer.Option(help="a Hydra override that the tables were made with, repeatable"),
    ] = None,
    with_text: Annotated[
        bool, typer.Option(help="put questions, golds and answers in: mind the licences")
    ] = False,
    allow_stub: Annotated[
        bool, typer.Option(help="pack runs that a loopback stub has answered")
    ] = False,
    package: Packages = None,
) -> None:
    """Pack runs with the replies and vectors they need; each is replayed first.

    A table is packed with all its runs that there are.

    Example: remem bundle recollection --out table3.remem
    """
    from remem.bundle.pack import pack
    from remem.bundle.tables import WantedTable, known_tables
    from remem.config.instantiation import UsageError
    from remem.llm.endpoint import STUB
    from remem.reports.html import table_files
    from remem.reports.terminal.progress import show_progress
    from remem.run.store import MANIFEST

    folders = [Path(name) for name in names if (Path(name) / MANIFEST).exists()]
    tables = [name for name in names if Path(name) not in folders]
    unknown = [name for name in tables if name not in known_tables()]
    if unknown:
        raise UsageError(
            f"{unknown[0]}: is it a run? It is no folder with {MANIFEST}, and no table: known are "
            f"{', '.join(known_tables())}{did_you_mean(unknown[0], known_tables())}"
        )
    if override and not tables:
        raise UsageError("--override is for tables: a run knows what it was made with")
    # remem table --allow-stub makes another table, too
    stubbed = (f"llm={STUB}", f"embedder={STUB}") if allow_stub else ()
    console = safe_console(stderr=True)
    packed = pack(
        folders,
        out,
        lambda label: show_progress(console, f"{label}: replayed"),
        files=table_files,
        tables=[WantedTable(name, (*(override or ()), *stubbed)) for name in tables],
        packages=package or (),
        with_text=with_text,
        allow_stub=allow_stub,
    )
    say(f"Written: {packed.path} ({packed.bytes / 1e6:.1f} MB), sha256 {packed.sha256}")
    _say(packed.index.note, packed.index.licences)


def replay(
    file: File,
    data: Annotated[
        Path | None, typer.Option(help="the folder of the data sets; REMEM_DATA by default")
    ] = None,
    results: Annotated[
        Path | None, typer.Option(help="an empty folder in which the runs are kept")
    ] = None,
    package: Packages = None,
) -> None:
    """Answer the runs of a bundle again, from its replies and your data; nothing is sent.

    Example: REMEM_DATA=/data/memory remem replay table1.remem
    """
    from remem.benchmarks.files.notes import data_folder
    from remem.bundle.replay import replay as replay_bundle
    from remem.reports.html import table_files
    from remem.reports.terminal.progress import show_progress

    console = safe_console(stderr=True)
    with TemporaryDirectory(prefix="remem-replay-") as temporary:
        found = replay_bundle(
            file,
            data or data_folder(),
            results or Path(temporary) / "results",
            lambda label: show_progress(console, _printable(label)),
            package or (),
            files=table_files,
        )
    for run in found.runs:
        _tell(f"{run.label}: {run.questions} records: {run.outcome}")
        if run.remark:
            _tell(f"  {run.remark}")
    for table in found.tables:
        how = table.lacking or f"the same again: {', '.join(table.files)}"
        _tell(f"table {table.name}: {how}")
    _say(found.verified.index.note, found.verified.index.licences)


def verify(file: File) -> None:
    """Check a bundle's sums and score its runs again; no data is needed.

    Example: remem verify table1.remem
    """
    from remem.bundle.verify import verify as verify_bundle

    found = verify_bundle(file)
    for label in found.runs:
        _tell(f"{label}: the scores follow from those of its questions")
    say(
        f"Whole: {file}, {len(found.index.entries)} entries, {found.questions} questions, "
        f"{found.calls} calls, {found.vectors} vectors; sha256 {found.sha256}"
    )
    _say(found.index.note, found.index.licences)


def _say(note: str, licences: tuple[str, ...]) -> None:
    _tell(note)
    for licence in licences:
        _tell(f"  {licence}")


def _tell(text: str) -> None:
    say(_printable(text))


def _printable(text: str) -> str:
    """Leave out what steers a terminal: a stranger may have written it."""
    return "".join(character if character.isprintable() else "?" for character in text)
