"""`remem list`: every name that a command takes."""

from typing import Annotated

import typer

from remem.cli.naming import choices, group_names, one_of
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
) -> None:
    """List every name that a command takes: tables, and the choices of each group.

    Example: remem list method
    """
    for name in [group] if group else group_names():
        entries = choices(name)
        width = max(map(len, entries))
        say(f"{name}=")
        for choice, said in entries.items():
            say(f"  {choice:{width}}  {said}".rstrip())
