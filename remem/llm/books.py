"""Interfaces of a call store, budget and limiter that live in another process.

They contain the methods of CallStore, Budget, KeyLocks and Limiter that a chat model needs.
"""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from remem.llm.call_store import Outcome, Received, Sent
from remem.llm.limiter import Admission
from remem.protocols import ChatReply, StopRunError
from remem.types import Usage


class Books(Protocol):
    """The call store, the budget and the call locks, shared by all workers of a run."""

    @property
    def path(self) -> Path:
        """Return the path of the SQLite file of the calls."""

    def locked(self, key: str) -> AbstractContextManager[None]:
        """Hold the lock of a call during the block."""

    def received(self, key: str) -> Received | None:
        """Return the first stored reply to a call, whatever its outcome."""

    def keep_reply(self, sent: Sent, reply: ChatReply) -> Received:
        """Store a reply and return the one to use: the first that was stored."""

    def keep_error(self, sent: Sent, error: str, came: str = "", usage: Usage = Usage()) -> None:  # noqa: B008  frozen
        """Record that a call got no reply."""

    def mark(self, received: Received, outcome: Outcome, error: str = "") -> None:
        """Record the outcome of a reply."""

    def reserve(self, most: Usage) -> float:
        """Reserve the maximum cost of a call and return it in dollars."""

    def settle(self, reserved: float, usage: Usage) -> None:
        """Replace the amount reserved for a call by its actual cost."""


class SharedLimiter(Protocol):
    """The limiter of an endpoint, shared by all workers of a run."""

    def admitted(self, tokens: int) -> AbstractContextManager[Admission]:
        """Wait until a call of this many tokens may be sent; count it during the block."""

    def pause(self, seconds: float) -> None:
        """Hold back all calls for this many seconds."""

    def sleep(self, seconds: float) -> None:
        """Wait for this many seconds, or until the run is stopped."""

    def stop(self, reason: StopRunError) -> None:
        """Refuse all further calls with this error."""
