"""`remem replay`: answer the runs of a bundle again."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from remem.cli.bundle_output import File, printable, say_licences, say_printable
from remem.cli.naming import Packages
from remem.reports.terminal.console import safe_console


def replay(
    file: File,
    results: Annotated[
        Path | None,
        typer.Option(help="an empty folder to store the runs in; a temporary one by default"),
    ] = None,
    package: Packages = None,
) -> None:
    """Answer the runs of a bundle again from its replies and your data.

    Nothing is sent to a model.

    Example: REMEM_DATA=/data/memory remem replay table1.remem
    """
    from remem.benchmarks.files.notes import data_folder
    from remem.bundle.replay import replay as replay_bundle
    from remem.reports.html import table_files
    from remem.reports.terminal.progress import ProgressView

    view = ProgressView(safe_console(stderr=True), None)
    with TemporaryDirectory(prefix="remem-replay-") as temporary:
        found = replay_bundle(
            file,
            data_folder(),
            results or Path(temporary) / "results",
            lambda label, price: view(printable(label), price),
            package or (),
            files=table_files,
        )
    for run in found.runs:
        say_printable(f"{run.label}: {run.questions} records: {run.outcome}")
        if run.remark:
            say_printable(f"  {run.remark}")
    for table in found.tables:
        how = table.not_compared or f"same result: {', '.join(table.files)}"
        say_printable(f"table {table.name}: {how}")
    say_licences(found.verified.index.note, found.verified.index.licences)
