"""Method calls between the processes of a run, sent over sockets.

A message is a method name and its arguments. Receiving a message takes about a tenth of the time
that a call to a Ray actor would take. Messages are pickles, which can run code when they are
unpickled. Therefore both ends first prove with an HMAC that they know the run's key, and nothing is
unpickled before that. No other module receives pickles.
"""

import logging
import os
import secrets
import socket
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import AuthenticationError
from multiprocessing.connection import (
    Client,
    Connection,
    Listener,
    answer_challenge,
    deliver_challenge,
)
from threading import Thread
from typing import Any

from remem.errors import StopRunError

log = logging.getLogger(__name__)

KEY_BYTES = 32
BACKLOG = 1024
"""Maximum number of waiting connections: the threads of all workers may connect at once."""


@dataclass(frozen=True, slots=True)
class Address:
    """The host and port where a process receives messages, and the key that senders must have."""

    host: str
    port: int
    key: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class _Raised:
    """A reply to a message whose method raised an exception."""

    error: Exception


class MessageServer:
    """Calls the methods of an object for all senders of messages, with a thread per connection.

    The server stops when its process ends.

    Args:
        receiver: The object; its methods must be safe to call from many threads.
        host: The address at which senders can reach this machine.
    """

    def __init__(self, receiver: object, host: str) -> None:
        self._receiver = receiver
        self._listener = Listener((host, 0), backlog=BACKLOG)
        port = self._listener.address[1]
        self.address = Address(host, int(port), secrets.token_bytes(KEY_BYTES))
        Thread(target=self._accept, name="messages", daemon=True).start()

    def _accept(self) -> None:
        try:
            while True:
                connection = self._listener.accept()
                Thread(target=self._serve, args=(connection,), daemon=True).start()
        except OSError as error:
            log.error("no more connections are accepted (%s); is `ulimit -n` too low?", error)
            self._listener.close()  # else workers would wait for a connection forever

    def _serve(self, connection: Connection) -> None:
        """Execute the messages of a connection in order, until its other end is closed."""
        with connection, suppress(EOFError, OSError):
            try:
                deliver_challenge(connection, self.address.key)
                answer_challenge(connection, self.address.key)
            except (AuthenticationError, AssertionError):
                log.warning("a connection without the key of this run was refused")
                return
            _send_at_once(connection)
            while True:
                is_asked, method, arguments = connection.recv()
                result = self._result(method, arguments)
                if is_asked:
                    connection.send(result)

    def _result(self, method: str, arguments: tuple[Any, ...]) -> Any:
        try:
            return getattr(self._receiver, method)(*arguments)
        except Exception as error:  # noqa: BLE001  the sender raises it
            return _Raised(error)


class SocketLine:
    """A connection to a message server, shared by all threads of a process.

    Each thread that waits for a result has its own socket; sockets are reused.
    """

    def __init__(self, address: Address) -> None:
        self._address = address
        self._idle: list[Connection] = []

    def ask(self, method: str, *arguments: Any) -> Any:
        """Call a method and return its result; re-raise its exceptions.

        Raises:
            StopRunError: The other process has ended, or cannot be reached.
        """
        try:
            connection = self._sent(True, method, arguments)
            result = connection.recv()
        except (EOFError, OSError) as error:
            raise StopRunError(
                f"the process that stores calls and vectors at {self._address.host}:"
                f"{self._address.port} cannot be reached ({error or 'it ended'}); if it died, run "
                f"the same command to continue; if not, allow the machines of the cluster to "
                f"connect to each other on any port"
            ) from error
        self._idle.append(connection)
        if isinstance(result, _Raised):
            raise result.error
        return result

    def tell(self, method: str, *arguments: Any) -> None:
        """Call a method without waiting for the result; do nothing if the process has ended."""
        with suppress(OSError):
            self._idle.append(self._sent(False, method, arguments))

    def _sent(self, is_asked: bool, method: str, arguments: tuple[Any, ...]) -> Connection:
        connection = self._connection()
        connection.send((is_asked, method, arguments))
        return connection

    def _connection(self) -> Connection:
        try:
            return self._idle.pop()
        except IndexError:
            at = (self._address.host, self._address.port)
            connection = Client(at, authkey=self._address.key)
            _send_at_once(connection)
            return connection


def _send_at_once(connection: Connection) -> None:
    """Send long messages without waiting 40 ms for the acknowledgement of their length."""
    with socket.socket(fileno=os.dup(connection.fileno())) as same:
        same.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, True)
