"""`remem log init`: write a small benchmark for the user to edit."""

import re
from pathlib import Path
from string import Template
from typing import Annotated

import typer

from remem.cli.names import descriptions
from remem.errors import UsageError
from remem.files.disk import write_whole
from remem.files.opened import read_text
from remem.reports.terminal.console import say

TEMPLATE = Path(__file__).with_name("template")
PLACES = {"dataset.yaml": "dataset/{}.yaml", "table.yaml": "table/{}.yaml"}
"""Where a file of the template is written, if it is not at the top of the folder."""
NAME = re.compile(r"[A-Za-z][\w-]*", re.ASCII)
PLAIN_PATH = re.compile(r"[\w./-]+")
"""A path that needs no quotes, neither in YAML nor in a shell."""


def write_benchmark(folder: Path) -> tuple[Path, ...]:
    """Write the files of a benchmark into a new folder and return their paths.

    Args:
        folder: The folder; its name is the name of the data set and of the table.

    Raises:
        UsageError: The folder's name is not valid for a data set, or the folder already has files.
    """
    name = folder.name
    if not NAME.fullmatch(name) or not PLAIN_PATH.fullmatch(folder.as_posix()):
        raise UsageError(
            f"{str(folder)!r} is not a valid name for a benchmark; use letters, digits, _ and -, "
            f"and begin "
            f"with a letter, as in my_benchmark"
        )
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} exists and is not an empty folder; choose another name")
    written = []
    for source in sorted(TEMPLATE.iterdir()):
        path = folder / PLACES.get(source.name, source.name).format(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        text = Template(read_text(source))
        write_whole(path, text.substitute(name=name, folder=folder.as_posix()).encode())
        written.append(path)
    return tuple(written)


def init(
    folder: Annotated[
        Path, typer.Argument(help="the new folder; its name becomes the name of the benchmark")
    ],
) -> None:
    """Create a small benchmark for you to edit: log, questions, dataset, table.

    Example: remem log init my_benchmark
    """
    for group in ("dataset", "table"):
        if folder.name in descriptions(group):
            raise UsageError(
                f"{folder.name!r} is already the name of a {group} of remem; choose another name"
            )
    say("Written: " + ", ".join(map(str, write_benchmark(folder))))
    say(f"Try it: remem table {folder.name} --trust-config {folder}")
