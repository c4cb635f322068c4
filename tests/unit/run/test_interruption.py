"""Ctrl-C: what is shared is stopped first, and threads that wait for it end at once."""

import signal
from concurrent.futures import ThreadPoolExecutor

import pytest

from remem.config.instantiation import SharedInstance
from remem.errors import StopRunError
from remem.llm.limiter import Limiter, Limits
from remem.run.interruption import stopping_at_interrupt


class Model:
    """Sends one call a minute."""

    def __init__(self) -> None:
        self.limiter = Limiter(Limits(1, None, None))

    def ask(self, _: int) -> None:
        with self.limiter.admitted(1):
            pass

    def stop(self) -> None:
        self.limiter.stop(StopRunError("interrupted"))


def shared(*made: object) -> SharedInstance:
    return SharedInstance({}, list(made))


def interrupted(part: SharedInstance | None) -> None:
    with pytest.raises(KeyboardInterrupt), stopping_at_interrupt(part):
        signal.raise_signal(signal.SIGINT)


def test_threads_that_wait_for_a_model_end_at_an_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("remem.llm.limiter.LONGEST_SLEEP_SECONDS", 0.01)
    model = Model()
    model.ask(0)
    with ThreadPoolExecutor(4) as pool:
        waiting = [pool.submit(model.ask, at) for at in range(4)]
        interrupted(shared(model))
        for item in waiting:
            with pytest.raises(StopRunError, match="interrupted"):
                item.result(timeout=60)


@pytest.mark.parametrize("part", [None, shared(), shared(object())])
def test_an_interrupt_is_one_where_there_is_nothing_to_stop(part: SharedInstance | None) -> None:
    interrupted(part)


def test_an_interrupt_is_handled_as_before_when_it_is_over() -> None:
    before = signal.getsignal(signal.SIGINT)
    with stopping_at_interrupt(shared(Model())):
        assert signal.getsignal(signal.SIGINT) is not before
    assert signal.getsignal(signal.SIGINT) is before


def test_a_thread_leaves_the_handler_alone() -> None:
    before = signal.getsignal(signal.SIGINT)

    def look() -> object:
        with stopping_at_interrupt(shared(Model())):
            return signal.getsignal(signal.SIGINT)

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(look).result() is before
