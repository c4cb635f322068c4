"""A model that the run serves itself: started with the first call, and anew after a crash."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from remem.llm.limiter import Limits
from remem.llm.local_endpoint import LocalEndpoint
from remem.protocols import ChatMessage, ChatRequest, StopRunError
from remem.serve.stub import StubServer

REQUEST = ChatRequest("read", (ChatMessage("user", "Question: What is it?"),))


@dataclass
class Served:
    url: str
    is_alive: bool = True


@dataclass
class Serving:
    """Stands in for llama.cpp: our stub answers."""

    url: str
    identity: dict[str, Any] = field(default_factory=lambda: {"weights_sha256": "12" * 32})
    started: list[Served] = field(default_factory=list)

    def start(self, model: str, port: int = 0) -> Served:
        self.started.append(Served(self.url))
        return self.started[-1]


def endpoint(server: Any) -> LocalEndpoint:
    return LocalEndpoint(
        kind="openai-chat",
        server=server,
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
