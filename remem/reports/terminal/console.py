"""All that is printed goes through here: data and models may send characters that steer a terminal.

Escape sequences can clear a screen, forge lines and write to the clipboard.
"""

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import typer

from remem.files.plain_text import inert

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions
    from rich.segment import Segment


def say(text: str, *, err: bool = False) -> None:
    """Print a line."""
    typer.echo(inert(text), err=err)


def safe_console(**settings: Any) -> "Console":
    """Return rich's console, whose output is inert but for the styles and bars of its own."""
    from rich.console import Console, RenderHook

    class InertOutput(RenderHook):
        """Wraps whatever a console is to print."""

        def process_renderables(self, renderables: list[Any]) -> list[Any]:
            """Return the same with inert text."""
            return [_Inert(renderable) for renderable in renderables]

    console = Console(**settings)
    console.push_render_hook(InertOutput())
    return console


class InertRecord(logging.LogRecord):
    """A line of the log, which may quote data."""

    def getMessage(self) -> str:  # noqa: N802  (the standard library's name)
        """Return the message."""
        return inert(super().getMessage())


@dataclass(frozen=True, slots=True)
class _Inert:
    shown: Any

    def __rich_console__(
        self, console: "Console", options: "ConsoleOptions"
    ) -> "Iterator[Segment]":
        from rich.segment import Segment

        for part in console.render(self.shown, options):
            yield part if part.control else Segment(inert(part.text), part.style)
