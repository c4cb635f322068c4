"""What `remem bundle`, `replay` and `verify` print; a stranger may have written the bundle."""

from pathlib import Path
from typing import Annotated

import typer

from remem.reports.terminal.console import say

File = Annotated[Path, typer.Argument(help="a bundle file")]


def say_licences(note: str, licences: tuple[str, ...]) -> None:
    """Print the note of a bundle, and the licences of its data."""
    say_printable(note)
    for licence in licences:
        say_printable(f"  {licence}")


def say_printable(text: str) -> None:
    """Print text of a bundle."""
    say(printable(text))


def printable(text: str) -> str:
    """Replace the characters that steer a terminal."""
    return "".join(character if character.isprintable() else "?" for character in text)
