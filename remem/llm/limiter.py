"""Limit the calls to an endpoint: calls and tokens per minute, and calls in flight.

Calls are admitted in order. Before a call, its prompt tokens are estimated, and a reply of the
maximum length is assumed. After the call, the token counts of the endpoint are used instead.
"""

import math
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from threading import Condition, Lock
from typing import Protocol

from remem.errors import StopRunError

MINUTE = 60.0
LONGEST_SLEEP_SECONDS = 1.0
"""Maximum delay until the first caller in the queue notices that the run stops."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of an endpoint, each of which may be None for no limit."""

    requests_per_minute: int | None
    tokens_per_minute: int | None
    in_flight: int | None

    def __post_init__(self) -> None:
        for name in ("requests_per_minute", "tokens_per_minute", "in_flight"):
            limit = getattr(self, name)
            if limit is not None and limit < 1:
                raise ValueError(
                    f"limits.{name} is {limit}, expected at least 1, or null for no limit"
                )


@dataclass(slots=True)
class Admission:
    """A call that may be sent; after the reply, the sender sets `tokens` to the number used."""

    tokens: int
    begun: float
    waited_seconds: float
    counted: int
    """The tokens counted in the current minute; 0 when the minute is over."""


class SharedLimiter(Protocol):
    """The interface of a limiter that all workers of a run share."""

    def admitted(self, tokens: int) -> AbstractContextManager[Admission]:
        """Wait until a call of this many tokens may be sent; it is in flight during the block."""

    def pause(self, seconds: float) -> None:
        """Hold back all calls for this many seconds."""

    def sleep(self, seconds: float) -> None:
        """Wait for this many seconds, or until the run is stopped."""

    def stop(self, reason: StopRunError) -> None:
        """Refuse all further calls: raise `reason` in waiting and later callers."""


class Limiter:
    """Makes the threads of one process wait until they may send a call to an endpoint.

    Args:
        limits: The limits of the endpoint.
        now: Returns the time of a monotonic clock, in seconds.
        wait: Waits until a condition is notified or the given seconds have passed.
    """

    def __init__(
        self,
        limits: Limits,
        now: Callable[[], float] = time.monotonic,
        wait: Callable[[Condition, float], object] = Condition.wait,
    ) -> None:
        self._requests = limits.requests_per_minute or math.inf
        self._tokens = limits.tokens_per_minute or math.inf
        self._most_in_flight = limits.in_flight or math.inf
        self._now = now
        self._wait = wait
        self._lock = Lock()
        self._counts = math.isfinite(self._requests) or math.isfinite(self._tokens)
        self._queue: deque[Condition] = deque()
        self._recent: deque[Admission] = deque()
        self._recent_tokens = 0
        self._in_flight = 0
        self._paused_until = 0.0
        self._stopped: StopRunError | None = None

    @contextmanager
    def admitted(self, tokens: int) -> Iterator[Admission]:
        """Wait until a call of this many tokens may be sent; it is in flight during the block.

        Raises:
            StopRunError: The limiter was stopped.
        """
        with self._lock:
            admission = self._admit(tokens)
        try:
            yield admission
        finally:
            with self._lock:
                self._settle(admission)

    def pause(self, seconds: float) -> None:
        """Hold back all calls for this many seconds."""
        with self._lock:
            self._paused_until = max(self._paused_until, self._now() + seconds)

    def sleep(self, seconds: float) -> None:
        """Wait for this many seconds, or until the limiter is stopped."""
        with self._lock:
            alone, until = Condition(self._lock), self._now() + seconds
            while (left := until - self._now()) > 0:
                self._sleep(alone, left)

    def stop(self, reason: StopRunError) -> None:
        """Refuse all further calls: raise `reason` in waiting and later callers.

        It takes no lock, so it is safe to call from a signal handler.
        """
        self._stopped = reason

    def _admit(self, tokens: int) -> Admission:
        queued_at = self._now()
        turn = Condition(self._lock)
        self._queue.append(turn)
        try:
            while self._queue[0] is not turn:
                turn.wait()
            while (seconds := self._seconds_until_free(tokens)) > 0:
                self._sleep(turn, seconds)
            self._go_on_if_not_stopped()
        finally:
            self._queue.remove(turn)
            self._call_first()
        begun = self._now()
        admission = Admission(tokens, begun, begun - queued_at, counted=tokens)
        self._in_flight += 1
        if self._counts:
            self._recent.append(admission)
            self._recent_tokens += tokens
        return admission

    def _settle(self, admission: Admission) -> None:
        self._in_flight -= 1
        if admission.counted:
            self._recent_tokens += admission.tokens - admission.counted
            admission.counted = admission.tokens
        self._call_first()

    def _call_first(self) -> None:
        if self._queue:
            self._queue[0].notify()

    def _sleep(self, condition: Condition, seconds: float) -> None:
        self._go_on_if_not_stopped()
        self._wait(condition, min(seconds, LONGEST_SLEEP_SECONDS))

    def _go_on_if_not_stopped(self) -> None:
        if self._stopped is not None:
            raise self._stopped

    def _seconds_until_free(self, tokens: int) -> float:
        """Return the known minimum wait in seconds for the first call in the queue."""
        if self._in_flight >= self._most_in_flight:
            return math.inf
        now = self._now()
        self._forget_before(now - MINUTE)
        free_at = self._paused_until
        if len(self._recent) >= self._requests:
            free_at = max(free_at, self._recent[0].begun + MINUTE)
        # A call larger than the limit must be sent at some point, by itself.
        if self._recent and self._recent_tokens + tokens > self._tokens:
            free_at = max(free_at, self._recent[0].begun + MINUTE)
        return free_at - now

    def _forget_before(self, time: float) -> None:
        while self._recent and self._recent[0].begun <= time:
            old = self._recent.popleft()
            self._recent_tokens -= old.counted
            old.counted = 0
