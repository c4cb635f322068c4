"""`remem fetch`: download data sets."""

from typing import Annotated

import typer

from remem.cli.naming import dataset_names, one_of
from remem.reports.terminal.console import safe_console


def fetch(
    name: Annotated[
        list[str] | None,
        typer.Argument(
            help="datasets; all by default",
            callback=one_of("dataset", dataset_names),
            autocompletion=dataset_names,
        ),
    ] = None,
) -> None:
    """Download missing data files into REMEM_DATA and verify their checksums.

    Example: REMEM_DATA=/data/memory remem fetch locomo realtalk
    """
    from remem.benchmarks.files.fetch import choose_sets, fetch_sets
    from remem.benchmarks.files.notes import data_folder, datasets_folder, read_notes

    chosen = choose_sets(read_notes(datasets_folder()), name or [])
    fetch_sets(chosen, data_folder(), safe_console(soft_wrap=True))
