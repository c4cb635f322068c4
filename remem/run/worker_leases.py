"""What the workers of a run hold of what they share: locks, reservations, places in flight.

It is noted under the name of the worker, so that the death of one gives everything of it back.
"""

from contextlib import AbstractContextManager, ExitStack
from itertools import count
from threading import Lock
from typing import Any, TypeVar

Held = TypeVar("Held")


class Holdings:
    """Contexts that were entered for a worker, and that any thread may leave."""

    def __init__(self) -> None:
        self._guard = Lock()
        self._numbers = count()
        self._held: dict[tuple[str, int], tuple[ExitStack, Any]] = {}
        self._gone: set[str] = set()

    def take(self, worker: str, context: AbstractContextManager[Held]) -> tuple[int, Held]:
        """Enter a context for a worker; return its number, and what it gave."""
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
        """Return what a context gave, None when it was left."""
        return self._held.get((worker, number), (None, None))[1]

    def give_back(self, worker: str, number: int) -> None:
        """Leave a context, unless the worker was given up before."""
        with self._guard:
            stack, _ = self._held.pop((worker, number), (None, None))
        if stack is not None:
            stack.close()

    def give_up(self, worker: str) -> None:
        """Leave everything of a worker that is dead."""
        with self._guard:
            self._gone.add(worker)
            numbers = [number for holder, number in self._held if holder == worker]
        for number in numbers:
            self.give_back(worker, number)
