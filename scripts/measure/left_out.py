"""CPU seconds of an action without those of its stubs; standard library only.

A stub runs in one thread; what else runs meanwhile is counted.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

Result = TypeVar("Result")


class LeftOut:
    """The CPU seconds of stubs so far, in all threads."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._lock = threading.Lock()

    @contextmanager
    def stub(self) -> Iterator[None]:
        """Leave out the CPU seconds of the block."""
        begun = time.thread_time()
        try:
            yield
        finally:
            taken = time.thread_time() - begun
            with self._lock:
                self.seconds += taken

    def spent(self, work: Callable[..., Result], *given: Any) -> tuple[float, Result]:
        """Return the CPU seconds of a call without those left out, and its result."""
        before, begun = self.seconds, time.process_time()
        result = work(*given)
        return time.process_time() - begun - (self.seconds - before), result


class CallCount:
    """The number of calls to a model so far, in all threads."""

    def __init__(self) -> None:
        self.number = 0
        self._lock = threading.Lock()

    def add(self) -> None:
        """Count a call."""
        with self._lock:
            self.number += 1


def peak_mib() -> float:
    """Return the peak resident memory of this program in MiB, or 0 without Linux's /proc.

    `getrusage` would tell that of the program that started it, if that was larger.
    """
    status = Path("/proc/self/status")
    lines = status.read_text(encoding="ascii").splitlines() if status.exists() else []
    peak = next((line for line in lines if line.startswith("VmHWM:")), "VmHWM: 0 kB")
    return int(peak.split()[1]) / 1024
