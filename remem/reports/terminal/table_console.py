"""A console that is wide enough for a table."""

from rich.console import Console

from remem.reports.terminal.console import safe_console

LOG_WIDTH = 140
"""Characters in a line of a plain log, where no terminal tells its width."""


def table_console() -> Console:
    """Return a console wide enough for a table, whatever it is printed to."""
    console = safe_console()
    return console if console.is_terminal else safe_console(width=LOG_WIDTH)
