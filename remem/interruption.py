"""Ctrl-C while threads ask a model: they are told to stop, instead of waited for to the end."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Protocol, runtime_checkable

from remem.instantiation import SharedPart


@runtime_checkable
class Stoppable(Protocol):
    """A part that can be told that nothing more is wanted of it; it takes no lock for that."""

    def stop(self) -> None:
        """Send nothing more, and end the waits of all threads."""


@contextmanager
def stopping_at_interrupt(shared: SharedPart | None) -> Iterator[None]:
    """Stop the part, if it is made by then, before an interrupt does what it always does."""
    before = signal.getsignal(signal.SIGINT)
    main = threading.current_thread() is threading.main_thread()
    if shared is None or not main or not callable(before):
        yield
        return

    def stop_first(number: int, frame: FrameType | None) -> None:
        for part in shared.made():
            if isinstance(part, Stoppable):
                part.stop()
        before(number, frame)

    signal.signal(signal.SIGINT, stop_first)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
