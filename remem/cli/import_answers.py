"""`remem import`: answers that other projects published, as runs."""

from pathlib import Path
from typing import Annotated

import typer

from remem.cli.json_option import Json, say_json
from remem.reports.terminal.console import say


def import_answers(
    files: Annotated[list[Path], typer.Argument(help="files of answers, gzipped or not")],
    format: Annotated[
        str, typer.Option(help="their format; recognised by their content by default")
    ] = "",
    dataset: Annotated[
        str, typer.Option(help="the data set they belong to, such as locomo; a file may name it")
    ] = "",
    override: Annotated[
        list[str] | None, typer.Option(help="a Hydra override, such as paths.results; repeatable")
    ] = None,
    json: Json = False,
) -> None:
    """Turn answers that others published into runs, and check what they published.

    Formats: memory-arena, agent-memory-benchmark, mem0, zep, longmemeval, and rows of your own as
    CSV, JSON Lines or JSON.

    Example: remem import answers.csv
    """
    from remem.imports.importing import import_runs, read_matched
    from remem.reports.json_imports import import_output
    from remem.reports.terminal.imports import show_imports
    from remem.reports.terminal.table_console import table_console

    overrides = override or []
    matched = read_matched(files, format=format, dataset=dataset, overrides=overrides)
    runs = import_runs(matched, overrides)
    if json:
        say_json(import_output(runs))
        return
    table_console().print(show_imports(runs))
    for run in runs:
        say(str(run.folder))
