"""Several clients of one endpoint, each shared by some of the threads.

At every call the pool of an HTTP client scans all its connections while other threads wait. With
hundreds of calls in flight, this takes longer than the rest of a call.
"""

import threading
from collections.abc import Callable
from typing import Any

CLIENTS = 16


class ThreadClients:
    """Assigns each thread a permanent client; a single thread creates only one client."""

    def __init__(self, connect: Callable[[], Any]) -> None:
        self._connect = connect
        self._lock = threading.Lock()
        self._clients: list[Any] = []
        self._threads = 0
        self._of_thread = threading.local()

    def mine(self) -> Any:
        """Return the client of the current thread."""
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
