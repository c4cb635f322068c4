"""The option `--json`: the result as one JSON object on stdout; progress stays on stderr."""

from typing import Annotated, Any

import typer

from remem.reports.terminal.console import say

Json = Annotated[
    bool, typer.Option("--json", help="print the result as one JSON object, for other programs")
]


def say_json(command: str, **parts: Any) -> None:
    """Print the result of a command as one JSON object."""
    from remem.reports.terminal.json_output import as_json

    say(as_json(command, parts))
