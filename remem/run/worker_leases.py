"""The shared resources that the workers of a run hold: locks, reservations, places in flight.

They are recorded by worker name, so that everything of a dead worker can be released.
"""

from contextlib import AbstractContextManager, ExitStack
from itertools import count
from threading import Lock
from typing import Any, TypeVar

Held = TypeVar("Held")


class Holdings:
    """Contexts that were entered for workers and can be left from any thread."""

    def __init__(self) -> None:
        self._guard = Lock()
        self._numbers = count()
        self._held: dict[tuple[str, int], tuple[ExitStack, Any]] = {}
        self._gone: set[str] = set()

    def take(self, worker: str, context: AbstractContextManager[Held]) -> tuple[int, Held]:
        """Enter a context for a worker; return its number and its value."""
        stack = ExitStack()
        value = stack.enter_context(context)
        with self._guard:
            number = next(self._numbers)
            gone = worker in self._gone
            if not gone:
                self._held[worker, number] = (stack, value)
        if gone:  # it died while it waited
            stack.close()
        return number, value

    def value(self, worker: str, number: int) -> Any:
        """Return the value of a context, or None if it was left."""
        return self._held.get((worker, number), (None, None))[1]

    def give_back(self, worker: str, number: int) -> None:
        """Leave a context, unless it was already left."""
        with self._guard:
            stack, _ = self._held.pop((worker, number), (None, None))
        if stack is not None:
            stack.close()

    def give_up(self, worker: str) -> None:
        """Leave all contexts of a dead worker."""
        with self._guard:
            self._gone.add(worker)
            numbers = [number for holder, number in self._held if holder == worker]
        for number in numbers:
            self.give_back(worker, number)
