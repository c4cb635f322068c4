"""Several clients of one endpoint, each for some of the threads.

At every call the pool of an HTTP client looks through all of its connections, and its threads wait
for one another meanwhile: with hundreds in flight that costs more than all else of a call.
"""

import threading
from collections.abc import Callable
from typing import Any

CLIENTS = 16


class ThreadClients:
    """Gives each thread a client for good; one that is alone makes no more than one."""

    def __init__(self, connect: Callable[[], Any]) -> None:
        self._connect = connect
        self._lock = threading.Lock()
        self._clients: list[Any] = []
        self._threads = 0
        self._of_thread = threading.local()

    def mine(self) -> Any:
        """Return the client of the thread that asks."""
        client = getattr(self._of_thread, "client", None)
        if client is None:
            client = self._of_thread.client = self._next()
        return client

    def _next(self) -> Any:
        with self._lock:
            turn = self._threads % CLIENTS
            if turn == len(self._clients):
                self._clients.append(self._connect())
            self._threads += 1
            return self._clients[turn]
