"""A console that is wide enough for tables."""

import os

from rich.console import Console

from remem.reports.terminal.console import safe_console

LOG_WIDTH = 140
"""Line width in characters if the output is not a terminal and COLUMNS is not set."""


def table_console() -> Console:
    """Return a console that is wide enough for a table, even if the output is not a terminal."""
    console = safe_console()
    if console.is_terminal:
        return console
    columns = os.environ.get("COLUMNS", "")
    return safe_console(width=(int(columns) if columns.isdigit() else 0) or LOG_WIDTH)
