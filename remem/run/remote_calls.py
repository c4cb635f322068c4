"""Clients through which a worker uses the stores, limiter and budget of the keepers."""

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from remem.errors import StopRunError
from remem.llm.call_store import NOTHING, Outcome, Received, Sent
from remem.llm.limiter import Admission
from remem.llm.vector_store import EmbeddingCall
from remem.protocols import ChatReply, Vectors
from remem.run.keepers import WAITING, VectorsOf
from remem.types import Usage


class KeeperLine(Protocol):
    """A connection to a keeper, shared by all threads of a worker.

    A message that a thread sends after a `tell` may be executed before that `tell`. A message after
    an `ask` is always executed after it.
    """

    def ask(self, method: str, *arguments: Any) -> Any:
        """Call a method of the keeper and return its result; re-raise its exceptions."""

    def tell(self, method: str, *arguments: Any) -> None:
        """Call a method of the keeper without waiting for the result."""


@dataclass(frozen=True, slots=True)
class Lines:
    """A worker's connections: to the keeper of calls and to the keeper of vectors."""

    calls: KeeperLine
    vectors: KeeperLine


class RemoteBooks:
    """The keeper's call store, budget, locks and limiter.

    Messages that need no result are sent together with the thread's next message.

    Args:
        line: The connection to the keeper.
        path: The path of the call store on the keeper's machine.
        worker: The name under which the keeper records locks and reservations; set per history.
    """

    def __init__(self, line: KeeperLine, path: Path, worker: str = "") -> None:
        self.path = path
        self.worker = worker
        self._line = line
        self._mine = threading.local()  # a thread makes one call at a time

    @contextmanager
    def locked(self, key: str) -> Iterator[None]:
        """Hold the lock of a call during the block."""
        number, self._mine.found = self._ask("hold", self.worker, key)
        try:
            yield
        finally:
            self._later("release", self.worker, number)
            self._send_what_is_left()

    def received(self, key: str) -> Received | None:
        """Return the first stored reply to a locked call, whatever its outcome."""
        reply: Received | None = self._mine.found
        return reply

    def keep_reply(self, sent: Sent, reply: ChatReply) -> Received:
        """Store a reply and return the first stored reply to this call, which is the one to use."""
        stored: Received = self._ask("keep_reply", sent, reply)
        return stored

    def keep_error(
        self, sent: Sent, error: str, response: str = "", usage: Usage = NOTHING
    ) -> None:
        """Record that a call got no usable reply."""
        self._ask("keep_error", sent, error, response, usage)

    def mark(self, received: Received, outcome: Outcome, error: str = "") -> None:
        """Record the outcome of a reply."""
        self._ask("mark", received, outcome, error)

    def reserve(self, most: Usage) -> float:
        """Reserve the maximum cost of a call and return it in dollars."""
        self._mine.reserved, dollars = self._ask("reserve", self.worker, most)
        return float(dollars)

    def settle(self, reserved: float, usage: Usage) -> None:
        """Replace the amount reserved for a call by its actual cost."""
        self._later("settle", self.worker, self._mine.reserved, usage)

    @contextmanager
    def admitted(self, tokens: int) -> Iterator[Admission]:
        """Wait until a call of this many tokens may be sent; count it during the block."""
        number, waited = self._ask("admit", self.worker, tokens)
        admission = Admission(tokens, begun=0.0, waited_seconds=waited, counted=0)
        try:
            yield admission
        finally:
            self._later("leave", self.worker, number, admission.tokens)

    def pause(self, seconds: float) -> None:
        """Pause all calls for this many seconds."""
        self._ask("pause", seconds)  # otherwise the refused call might be sent again before it

    def sleep(self, seconds: float) -> None:
        """Wait for this many seconds, or until the run is stopped."""
        self._ask("sleep", seconds)

    def stop(self, reason: StopRunError) -> None:
        """Make all further calls fail with this error."""
        self._line.tell("stop", reason)

    def _ask(self, method: str, *arguments: Any) -> Any:
        if method in WAITING:  # it might wait for a message sent along with it
            self._send_what_is_left()
        before = self._calls_to_send()
        self._mine.left = []
        message = (method, *arguments)
        return self._line.ask("all_of", [*before, message]) if before else self._line.ask(*message)

    def _later(self, *message: Any) -> None:
        self._mine.left = [*self._calls_to_send(), message]

    def _send_what_is_left(self) -> None:
        if self._calls_to_send():
            self._line.tell("all_of", self._calls_to_send())
            self._mine.left = []

    def _calls_to_send(self) -> list[Sequence[Any]]:
        left: list[Sequence[Any]] = getattr(self._mine, "left", [])
        return left


class RemoteVectors:
    """The vectors of one model; the keeper stores them."""

    def __init__(self, line: KeeperLine, of: VectorsOf) -> None:
        self._line = line
        self._of = of

    def get_many(self, keys: Sequence[str]) -> dict[str, Vectors]:
        """Return the stored vectors of these keys; keys without a vector are left out."""
        stored, block = self._line.ask("get_vectors", self._of, keys)
        return dict(zip(stored, block, strict=True))

    def put_many(self, vectors: Mapping[str, Vectors]) -> None:
        """Store the vector of each key; all vectors are on disk when this method returns."""
        if vectors:
            self._line.ask("put_vectors", self._of, list(vectors), np.stack(list(vectors.values())))


class RemoteEmbeddingCalls:
    """The keeper's log of embedding requests."""

    def __init__(self, line: KeeperLine, store: str) -> None:
        self._line = line
        self._store = store

    def add(self, call: EmbeddingCall) -> None:
        """Record one request with its usage."""
        self._line.ask("add_embedding_call", self._store, call)
