"""`remem audit`: check the data files."""

from pathlib import Path
from typing import Annotated

import typer

from remem.cli.naming import dataset_names


def audit(
    name: Annotated[
        list[str] | None,
        typer.Argument(
            help="datasets, as personamem or dataset=personamem; all by default",
            autocompletion=dataset_names,
        ),
    ] = None,
    json: Annotated[Path | None, typer.Option(help="also write the rows to this JSON file")] = None,
) -> None:
    """Check the data files: their checksums, what loaders find, and known flaws.

    Example: REMEM_DATA=/data/memory remem audit locomo realtalk --json audit.json
    """
    from remem.benchmarks.files.audit import audit_all
    from remem.benchmarks.files.audit_report import show, write_json
    from remem.benchmarks.files.fetch import choose_sets
    from remem.benchmarks.files.notes import data_folder, datasets_folder, read_notes
    from remem.errors import VerificationFailedError
    from remem.reports.terminal.table_console import table_console

    names = [asked.removeprefix("dataset=") for asked in name or []]
    chosen = choose_sets(read_notes(datasets_folder()), names)
    rows = list(audit_all(chosen, data_folder()))
    show(rows, table_console())
    if json is not None:
        write_json(rows, json)
    failed = sum(row.failed for row in rows)
    if failed:
        raise VerificationFailedError(f"{failed} of {len(rows)} rows of the audit failed")
