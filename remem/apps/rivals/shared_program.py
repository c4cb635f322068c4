"""Hold a program that all histories of a run share, and start it again if it has ended."""

import threading
from collections.abc import Callable
from typing import Any, Protocol, TypeVar


class Closable(Protocol):
    """A running program."""

    @property
    def closed(self) -> bool:
        """Return whether the program has ended."""


Program = TypeVar("Program", bound=Closable)


class SharedProgram:
    """A program that starts when it is first needed, and ends with the run."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._program: Any = None

    def get(self, start: Callable[[], Program]) -> Program:
        """Return the running program; start it if there is none or if it has ended."""
        with self._lock:
            if self._program is None or self._program.closed:
                self._program = start()
            program: Program = self._program
            return program
