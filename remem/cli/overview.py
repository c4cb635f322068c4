"""`remem list`: everything that can be named; `remem doctor`: what this machine has."""

from typing import Annotated

import typer

from remem.cli.naming import choices, group_names, one_of
from remem.reports.terminal.console import say

MARKS = {"ok": "green", "absent": "yellow", "problem": "red"}


def list_names(
    group: Annotated[
        str,
        typer.Argument(
            help="one group of conf/ alone, such as method",
            callback=one_of("group", group_names),
            autocompletion=group_names,
        ),
    ] = "",
) -> None:
    """List everything that can be named: tables, and what each group of conf/ has.

    Example: remem list method
    """
    for name in [group] if group else group_names():
        entries = choices(name)
        width = max(map(len, entries))
        say(f"{name}=")
        for choice, said in entries.items():
            say(f"  {choice:{width}}  {said}".rstrip())


def doctor(
    overrides: Annotated[
        list[str] | None, typer.Argument(help="Hydra overrides; llm= names a model to look at")
    ] = None,
) -> None:
    """Look at Python, extras, GPU, data, disk, key and endpoint, and say how to mend each.

    Example: remem doctor llm=gpt-4.1-mini-2025-04-14
    """
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from remem.benchmarks.files.notes import datasets_folder
    from remem.cli.doctor import examine
    from remem.reports.terminal.table_console import table_console

    findings = list(examine(overrides or [], datasets_folder()))
    shown = Table("", "what", "found", "to mend it", box=box.SIMPLE_HEAD)
    for one in findings:
        state = Text(one.state, style=MARKS[one.state])
        shown.add_row(state, one.what, Text(one.found), Text(one.mend))
    table_console().print(shown)
    problems = [one.what for one in findings if one.state == "problem"]
    if problems:
        raise RuntimeError(f"doctor found a problem with {', '.join(problems)}")
