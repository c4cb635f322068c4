"""Safe output to the terminal.

All output passes through this module because data and model replies may contain escape sequences,
which can clear the screen, forge lines and write to the clipboard.
"""

import logging
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from traceback import format_exception
from typing import TYPE_CHECKING, Any

import typer

from remem.files.plain_text import inert
from remem.files.secret_values import without_secrets

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions
    from rich.segment import Segment


def say(text: str, *, err: bool = False) -> None:
    """Print a text without control characters.

    Args:
        text: The text to print.
        err: Whether to print to stderr, as a message without secrets (see `as_message`).
    """
    typer.echo(as_message(text) if err else inert(text), err=err)


def as_message(text: str) -> str:
    r"""Return a message without secrets and control characters; indent all lines but the first.

    >>> as_message("no run a\x1b[2J\nremem: all is well")
    'no run a[2J\n  remem: all is well'
    """
    return re.sub(r"\n(?=\S)", "\n  ", inert(without_secrets(text)))


def safe_console(**settings: Any) -> "Console":
    """Return a rich console that neutralises all escape sequences but those that it adds itself."""
    from rich.console import Console, RenderHook

    class InertOutput(RenderHook):
        """A rich hook that makes all printed text safe."""

        def process_renderables(self, renderables: list[Any]) -> list[Any]:
            """Wrap each renderable so that its text is safe to print."""
            return [_Inert(renderable) for renderable in renderables]

    console = Console(**settings)
    console.push_render_hook(InertOutput())
    return console


class InertRecord(logging.LogRecord):
    """A log record that is safe to print, although its message and traceback may quote data."""

    def __init__(self, *parts: Any, **named: Any) -> None:
        super().__init__(*parts, **named)
        if self.exc_info:
            self.exc_text = as_message("".join(format_exception(*self.exc_info)).rstrip())

    def getMessage(self) -> str:  # noqa: N802  (the standard library's name)
        """Return the message as `say` prints it."""
        return as_message(super().getMessage())


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
