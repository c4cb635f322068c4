"""`remem referee import`: answers that other projects published, as runs."""

from pathlib import Path
from typing import Annotated

import typer

from remem.cli.arguments import Json, complete_override, say_json
from remem.config.override_text import split_overrides
from remem.errors import UsageError
from remem.reports.terminal.console import say


def import_(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="FILES... [KEY=VALUE]...",
            help="files of answers, gzipped or not; Hydra overrides, such as paths.results",
            autocompletion=complete_override,
        ),
    ],
    format: Annotated[
        str, typer.Option(help="their format; recognised by their content by default")
    ] = "",
    dataset: Annotated[
        str, typer.Option(help="the data set they belong to, such as locomo; a file may name it")
    ] = "",
    findings: Annotated[
        bool,
        typer.Option("--findings", help="also rank the systems, and check what was published"),
    ] = False,
    json: Json = False,
) -> None:
    """Turn answers that others published into runs, and check what they published.

    Formats: memory-arena, agent-memory-benchmark, mem0, zep, longmemeval, and rows of your own as
    CSV, JSON Lines or JSON.

    Example: remem referee import answers.csv --findings
    """
    from remem.apps.referee.imports.findings import find
    from remem.apps.referee.imports.importing import import_runs, read_matched
    from remem.apps.referee.imports.output import (
        run_json,
        show_census,
        show_imports,
        show_ranking,
        told_pairs,
    )
    from remem.apps.referee.imports.system_ranking import rankings
    from remem.reports.terminal.console import table_console

    names, overrides = split_overrides(words)
    if not names:
        raise UsageError("no file of answers is named: remem referee import answers.csv")
    files = [Path(name) for name in names]
    matched = read_matched(files, format=format, dataset=dataset, overrides=overrides)
    runs = import_runs(matched, overrides)
    runs_findings = find(matched) if findings else ()
    ranked = rankings(matched) if findings else ()
    if json:
        say_json(
            "referee import", runs=map(run_json, runs), findings=runs_findings, rankings=ranked
        )
        return
    console = table_console()
    console.print(show_imports(runs))
    console.print(show_census(runs))
    for ranking in ranked:
        console.print(show_ranking(ranking))
        say(told_pairs(ranking))
    for finding in runs_findings:
        say(f"{finding.check}: {finding.text}")
    for run in runs:
        say(str(run.folder))
