"""Safe output to the terminal.

All output passes through this module because data and model replies may contain escape sequences,
which can clear a screen, forge lines and write to the clipboard.
"""

import logging
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import typer

from remem.files.plain_text import inert
from remem.files.secret_values import without_secrets

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions
    from rich.segment import Segment


def say(text: str, *, err: bool = False) -> None:
    """Print one line with its control characters made visible.

    Args:
        text: The line.
        err: Print to stderr, with secrets masked: a message may quote a stranger's file.
    """
    typer.echo(inert(without_secrets(text) if err else text), err=err)


def safe_console(**settings: Any) -> "Console":
    """Return a rich console that keeps its own styles and bars but neutralizes escape sequences."""
    from rich.console import Console, RenderHook

    class InertOutput(RenderHook):
        """A rich hook that makes everything printed safe."""

        def process_renderables(self, renderables: list[Any]) -> list[Any]:
            """Wrap each renderable so that its text is safe to print."""
            return [_Inert(renderable) for renderable in renderables]

    console = Console(**settings)
    console.push_render_hook(InertOutput())
    return console


class InertRecord(logging.LogRecord):
    """A log record whose message is safe to print, because it may quote data."""

    def getMessage(self) -> str:  # noqa: N802  (the standard library's name)
        """Return the message without active escape sequences."""
        return inert(without_secrets(super().getMessage()))


@dataclass(frozen=True, slots=True)
class _Inert:
    shown: Any

    def __rich_console__(
        self, console: "Console", options: "ConsoleOptions"
    ) -> "Iterator[Segment]":
        from rich.segment import Segment

        for part in console.render(self.shown, options):
            yield part if part.control else Segment(inert(part.text), part.style)


LOG_WIDTH = 140
"""Line width in characters if the output is not a terminal and COLUMNS is not set."""


def table_console() -> "Console":
    """Return a console that is wide enough for a table, even if the output is not a terminal."""
    console = safe_console()
    if console.is_terminal:
        return console
    columns = os.environ.get("COLUMNS", "")
    return safe_console(width=(int(columns) if columns.isdigit() else 0) or LOG_WIDTH)
