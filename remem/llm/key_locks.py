"""One lock per key, which exists while a thread holds it or waits for it."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock


class KeyLocks:
    """Locks by key: one thread at a time per key, any number of threads on different keys."""

    def __init__(self) -> None:
        self._guard = Lock()
        self._locks: dict[str, tuple[Lock, int]] = {}

    @contextmanager
    def held(self, key: str) -> Iterator[None]:
        """Hold the lock of a key during the block."""
        with self._guard:
            lock, users = self._locks.get(key, (Lock(), 0))
            self._locks[key] = (lock, users + 1)
        try:
            with lock:
                yield
        finally:
            with self._guard:
                users = self._locks[key][1] - 1
                if users:
                    self._locks[key] = (lock, users)
                else:
                    del self._locks[key]
