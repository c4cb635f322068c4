"""Shared code of the commands that serve until Ctrl-C."""

import threading
from contextlib import AbstractContextManager, suppress

from remem.reports.terminal.console import say


def serve_until_interrupt(server: AbstractContextManager[object], message: str) -> None:
    """Serve until Ctrl-C, which stops a server and is not an error."""
    with server, suppress(KeyboardInterrupt):
        say(f"{message} (press Ctrl-C to stop)")
        threading.Event().wait()
