"""The calls of a run as a worker sees them: what the keeper keeps, behind the usual interfaces."""

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from remem.llm.call_store import NOTHING, Outcome, Received, Sent
from remem.llm.embedding_calls import EmbeddingCall
from remem.llm.limiter import Admission
from remem.protocols import ChatReply, StopRunError, Vectors
from remem.run.call_keeper import WAITING, VectorsOf
from remem.types import Usage


class Line(Protocol):
    """A line to the keeper, for all threads of a worker."""

    def ask(self, method: str, *arguments: Any) -> Any:
        """Have the keeper do something and return what it returns; what it raises is raised."""

    def tell(self, method: str, *arguments: Any) -> None:
        """Have the keeper do something, and do not wait for it."""


class RemoteBooks:
    """Call store, budget, locks and limiter of the keeper.

    What need not be waited for goes along with the thread's next message.

    Args:
        line: Leads to it.
        path: Where the store lies there.
        worker: Under whose name it notes what is held; set anew for each history.
    """

    def __init__(self, line: Line, path: Path, worker: str = "") -> None:
        self.path = path
        self.worker = worker
        self._line = line
        self._mine = threading.local()  # a thread makes one call at a time

    @contextmanager
    def held(self, key: str) -> Iterator[None]:
        """Hold the lock of a call."""
        number, self._mine.found = self._ask("hold", self.worker, key)
        try:
            yield
        finally:
            self._later("release", self.worker, number)
            self._send_what_is_left()

    def received(self, key: str) -> Received | None:
        """Return the first reply to a call that is held, whatever became of it."""
        found: Received | None = self._mine.found
        return found

    def keep_reply(self, sent: Sent, reply: ChatReply) -> Received:
        """Commit a reply and return the one to use."""
        kept: Received = self._ask("keep_reply", sent, reply)
        return kept

    def keep_error(self, sent: Sent, error: str, came: str = "", usage: Usage = NOTHING) -> None:
        """Commit that a call got no reply."""
        self._ask("keep_error", sent, error, came, usage)

    def mark(self, received: Received, outcome: Outcome, error: str = "") -> None:
        """Note what became of a reply."""
        self._ask("mark", received, outcome, error)

    def reserve(self, most: Usage) -> float:
        """Set aside what a call can cost at most and return it."""
        self._mine.reserved, dollars = self._ask("reserve", self.worker, most)
        return float(dollars)

    def settle(self, reserved: float, usage: Usage) -> None:
        """Replace what was reserved for a call by what it cost."""
        self._later("settle", self.worker, self._mine.reserved, usage)

    @contextmanager
    def admitted(self, tokens: int) -> Iterator[Admission]:
        """Wait until a call of so many tokens may be sent, and count it while it is."""
        number, waited = self._ask("admit", self.worker, tokens)
        admission = Admission(tokens, begun=0.0, waited_seconds=waited, counted=0)
        try:
            yield admission
        finally:
            self._later("leave", self.worker, number, admission.tokens)

    def pause(self, seconds: float) -> None:
        """Hold back all calls for this many seconds."""
        self._line.tell("pause", seconds)

    def sleep(self, seconds: float) -> None:
        """Wait, but no longer than the run goes on."""
        self._ask("sleep", seconds)

    def stop(self, reason: StopRunError) -> None:
        """Let no call through any more."""
        self._line.tell("stop", reason)

    def _ask(self, method: str, *arguments: Any) -> Any:
        if method in WAITING:  # it might wait for what goes along with it
            self._send_what_is_left()
        before = self._left()
        self._mine.left = []
        message = (method, *arguments)
        return self._line.ask("all_of", [*before, message]) if before else self._line.ask(*message)

    def _later(self, *message: Any) -> None:
        self._mine.left = [*self._left(), message]

    def _send_what_is_left(self) -> None:
        if self._left():
            self._line.tell("all_of", self._left())
            self._mine.left = []

    def _left(self) -> list[Sequence[Any]]:
        left: list[Sequence[Any]] = getattr(self._mine, "left", [])
        return left


class RemoteVectors:
    """The vectors of one model at the keeper."""

    def __init__(self, line: Line, of: VectorsOf) -> None:
        self._line = line
        self._of = of

    def get_many(self, keys: Sequence[str]) -> dict[str, Vectors]:
        """Return the vectors of those keys that have one."""
        found: dict[str, Vectors] = self._line.ask("get_vectors", self._of, keys)
        return found

    def put_many(self, vectors: Mapping[str, Vectors]) -> None:
        """Keep the vector of each key, for good when this returns."""
        self._line.ask("put_vectors", self._of, vectors)


class RemoteEmbeddingCalls:
    """The account of embedding requests at the keeper."""

    def __init__(self, line: Line, store: str) -> None:
        self._line = line
        self._store = store

    def add(self, call: EmbeddingCall) -> None:
        """Commit one request with its usage."""
        self._line.ask("add_embedding_call", self._store, call)
