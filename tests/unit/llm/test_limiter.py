"""The limiter: limits per minute on a fake clock, concurrent calls, pauses, the end."""

import math
import threading
from concurrent.futures import ThreadPoolExecutor
from threading import Condition

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.errors import StopRunError
from remem.llm.limiter import Limiter, Limits

UNLIMITED = Limits(None, None, None)


class Clock:
    """A clock that advances only while someone waits."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def now(self) -> float:
        return self.seconds

    def wait(self, condition: Condition, seconds: float) -> None:
        assert math.isfinite(seconds)
        self.seconds += seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


def limiter(clock: Clock, limits: Limits) -> Limiter:
    return Limiter(limits, clock.now, clock.wait)


def sent_at(limited: Limiter, clock: Clock, tokens: int, used: int | None = None) -> float:
    """Send a call that takes no time; return the second at which it was sent."""
    with limited.admitted(tokens) as admission:
        admission.tokens = tokens if used is None else used
        return clock.seconds - 1000.0


def test_a_minute_has_no_more_requests_than_the_limit(clock: Clock) -> None:
    limited = limiter(clock, Limits(3, None, None))
    assert [sent_at(limited, clock, 1) for _ in range(7)] == [0, 0, 0, 60, 60, 60, 120]


def test_a_minute_has_no_more_tokens_than_the_limit(clock: Clock) -> None:
    limited = limiter(clock, Limits(None, 100, None))
    assert [sent_at(limited, clock, tokens) for tokens in (60, 40, 1, 99, 100)] == [
        *(0, 0, 60, 60, 120)
    ]


def test_the_count_of_the_endpoint_replaces_the_estimate(clock: Clock) -> None:
    limited = limiter(clock, Limits(None, 100, None))
    assert [sent_at(limited, clock, 90, used=10) for _ in range(3)] == [0, 0, 60]


def test_a_call_larger_than_the_limit_goes_alone(clock: Clock) -> None:
    limited = limiter(clock, Limits(None, 100, None))
    assert [sent_at(limited, clock, tokens) for tokens in (1, 500, 1)] == [0, 60, 120]


def test_a_call_that_ends_after_its_minute_corrects_nothing(clock: Clock) -> None:
    limited = limiter(clock, Limits(None, 100, None))
    with limited.admitted(90) as slow:
        clock.seconds += 61
        sent_at(limited, clock, 100)
        slow.tokens = 0
    assert sent_at(limited, clock, 1) == 121


@given(
    st.lists(st.tuples(st.integers(1, 50), st.integers(1, 50), st.integers(0, 30)), max_size=40),
    st.integers(1, 6),
    st.integers(50, 120),
)
def test_no_sliding_minute_passes_a_limit(
    calls: list[tuple[int, int, int]], requests: int, tokens: int
) -> None:
    clock = Clock()
    limited = limiter(clock, Limits(requests, tokens, None))
    sent = []
    for reserved, other, pause in calls:
        used = min(reserved, other)
        sent.append((sent_at(limited, clock, reserved, used), used))
        clock.seconds += pause
    for begin, _ in sent:
        minute = [used for at, used in sent if begin <= at < begin + 60]
        assert len(minute) <= requests
        assert sum(minute) <= tokens


def test_a_pause_holds_everybody_and_the_longest_counts(clock: Clock) -> None:
    limited = limiter(clock, UNLIMITED)
    limited.pause(20)
    limited.pause(7.5)
    with limited.admitted(1) as admission:
        assert admission.waited_seconds == 20
    assert sent_at(limited, clock, 1) == 20


def test_no_more_calls_are_in_flight_than_the_limit() -> None:
    limited, flying, most = Limiter(Limits(None, None, 3)), [0], [0]
    guard, full = threading.Lock(), threading.Event()

    def call(_: int) -> None:
        with limited.admitted(1):
            with guard:
                flying[0] += 1
                most[0] = max(most[0], flying[0])
                if flying[0] == 3:
                    full.set()
            full.wait(timeout=10)  # until all that may fly do
            with guard:
                flying[0] -= 1

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(call, range(40)))
    assert most == [3]


def test_calls_go_in_the_order_in_which_they_came() -> None:
    limited, went = Limiter(Limits(None, None, 1)), []

    def call(name: int) -> None:
        with limited.admitted(1):
            went.append(name)

    with ThreadPoolExecutor(8) as pool, limited.admitted(1):
        for name in range(8):
            pool.submit(call, name)
            while len(limited._queue) <= name:  # until it is in the queue
                pass
    assert went == list(range(8))


def test_a_failed_call_makes_room() -> None:
    limited = Limiter(Limits(None, None, 1))
    for _ in range(3):
        with pytest.raises(RuntimeError), limited.admitted(1):
            raise RuntimeError
    with limited.admitted(1):
        pass


def test_the_end_of_the_run_wakes_all_who_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("remem.llm.limiter.LONGEST_SLEEP_SECONDS", 0.01)
    limited, reason = Limiter(Limits(None, None, 1)), StopRunError("enough")

    def call(_: int) -> str:
        try:
            with limited.admitted(1):
                return "sent"
        except StopRunError as error:
            return str(error)

    with ThreadPoolExecutor(8) as pool, limited.admitted(1):
        waiting = [pool.submit(call, name) for name in range(8)]
        limited.stop(reason)
        assert [item.result(timeout=10) for item in waiting] == ["enough"] * 8
    with pytest.raises(StopRunError, match="enough"), limited.admitted(1):
        pass


def test_the_end_of_the_run_ends_a_sleep(clock: Clock) -> None:
    limited = limiter(clock, UNLIMITED)
    limited.sleep(2.5)
    assert clock.seconds == 1002.5
    limited.stop(StopRunError("enough"))
    with pytest.raises(StopRunError):
        limited.sleep(300)
    assert clock.seconds == 1002.5


def test_an_interrupt_of_one_who_waits_lets_the_next_one_through(clock: Clock) -> None:
    def interrupt(condition: Condition, seconds: float) -> None:
        raise KeyboardInterrupt

    limited = Limiter(Limits(1, None, None), clock.now, interrupt)
    sent_at(limited, clock, 1)
    with pytest.raises(KeyboardInterrupt), limited.admitted(1):
        pass
    clock.seconds += 60
    assert sent_at(limited, clock, 1) == 60


@pytest.mark.parametrize("wrong", [(0, None, None), (None, -1, None), (None, None, 0)])
def test_a_limit_below_one_is_refused(wrong: tuple[int | None, ...]) -> None:
    with pytest.raises(ValueError, match=r"^limits\..* expected at least 1, or null"):
        Limits(*wrong)
