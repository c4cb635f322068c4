"""`remem referee import`: answers that other projects published, as runs."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from remem.cli.arguments import Json, complete_override, say_json
from remem.config.override_text import split_overrides
from remem.errors import UsageError
from remem.files.opened import check_inside
from remem.reports.terminal.console import say


def import_(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="FILES... [KEY=VALUE]...",
            help="files of answers, gzipped or not, folders of them, or patterns such as "
            "'answers/*.json'; Hydra overrides, such as paths.results",
            autocompletion=complete_override,
        ),
    ],
    format: Annotated[
        str, typer.Option(help="their format; recognised by their content by default")
    ] = "",
    *,
    dataset: Annotated[
        str, typer.Option(help="the data set they belong to, such as locomo; a file may name it")
    ] = "",
    mapping: Annotated[
        Path | None, typer.Option(help="a YAML that says which key of a row is what, for any file")
    ] = None,
    findings: Annotated[
        bool,
        typer.Option("--findings", help="also rank the systems, and check what was published"),
    ] = False,
    json: Json = False,
) -> None:
    """Turn answers that others published into runs, and check what they published.

    Formats: memory-arena, agent-memory-benchmark, backboard, evermemos, a40-labs, mem0, zep,
    longmemeval, and rows of your own as CSV, JSON Lines or JSON.

    Example: remem referee import answers.csv --findings
    """
    from remem.apps.referee.imports.findings import find
    from remem.apps.referee.imports.importing import import_runs, read_matched
    from remem.apps.referee.imports.mapping import read_mapping
    from remem.apps.referee.imports.output import (
        run_json,
        show_census,
        show_imports,
        show_ranking,
        told_pairs,
    )
    from remem.apps.referee.imports.system_ranking import rankings
    from remem.apps.referee.imports.written_run import origin
    from remem.reports.terminal.console import table_console

    names, overrides = split_overrides(words)
    if not names:
        raise UsageError("no file of answers is named: remem referee import answers.csv")
    files, in_folders = answer_files(names)
    if mapping is not None and format:
        raise UsageError("--format and --mapping exclude each other: leave out one of them")
    chosen = format if mapping is None else read_mapping(mapping)
    read = partial(read_matched, format=chosen, dataset=dataset, overrides=overrides)
    matched = read(files)
    for file, folder in in_folders:
        try:
            if folder is not None:
                check_inside(file, folder)
            matched += read([file])
        except ValueError as error:
            say(f"skipped {file}: {error}", err=True)
    if not matched:
        raise UsageError(f"no answers in {', '.join(names)}")
    ranked = rankings(matched) if findings else ()  # it refuses too many, before a run is written
    runs = import_runs(matched, overrides)
    runs_findings = find(matched) if findings else ()
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
        for sentence in origin(run.matched).sentences():
            say(sentence)
        say(str(run.folder))


def answer_files(names: Sequence[str]) -> tuple[list[Path], list[tuple[Path, Path | None]]]:
    """Return the files that are named, and those of patterns and folders, each with its folder.

    Raises:
        UsageError: A folder has no file, or no file fits a pattern.
    """
    files: list[Path] = []
    in_folders: list[tuple[Path, Path | None]] = []
    for name in names:
        path = Path(name)
        below: list[tuple[Path, Path | None]]
        if path.is_dir():
            below = [(item, path) for item in sorted(path.rglob("*")) if item.is_file()]
        elif any(sign in name for sign in "*?[") and not path.exists():
            fitting = Path(path.anchor).glob(str(path.relative_to(path.anchor)))
            below = [(item, None) for item in sorted(fitting) if item.is_file()]
        else:
            files.append(path)
            continue
        if not below:
            raise UsageError(f"no file of answers in {name}")
        in_folders += below
    return files, in_folders
