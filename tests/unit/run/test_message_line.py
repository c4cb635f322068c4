"""Messages over real sockets: results, exceptions, waiting, and clients that are refused."""

import os
import socket
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Listener
from pathlib import Path
from typing import Any

import pytest

from remem.errors import BudgetReachedError, StopRunError
from remem.run.message_line import Address, MessageServer, SocketLine

HOST = "127.0.0.1"
LONG = "x" * 1_000_000


class Receiver:
    """Notes what it is told; some of its methods wait or fail."""

    def __init__(self) -> None:
        self.told: list[object] = []
        self.heard = threading.Event()
        self.opened = threading.Event()

    def double(self, number: int) -> int:
        return 2 * number

    def same(self, text: str) -> str:
        return text

    def note(self, what: object) -> None:
        self.told.append(what)
        self.heard.set()

    def fail(self, error: Exception) -> None:
        raise error

    def wait(self) -> bool:
        return self.opened.wait(10)


@pytest.fixture
def receiver() -> Receiver:
    return Receiver()


@pytest.fixture
def server(receiver: Receiver) -> MessageServer:
    return MessageServer(receiver, HOST)


def test_a_message_returns_the_result_of_the_method(server: MessageServer) -> None:
    line = SocketLine(server.address)
    assert [line.ask("double", number) for number in (1, 2)] == [2, 4]
    assert line.ask("same", LONG) == LONG


def test_what_is_told_is_done_without_an_answer(server: MessageServer, receiver: Receiver) -> None:
    line = SocketLine(server.address)
    line.tell("note", "a")
    assert receiver.heard.wait(10)
    assert receiver.told == ["a"]
    line.tell("fail", ValueError("wrong"))
    assert line.ask("double", 1) == 2  # the answer is that of this message


@pytest.mark.parametrize("error", [ValueError("wrong"), BudgetReachedError("no money")])
def test_an_exception_is_raised_where_the_message_was_sent(
    server: MessageServer, error: Exception
) -> None:
    line = SocketLine(server.address)
    with pytest.raises(type(error), match=str(error)):
        line.ask("fail", error)
    assert line.ask("double", 3) == 6  # the line is still open


def test_a_message_that_waits_holds_up_no_other(server: MessageServer, receiver: Receiver) -> None:
    line = SocketLine(server.address)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(line.ask, "wait")
        assert line.ask("double", 1) == 2
        assert not waiting.done()
        line.tell("note", "go on")
        assert receiver.heard.wait(10)
        receiver.opened.set()
        assert waiting.result(10) is True


@pytest.mark.parametrize("send", [SocketLine.ask, SocketLine.tell], ids=["ask", "tell"])
def test_who_has_another_key_is_refused_and_nothing_is_done(
    server: MessageServer, receiver: Receiver, send: Callable[..., Any]
) -> None:
    with pytest.raises((AuthenticationError, StopRunError)):
        send(SocketLine(replace(server.address, key=b"another key")), "note", "a")
    assert receiver.told == []
    assert SocketLine(server.address).ask("double", 1) == 2


class MakesFolder:
    """A value whose pickle runs code as soon as it is read."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __reduce__(self) -> tuple[Callable[..., None], tuple[str]]:
        return os.mkdir, (str(self._path),)


def test_no_pickle_is_read_before_the_key_is_proved(server: MessageServer, tmp_path: Path) -> None:
    made = tmp_path / "made"
    with Client((HOST, server.address.port)) as stranger:
        stranger.recv_bytes()  # the challenge
        stranger.send(MakesFolder(made))
        with pytest.raises((EOFError, ConnectionResetError)):
            while True:
                stranger.recv_bytes()
    assert not made.exists()
    SocketLine(server.address).ask("same", MakesFolder(made))
    assert made.exists()  # who has the key is trusted


def test_without_a_server_a_question_stops_the_run_and_a_note_is_dropped() -> None:
    with socket.create_server((HOST, 0)) as taken:
        port = taken.getsockname()[1]
    line = SocketLine(Address(HOST, port, b"k"))
    with pytest.raises(StopRunError, match=r"at 127\.0\.0\.1:\d+ cannot be reached"):
        line.ask("double", 1)
    line.tell("note", "a")


def test_a_server_that_ends_during_a_message_stops_the_run() -> None:
    key = b"k"
    with Listener((HOST, 0), authkey=key) as listener:
        line = SocketLine(Address(HOST, listener.address[1], key))
        ending = threading.Thread(target=lambda: listener.accept().close())
        ending.start()
        with pytest.raises(StopRunError, match="run the same command to continue"):
            line.ask("double", 1)
        ending.join()
