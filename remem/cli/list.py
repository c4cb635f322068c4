"""`remem list`: every name that a command takes."""

from collections.abc import Iterator, Sequence
from typing import Annotated

import typer

from remem.cli.json_option import Json, say_json
from remem.cli.naming import Choice, group_names, listed, one_of
from remem.reports.terminal.console import say


def list(
    group: Annotated[
        str,
        typer.Argument(
            help="only this group, such as method",
            callback=one_of("group", group_names),
            autocompletion=group_names,
        ),
    ] = "",
    json: Json = False,
) -> None:
    """List every name that a command takes: tables, and the choices of each group.

    A label is what tables show; <planner> in it stands for the name of the planner.

    Example: remem list method
    """
    groups = [group] if group else group_names()
    if json:
        say_json("list", groups=[{"group": name, "choices": listed(name)} for name in groups])
        return
    for name in groups:
        say(f"{name}=")
        for line in _lines(listed(name)):
            say(line)


def _lines(choices: Sequence[Choice]) -> Iterator[str]:
    """Yield a line for each choice: its name, its label if any has one, and what it is."""
    name_width = max(len(choice.name) for choice in choices)
    label_width = max(len(choice.label) for choice in choices)
    for choice in choices:
        label = f"  {choice.label:{label_width}}" if label_width else ""
        yield f"  {choice.name:{name_width}}{label}  {choice.about}".rstrip()
