"""Ctrl-C while threads ask a model: they are told to stop, instead of waited for to the end."""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from remem.config.instantiation import SharedInstance

GRACE_SECONDS = 5.0
"""How long replies that are on their way may still come in: they are paid for."""
INTERRUPTED = 130
GOES_ON = "interrupted; run the same command to continue"


@runtime_checkable
class Stoppable(Protocol):
    """A part that can be told that nothing more is wanted of it; it takes no lock for that."""

    def stop(self) -> None:
        """Send nothing more, and end the waits of all threads."""


@contextmanager
def stopping_at_interrupt(shared: "SharedInstance | None") -> Iterator[None]:
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


@contextmanager
def leaving_soon_at_interrupt() -> Iterator[None]:
    """End the process a few seconds after an interrupt, even where a thread waits for a reply.

    Nothing is lost by it: records and replies are on disk when they are acknowledged.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    timer = threading.Timer(GRACE_SECONDS, _leave)
    timer.daemon = True

    def leave_soon(number: int, frame: FrameType | None) -> None:
        if timer.ident is None:  # the first interrupt
            timer.start()
        before(number, frame)

    signal.signal(signal.SIGINT, leave_soon)
    try:
        yield
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)


def _leave() -> None:
    sys.stderr.write(f"remem: {GOES_ON}\n")
    sys.stderr.flush()
    os._exit(INTERRUPTED)
