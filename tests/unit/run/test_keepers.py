"""What the workers of a run share: calls with their budget, and vectors."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from remem.config.run_config import compose_config, run_config
from remem.errors import BudgetReachedError, ModelUnavailableError, RejectedReplyError, StopRunError
from remem.llm.call_store import CallStore, Sent
from remem.llm.chat_model import StoredChatModel
from remem.llm.endpoint import EndpointError, EndpointReply
from remem.llm.ledger import balance
from remem.llm.vector_store import VectorStore
from remem.protocols import ChatMessage, ChatReply, ChatRequest
from remem.run.history_task import kept_chat_model
from remem.run.keepers import CallKeeper, VectorKeeper
from remem.run.message_line import MessageServer, SocketLine
from remem.run.remote_calls import RemoteBooks, RemoteVectors
from remem.types import Usage

MODEL = "gpt-4.1-mini-2025-04-14"
TOOK = Usage(1, 10, 2)
A_DOLLAR = Usage(1, 0, 625_000)
"""A million tokens out cost 1.60."""
Make = Callable[..., CallKeeper]


class Directly:
    """A connection without a network."""

    def __init__(self, keeper: CallKeeper) -> None:
        self._keeper = keeper

    def ask(self, method: str, *arguments: Any) -> Any:
        return getattr(self._keeper, method)(*arguments)

    def tell(self, method: str, *arguments: Any) -> None:
        self.ask(method, *arguments)


class Endpoint:
    kind, model, max_output_tokens, address = "listed-chat", MODEL, 100, "http://127.0.0.1:1/v1"

    def __init__(self, *replies: str | Exception) -> None:
        self.settings: dict[str, Any] = {}
        self.replies = list(replies)
        self.sent = 0

    def send(self, request: ChatRequest) -> EndpointReply:
        self.sent += 1
        reply = self.replies[min(self.sent, len(self.replies)) - 1]
        if isinstance(reply, Exception):
            raise reply
        return EndpointReply(ChatReply(reply, (), truncated=False, usage=TOOK), 0.25)

    def stop(self, reason: StopRunError) -> None:
        pass


@pytest.fixture
def make(tmp_path: Path) -> Make:
    def keeper(*overrides: str) -> CallKeeper:
        build = "llm.build"
        settings = (f"{build}.store=calls.sqlite", f"{build}.budget_dollars=null")
        own = (f"{build}.{override}" for override in overrides)
        config = run_config(compose_config([f"llm={MODEL}", *settings, *own]))
        return CallKeeper(kept_chat_model(config), str(tmp_path))

    return keeper


def books(keeper: CallKeeper, worker: str) -> RemoteBooks:
    return RemoteBooks(Directly(keeper), Path("calls.sqlite"), worker)


def model(keeper: CallKeeper, worker: str, endpoint: Endpoint) -> StoredChatModel:
    return StoredChatModel(
        endpoint=endpoint,
        store=books(keeper, worker),
        attempts=2,
        repeat=0,
        budget_dollars=None,
        prices="",
    )


def request(text: str) -> ChatRequest:
    return ChatRequest("read", (ChatMessage("user", text),))


def number_in(reply: ChatReply) -> int:
    try:
        return int(reply.text)
    except ValueError as error:
        raise RejectedReplyError(reply.text) from error


def test_what_one_worker_has_asked_another_is_served_even_at_the_same_time(make: Make) -> None:
    keeper, endpoint = make(), Endpoint("7")
    models = [model(keeper, f"w{number}", endpoint) for number in range(8)]
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda one: one.ask(request("How many?"), number_in), models))
    assert answers == [(7, TOOK)] * 8
    assert endpoint.sent == 1


def test_rejected_replies_and_errors_are_kept_as_by_one_process(make: Make, tmp_path: Path) -> None:
    keeper = make()
    endpoint = Endpoint("seven", "7", EndpointError("the connection was cut", retryable=True))
    assert model(keeper, "w1", endpoint).ask(request("a"), number_in) == (
        7,
        Usage(2, 20, 4, rejected_replies=1),
    )
    with pytest.raises(ModelUnavailableError, match="the connection was cut"):
        model(keeper, "w2", endpoint).ask(request("b"), number_in)
    outcomes = CallStore(tmp_path / "calls.sqlite").outcomes()
    assert outcomes == {("read", "rejected"): 1, ("read", "ok"): 1, ("read", "error"): 1}


def test_workers_share_one_budget(make: Make) -> None:
    keeper = make("budget_dollars=2.5")
    first, second = books(keeper, "w1"), books(keeper, "w2")
    for key, one in (("a", first), ("b", second)):
        with one.locked(key):
            one.settle(one.reserve(A_DOLLAR), A_DOLLAR)
    with pytest.raises(BudgetReachedError, match=r"\$2\.0000 are spent"):
        first.reserve(A_DOLLAR)


def test_workers_charge_the_ledger_of_their_run(make: Make, tmp_path: Path) -> None:
    worker = books(make("budget_dollars=2.5", "ledger=ledger.sqlite"), "w1")
    worker.settle(worker.reserve(A_DOLLAR), A_DOLLAR)
    worker._send_what_is_left()
    assert balance(tmp_path / "ledger.sqlite").dollars == 1.0
    others = books(make("budget_dollars=1.5", "ledger=ledger.sqlite"), "w1")
    with pytest.raises(BudgetReachedError, match=r"\$1\.00 are spent"):
        others.reserve(A_DOLLAR)


def test_a_dead_workers_lock_is_free_and_its_call_counts_at_its_dearest(make: Make) -> None:
    keeper = make("budget_dollars=1.5", "endpoint.limits.in_flight=1")
    dead, alive = books(keeper, "w1"), books(keeper, "w2")
    lock, place = dead.locked("key"), dead.admitted(5)
    lock.__enter__()
    dead.reserve(A_DOLLAR)
    place.__enter__()
    got = threading.Event()

    def call() -> None:
        with alive.locked("key"), alive.admitted(5):
            got.set()

    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    assert not got.wait(0.05)
    keeper.give_up("w1")
    assert got.wait(5)
    with pytest.raises(BudgetReachedError, match=r"\$1\.0000 are spent"):
        alive.reserve(A_DOLLAR)
    dead.settle(1.0, TOOK)
    lock.__exit__(None, None, None)  # what a dead worker had still said changes nothing
    with pytest.raises(BudgetReachedError, match=r"\$1\.0000 are spent"):
        alive.reserve(A_DOLLAR)


def test_what_stops_one_worker_stops_all(make: Make) -> None:
    keeper = make()
    books(keeper, "w1").stop(StopRunError("enough"))
    with pytest.raises(StopRunError, match="enough"), books(keeper, "w2").admitted(5):
        pass


def test_a_reply_that_is_kept_is_the_first_one(make: Make) -> None:
    shared = books(make(), "w1")
    replies = [ChatReply(text, (), truncated=False, usage=TOOK) for text in ("7", "8")]
    kept = [shared.keep_reply(Sent("key", "read", "{}", 0.1), reply) for reply in replies]
    assert [item.reply.text for item in kept] == ["7", "7"]


OF = ("calls.sqlite", "m", 2)


def vector(*values: float) -> np.ndarray:
    return np.array(values, np.float32)


def test_what_one_worker_has_embedded_another_finds_and_so_does_a_serial_run(
    tmp_path: Path,
) -> None:
    server = MessageServer(VectorKeeper(str(tmp_path)), "127.0.0.1")
    first, second = (RemoteVectors(SocketLine(server.address), OF) for _ in range(2))
    first.put_many({"a": vector(1, 0), "b": vector(0, 1)})
    found = second.get_many(["b", "nothing", "a"])
    assert {key: row.tolist() for key, row in found.items()} == {"a": [1, 0], "b": [0, 1]}
    serial = VectorStore(store=str(tmp_path / "calls.sqlite"), model="m", dimension=2)
    assert serial.get_many(["b"])["b"].tolist() == [0, 1]
