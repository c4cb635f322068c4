"""`remem log init`: write a small benchmark for the user to edit."""

from pathlib import Path
from typing import Annotated

import typer

from remem.cli.names import descriptions
from remem.errors import UsageError
from remem.reports.terminal.console import say


def init(
    folder: Annotated[
        Path, typer.Argument(help="the new folder; its name becomes the name of the benchmark")
    ],
) -> None:
    """Create a small benchmark for you to edit: log, questions, dataset, table.

    Example: remem log init my_benchmark
    """
    from remem.apps.own_log.new_benchmark import write_benchmark

    for group in ("dataset", "table"):
        if folder.name in descriptions(group):
            raise UsageError(
                f"{folder.name!r} is already the name of a {group} of remem; choose another name"
            )
    say("Written: " + ", ".join(map(str, write_benchmark(folder))))
    say(f"Try it: remem table {folder.name} --trust-config {folder}")
