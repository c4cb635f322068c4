"""A console that is wide enough for tables."""

from rich.console import Console

from remem.reports.terminal.console import safe_console

LOG_WIDTH = 140
"""Line width in characters if the output is not a terminal."""


def table_console() -> Console:
    """Return a console that is wide enough for a table, even if the output is not a terminal."""
    console = safe_console()
    return console if console.is_terminal else safe_console(width=LOG_WIDTH)
