"""The HTTP server of this package: one thread per connection, on the loopback interface only."""

import errno
import logging
import socket
import sys
import threading
from contextlib import suppress
from functools import partial
from socketserver import ThreadingTCPServer
from types import TracebackType
from typing import Any, Self

from remem.errors import UsageError
from remem.serve.http_handler import HttpHandler, Routes

log = logging.getLogger(__name__)

HOST = "127.0.0.1"
MAX_BODY_BYTES = 32 * 1024 * 1024
POLL_SECONDS = 0.01
STOP_SECONDS = 5.0


class LoopbackServer:
    """Serves routes, from `start` (or the beginning of `with`) until `stop`.

    Args:
        routes: The routes by method and path.
        port: The port; 0 chooses a free one.
        max_body_bytes: The largest accepted body, in bytes.
        token: The API key that requests must send; None accepts all requests.

    Raises:
        UsageError: The port is taken.
    """

    def __init__(
        self,
        routes: Routes,
        *,
        port: int = 0,
        max_body_bytes: int = MAX_BODY_BYTES,
        token: str | None = None,
    ) -> None:
        handler = partial(HttpHandler, routes=routes, max_body_bytes=max_body_bytes, token=token)
        try:
            self._server = _ThreadingServer((HOST, port), handler)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
            raise UsageError(
                f"port {port} is taken by another program; choose another port, or let --port 0 "
                f"choose a free one"
            ) from error
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(POLL_SECONDS,), daemon=True, name="serve"
        )

    @property
    def url(self) -> str:
        """Return the address, without a slash at its end."""
        return f"http://{HOST}:{self._server.server_address[1]}"

    def start(self) -> None:
        """Start to answer requests."""
        self._thread.start()

    def stop(self) -> None:
        """Stop listening, close the connections and wait for requests in progress."""
        if self._thread.is_alive():
            self._server.shutdown()
            self._thread.join()
        self._server.server_close()
        self._server.cut_connections(STOP_SECONDS)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()


class _ThreadingServer(ThreadingTCPServer):
    """A server that tracks its open connections, so that they can be closed when it stops."""

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 1024  # 512 clients connect at once

    def __init__(self, address: tuple[str, int], handler: Any) -> None:
        self._open: set[socket.socket] = set()
        self._changed = threading.Condition()
        super().__init__(address, handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Record the connection, then handle it in a thread."""
        with self._changed:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """Close the connection and remove its record."""
        super().shutdown_request(request)
        with self._changed:
            self._open.discard(request)
            self._changed.notify_all()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Log an error of a connection; usually, the client has closed the connection."""
        if isinstance(sys.exception(), OSError):
            log.debug("the connection of %s ended", client_address, exc_info=True)
        else:
            log.error("the connection of %s failed", client_address, exc_info=True)

    def cut_connections(self, seconds: float) -> None:
        """Close all open connections; wait at most `seconds` for their threads to end."""
        with self._changed:
            for connection in self._open:
                with suppress(OSError):  # the client was faster
                    connection.shutdown(socket.SHUT_RDWR)
            self._changed.wait_for(lambda: not self._open, seconds)
