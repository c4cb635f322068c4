"""Read the files of published answers that are named in the arguments of a command."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from remem.cli.arguments import complete_override
from remem.config.override_text import split_overrides
from remem.errors import UsageError
from remem.files.opened import check_inside
from remem.reports.terminal.console import say

if TYPE_CHECKING:
    from remem.apps.referee.imports.matched import MatchedAnswers

Words = Annotated[
    list[str],
    typer.Argument(
        metavar="FILES... [KEY=VALUE]...",
        help="files of answers (gzipped ones too), folders with such files, or patterns such as "
        "'answers/*.json'; then Hydra overrides, such as paths.results=results",
        autocompletion=complete_override,
    ),
]
Format = Annotated[
    str, typer.Option(help="format of the files (default: recognised from their content)")
]
DataSet = Annotated[
    str, typer.Option(help="data set of the answers, such as locomo, if the files do not name it")
]
Mapping = Annotated[
    Path | None,
    typer.Option(help="for files in other formats: a YAML file that says what each key means"),
]


def read_named(
    command: str, words: Sequence[str], format: str, dataset: str, mapping: Path | None
) -> tuple[list["MatchedAnswers"], list[str]]:
    """Return the answers in the files named by `words`, and the overrides among `words`.

    Raises:
        UsageError: No file is named, no file has answers, or both a format and a mapping are given.
        ValueError: A file that is named directly, not by a pattern or folder, cannot be read.
    """
    from remem.apps.referee.imports.importing import read_matched
    from remem.apps.referee.imports.known_questions import DataSets
    from remem.apps.referee.imports.mapping import read_mapping

    names, overrides = split_overrides(words)
    if not names:
        raise UsageError(
            f"no file of answers is given; name at least one, as in: remem {command} answers.csv"
        )
    files, in_folders = _files(names)
    if mapping is not None and format:
        raise UsageError("--format and --mapping cannot be used together: leave out one of them")
    chosen = format if mapping is None else read_mapping(mapping)
    data_sets = DataSets(overrides)
    read = partial(read_matched, format=chosen, dataset=dataset, data_sets=data_sets)
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
    return matched, overrides


def _files(names: Sequence[str]) -> tuple[list[Path], list[tuple[Path, Path | None]]]:
    """Return the files named directly, and those found by pattern or in folders, with the folder.

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
