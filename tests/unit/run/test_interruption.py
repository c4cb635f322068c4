"""Ctrl-C stops the shared parts first, and threads that wait for them end at once."""

import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from remem.config.instantiation import SharedInstance
from remem.errors import StopRunError
from remem.llm.limiter import Limiter, Limits
from remem.run.interruption import (
    interrupted_by_sigterm,
    keeping_handlers,
    leaving_soon_at_interrupt,
    stopping_at_interrupt,
)


class Model:
    """A model that sends one call per minute."""

    def __init__(self) -> None:
        self.limiter = Limiter(Limits(1, None, None))

    def ask(self, _: int) -> None:
        with self.limiter.admitted(1):
            pass

    def stop(self) -> None:
        self.limiter.stop(StopRunError("interrupted"))


def shared(*made: object) -> SharedInstance:
    return SharedInstance({}, list(made))


def interrupted(part: SharedInstance | None, number: int = signal.SIGINT) -> None:
    with (
        pytest.raises(KeyboardInterrupt),
        keeping_handlers(),
        leaving_soon_at_interrupt(),
        stopping_at_interrupt(part),
    ):
        signal.raise_signal(number)


SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


@pytest.mark.parametrize("number", SIGNALS)
def test_threads_that_wait_for_a_model_end_at_an_interrupt(
    monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    monkeypatch.setattr("remem.llm.limiter.LONGEST_SLEEP_SECONDS", 0.01)
    model = Model()
    model.ask(0)
    with ThreadPoolExecutor(4) as pool:
        waiting = [pool.submit(model.ask, at) for at in range(4)]
        interrupted(shared(model), number)
        for item in waiting:
            with pytest.raises(StopRunError, match="interrupted"):
                item.result(timeout=60)


@pytest.mark.parametrize("part", [None, shared(), shared(object())])
def test_an_interrupt_is_one_where_there_is_nothing_to_stop(part: SharedInstance | None) -> None:
    interrupted(part)


def replaced_interrupt(replacement: BaseException) -> None:
    with keeping_handlers(), leaving_soon_at_interrupt():
        try:
            signal.raise_signal(signal.SIGHUP)
        except KeyboardInterrupt:
            raise replacement from None


@pytest.mark.parametrize("replacement", [ValueError("no such choice"), SystemExit(2)])
def test_an_interrupt_that_a_library_turns_into_an_error_is_one(replacement: BaseException) -> None:
    with pytest.raises(KeyboardInterrupt):
        replaced_interrupt(replacement)
    with pytest.raises(SystemExit):  # a server that ends at a signal has done its work
        replaced_interrupt(SystemExit(0))


def test_a_signal_is_handled_as_before_when_it_is_over() -> None:
    before = [signal.getsignal(number) for number in SIGNALS]
    with keeping_handlers(), stopping_at_interrupt(shared(Model())):
        assert signal.getsignal(signal.SIGINT) is not before[0]
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # as a library may do
    assert [signal.getsignal(number) for number in SIGNALS] == before


def test_a_thread_leaves_the_handler_alone() -> None:
    before = signal.getsignal(signal.SIGINT)

    def look() -> object:
        with stopping_at_interrupt(shared(Model())):
            return signal.getsignal(signal.SIGINT)

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(look).result() is before


def test_a_signal_that_is_ignored_stays_so() -> None:
    with keeping_handlers():
        signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
        with leaving_soon_at_interrupt(), stopping_at_interrupt(shared(Model())):
            signal.raise_signal(signal.SIGHUP)


def test_a_library_that_exits_at_a_signal_is_interrupted() -> None:
    with pytest.raises(KeyboardInterrupt), keeping_handlers():
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        with interrupted_by_sigterm():
            signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(number))  # as Ray does
            signal.raise_signal(signal.SIGTERM)


def test_a_second_signal_ends_the_process_soon_though_a_thread_waits() -> None:
    code = (
        "import os, signal, threading\n"
        "from remem.run import interruption\n"
        "interruption.GRACE_SECONDS, interruption.AGAIN_SECONDS = 77, 0.05\n"
        "with interruption.leaving_soon_at_interrupt():\n"
        "    try:\n"
        "        os.kill(os.getpid(), signal.SIGTERM)\n"
        "    except KeyboardInterrupt:\n"
        "        os.kill(os.getpid(), signal.SIGHUP)\n"
        "        threading.Event().wait()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (
        130,
        b"remem: interrupted; run the same command to continue",
    )


def test_a_process_whose_parent_was_killed_is_interrupted_and_then_ends() -> None:
    code = (
        "import multiprocessing, time\n"
        "from remem.run import interruption\n"
        "interruption.GRACE_SECONDS = 0.5\n"
        "def work():\n"
        "    interruption.end_with_parent()\n"
        "    try:\n"
        "        print('at work', flush=True)\n"
        "        time.sleep(77)\n"
        "    except KeyboardInterrupt:\n"
        "        print('interrupted', flush=True)\n"
        "    time.sleep(77)\n"
        "multiprocessing.get_context('fork').Process(target=work).start()\n"
        "time.sleep(77)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == b"at work\n"
        parent.kill()
        assert parent.stdout.read() == b"interrupted\n"  # its end comes with that of the process
