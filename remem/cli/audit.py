"""`remem audit`: check the data files."""

from pathlib import Path
from typing import Annotated

import typer


def audit(
    json: Annotated[Path | None, typer.Option(help="also write the rows to this JSON file")] = None,
) -> None:
    """Check the data files: their checksums, and what the loaders find in them.

    Example: REMEM_DATA=/data/memory remem audit --json audit.json
    """
    from remem.benchmarks.files.audit import VerificationFailedError, audit_all
    from remem.benchmarks.files.audit_report import show, write_json
    from remem.benchmarks.files.notes import data_folder, datasets_folder, read_notes
    from remem.reports.terminal.table_console import table_console

    rows = list(audit_all(read_notes(datasets_folder()), data_folder()))
    show(rows, table_console())
    if json is not None:
        write_json(rows, json)
    failed = sum(row.failed for row in rows)
    if failed:
        raise VerificationFailedError(f"{failed} of {len(rows)} rows of the audit failed")
