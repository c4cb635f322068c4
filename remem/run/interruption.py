"""Handle Ctrl-C while threads wait for a model: stop the threads instead of waiting for them.

SIGTERM, which a cluster sends to cancel a job, and SIGHUP, which a closed terminal sends, are
handled in the same way.
"""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from types import FrameType
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from remem.config.instantiation import SharedInstance

GRACE_SECONDS = 5.0
"""Seconds in which pending replies may still arrive, because they are paid for."""
AGAIN_SECONDS = 1.0
"""The same after a further signal."""
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
STREAMS = (0, 1, 2)
INTERRUPTED = 130
GOES_ON = "interrupted; run the same command to continue"


@runtime_checkable
class Stoppable(Protocol):
    """A component that can be stopped without taking a lock."""

    def stop(self) -> None:
        """Send no further requests, and wake all waiting threads."""


def interrupt_at_any_signal() -> None:
    """Make SIGTERM and SIGHUP interrupt like Ctrl-C; ignored signals (nohup) stay ignored."""
    terminals = [stream for stream in STREAMS if os.isatty(stream)]
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, partial(_interrupt, terminals))


@contextmanager
def keeping_handlers() -> Iterator[None]:
    """Restore the signal handlers after the block, in case a library has replaced them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            if handler is not None:  # None is a handler that is not Python's
                signal.signal(number, handler)


@contextmanager
def interrupted_by_sigterm() -> Iterator[None]:
    """Treat SIGTERM as an interrupt even if a library, such as Ray, sets a handler that exits."""
    try:
        with keeping_handlers():
            yield
    except SystemExit:
        signal.raise_signal(signal.SIGTERM)  # to the handler that was set before
        raise


@contextmanager
def stopping_at_interrupt(shared: "SharedInstance | None") -> Iterator[None]:
    """On an interrupt, stop the shared component if it was built, then call the usual handler."""

    def stop() -> bool:
        for part in shared.built() if shared else ():
            if isinstance(part, Stoppable):
                part.stop()
        return True

    with _handling_first(stop):
        yield


@contextmanager
def leaving_soon_at_interrupt() -> Iterator[None]:
    """End the process a few seconds after an interrupt, even if a thread waits for a reply.

    A further signal, which a closed terminal may send at once, only shortens the wait. Nothing is
    lost: records and replies are on disk once they are acknowledged. An error after an interrupt
    is replaced by KeyboardInterrupt.
    """
    timers: list[threading.Timer] = []

    def leave_soon() -> bool:
        is_first = not timers
        timers.append(threading.Timer(GRACE_SECONDS if is_first else AGAIN_SECONDS, _leave))
        timers[-1].daemon = True
        timers[-1].start()
        return is_first

    with keeping_handlers():
        if threading.current_thread() is threading.main_thread():
            interrupt_at_any_signal()
        with _handling_first(leave_soon):
            try:
                yield
            except (Exception, SystemExit) as error:
                is_done = isinstance(error, SystemExit) and not error.code
                if timers and not is_done:  # a library may have replaced the interrupt
                    raise KeyboardInterrupt from error
                raise
            finally:
                for timer in timers:
                    timer.cancel()


def end_with_parent() -> None:
    """Interrupt this pool process when its parent ends; otherwise, no signal would reach it."""
    from multiprocessing import parent_process

    parent = parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(GRACE_SECONDS)
            os._exit(INTERRUPTED)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def _handling_first(first: Callable[[], bool]) -> Iterator[None]:
    """Call a function at each interrupting signal and, if it returns true, the usual handler."""
    with keeping_handlers():
        if threading.current_thread() is threading.main_thread():
            for number in SIGNALS:
                before = signal.getsignal(number)
                if callable(before):
                    signal.signal(number, partial(_handle, first, before))
        yield


def _handle(
    first: Callable[[], bool],
    before: Callable[[int, FrameType | None], object],
    number: int,
    frame: FrameType | None,
) -> None:
    if first():
        before(number, frame)


def _interrupt(terminals: Sequence[int], number: int, frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt; first redirect closed terminals to the null device."""
    for terminal in terminals:
        if not os.isatty(terminal):
            nothing = os.open(os.devnull, os.O_RDWR)
            os.dup2(nothing, terminal)
            os.close(nothing)
    signal.default_int_handler(number, frame)


def _leave() -> None:
    with suppress(OSError):  # the terminal may be closed
        sys.stderr.write(f"remem: {GOES_ON}\n")
        sys.stderr.flush()
    os._exit(INTERRUPTED)
