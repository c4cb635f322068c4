"""A model that the run serves itself starts with the first call, and again after a crash."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Barrier
from typing import Any

import pytest

from remem.apps.small_model.local_endpoint import LocalEndpoint
from remem.errors import StopRunError
from remem.llm.endpoint import EndpointReply, Served
from remem.llm.limiter import Limits
from remem.llm.openai_endpoint import OpenAIEndpoint
from remem.protocols import ChatMessage, ChatRequest
from remem.serve.stub.stub import StubServer

NOTHING = Served()
REQUEST = ChatRequest("read", (ChatMessage("user", "Question: What is it?"),))


@dataclass
class Served:
    url: str
    is_alive: bool = True
    peak_mib: int = 300

    def stop(self) -> None:
        self.is_alive = False


@dataclass
class Serving:
    """A stand-in for llama.cpp: our stub answers instead."""

    url: str
    identity: dict[str, Any] = field(default_factory=lambda: {"weights_sha256": "12" * 32})
    started: list[Served] = field(default_factory=list)

    def start(self, model: str, port: int = 0) -> Served:
        self.started.append(Served(self.url))
        return self.started[-1]


def endpoint(server: Any, processes: int = 1) -> LocalEndpoint:
    return LocalEndpoint(
        kind="openai-chat",
        server=server,
        processes=processes,
        model="loopback-stub",
        temperature=0,
        seed=0,
        max_output_tokens=100,
        json_mode="schema",
        tool_choice="required",
        timeout_seconds=30,
        tries=1,
        limits=Limits(None, None, None),
    )


def test_nothing_is_started_before_the_first_call_and_then_one_server_alone() -> None:
    with StubServer() as stub:
        serving = Serving(stub.url)
        asked = endpoint(serving)
        assert (asked.kind, asked.model, asked.max_output_tokens) == (
            "openai-chat",
            "loopback-stub",
            100,
        )
        assert serving.started == []
        assert asked.send(REQUEST).reply.text
        asked.send(REQUEST)
        assert len(serving.started) == 1


def test_a_server_that_has_crashed_is_started_again() -> None:
    with StubServer() as stub:
        serving = Serving(stub.url)
        asked = endpoint(serving)
        asked.send(REQUEST)
        serving.started[0].is_alive = False
        asked.send(REQUEST)
        assert len(serving.started) == 2


def test_the_settings_hold_the_weights_and_the_address_no_port() -> None:
    with StubServer() as stub:
        asked = endpoint(Serving(stub.url))
        before = (dict(asked.settings), asked.address)
        asked.send(REQUEST)
        assert (dict(asked.settings), asked.address) == before
    assert before[0]["weights_sha256"] == "12" * 32
    assert before[1] == "http://127.0.0.1/v1"


def test_nothing_is_sent_after_a_stop() -> None:
    with StubServer() as stub:
        asked = endpoint(Serving(stub.url))
        asked.stop(StopRunError("enough"))
        with pytest.raises(StopRunError, match="enough"):
            asked.send(REQUEST)


def test_an_ended_server_tells_what_it_answered_and_the_next_call_starts_another() -> None:
    with StubServer() as stub:
        serving = Serving(stub.url)
        asked = endpoint(serving)
        assert asked.end_server() == NOTHING
        replies = [asked.send(REQUEST), asked.send(REQUEST)]
        told = asked.end_server()
        assert not serving.started[0].is_alive
        assert told.calls == 2
        assert told.prompt_tokens == sum(reply.reply.usage.prompt_tokens for reply in replies)
        assert told.completion_tokens == sum(
            reply.reply.usage.completion_tokens for reply in replies
        )
        assert told.seconds == sum(reply.latency_seconds for reply in replies)
        assert told.model_mib == 300 and told.run_mib > 0
        assert asked.end_server() == NOTHING
        asked.send(REQUEST)
        assert len(serving.started) == 2


@pytest.mark.parametrize(("processes", "started"), [(1, 1), (2, 2), (3, 2)])
def test_requests_at_once_go_to_as_many_servers_as_there_may_be(
    processes: int, started: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    together = Barrier(2, timeout=30)
    send = OpenAIEndpoint.send

    def send_together(self: OpenAIEndpoint, request: ChatRequest) -> EndpointReply:
        together.wait()  # both requests are on their way
        return send(self, request)

    monkeypatch.setattr(OpenAIEndpoint, "send", send_together)
    with StubServer() as stub, ThreadPoolExecutor(2) as threads:
        serving = Serving(stub.url)
        asked = endpoint(serving, processes)
        for _ in range(2):
            list(threads.map(asked.send, [REQUEST, REQUEST]))
        assert len(serving.started) == started


def test_no_processes_at_all_are_refused() -> None:
    with pytest.raises(ValueError, match="processes is 0, expected at least 1"):
        endpoint(Serving(""), 0)
