"""What keeps and counts the calls of a run, where that is not this process: the interfaces of it.

The same as those of CallStore, Budget, KeyLocks and Limiter, as far as a chat model needs them.
"""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from remem.llm.call_store import Outcome, Received, Sent
from remem.llm.limiter import Admission
from remem.protocols import ChatReply, StopRunError
from remem.types import Usage


class Books(Protocol):
    """The call store, the budget and the locks of the calls, for all workers of a run."""

    @property
    def path(self) -> Path:
        """Return the SQLite file of the calls."""

    def held(self, key: str) -> AbstractContextManager[None]:
        """Hold the lock of a call."""

    def received(self, key: str) -> Received | None:
        """Return the first reply to a call, whatever became of it."""

    def keep_reply(self, sent: Sent, reply: ChatReply) -> Received:
        """Commit a reply and return the one to use."""

    def keep_error(self, sent: Sent, error: str, came: str = "", usage: Usage = Usage()) -> None:  # noqa: B008  frozen
        """Commit that a call got no reply."""

    def mark(self, received: Received, outcome: Outcome, error: str = "") -> None:
        """Note what became of a reply."""

    def reserve(self, most: Usage) -> float:
        """Set aside what a call can cost at most and return it."""

    def settle(self, reserved: float, usage: Usage) -> None:
        """Replace what was reserved for a call by what it cost."""


class SharedLimiter(Protocol):
    """The limiter of an endpoint, for all workers of a run."""

    def admitted(self, tokens: int) -> AbstractContextManager[Admission]:
        """Wait until a call of so many tokens may be sent, and count it while it is."""

    def pause(self, seconds: float) -> None:
        """Hold back all calls for this many seconds."""

    def sleep(self, seconds: float) -> None:
        """Wait, but no longer than the run goes on."""

    def stop(self, reason: StopRunError) -> None:
        """Let nobody through any more."""
