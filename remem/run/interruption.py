"""Handle Ctrl-C while threads wait for a model: stop them instead of waiting for them to finish."""

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
"""Seconds in which pending replies may still arrive, because they are paid for."""
INTERRUPTED = 130
GOES_ON = "interrupted; run the same command to continue"


@runtime_checkable
class Stoppable(Protocol):
    """A part that can be stopped without taking a lock."""

    def stop(self) -> None:
        """Send no further requests, and end the waits of all threads."""


@contextmanager
def stopping_at_interrupt(shared: "SharedInstance | None") -> Iterator[None]:
    """On an interrupt, stop the shared part, if it was built, before the usual handling."""
    before = signal.getsignal(signal.SIGINT)
    main = threading.current_thread() is threading.main_thread()
    if shared is None or not main or not callable(before):
        yield
        return

    def stop_first(number: int, frame: FrameType | None) -> None:
        for part in shared.built():
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

    Nothing is lost: records and replies are on disk once they are acknowledged.
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
