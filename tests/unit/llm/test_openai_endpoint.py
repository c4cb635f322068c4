"""`/v1/chat/completions` over real HTTP, on a loopback server that records request bodies."""

import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from remem.errors import StopRunError
from remem.llm.endpoint import EndpointError
from remem.llm.limiter import Limiter, Limits
from remem.llm.openai_endpoint import OpenAIEndpoint
from remem.protocols import ChatMessage, ChatRequest
from remem.serve.http_handler import EVERYTHING, Reply, Request
from remem.serve.server import LoopbackServer
from remem.types import Usage

KEY = "sk-very-secret-0123"
SCHEMA = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
BUSY = (429, {"error": {"message": "slow down"}})
Body = dict[str, Any]
Answer = tuple[int, object]
RequestOf = Callable[..., ChatRequest]


HTML = (200, "<html>busy</html>")
"""What a proxy may send with a status of success: no completion."""


def completion(message: Body, finish_reason: str = "stop") -> Answer:
    usage = {"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15}
    choice = {"finish_reason": finish_reason, "message": message}
    return 200, {"choices": [choice], "usage": usage}


class Server:
    """A server that gives the answers in turn, then repeats the last; errors have `retry_after`."""

    def __init__(self, token: str | None = None) -> None:
        self.bodies: list[Body] = []
        self.paths: list[str] = []
        self.answers: list[Answer] = [completion({"content": "Berlin"})]
        self.retry_after = {"Retry-After": "0"}
        self.http = LoopbackServer({("POST", EVERYTHING): self.answer}, token=token)
        self.url = f"{self.http.url}/v1"

    def answer(self, request: Request) -> Reply:
        self.bodies.append(request.body)
        self.paths.append(request.path)
        status, answer = self.answers[min(len(self.bodies), len(self.answers)) - 1]
        headers = {} if status == 200 else self.retry_after
        return Reply(json.dumps(answer).encode(), status, headers)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.delenv("TEST_KEY", raising=False)
    server = Server()
    with server.http:
        yield server


def endpoint(base_url: str, **changes: Any) -> OpenAIEndpoint:
    settings: dict[str, Any] = {
        "base_url": base_url,
        "key_variable": "TEST_KEY",
        "model": "some-model",
        "temperature": 0,
        "seed": 1,
        "max_output_tokens": 50,
        "kind": "openai-chat",
        "token_parameter": "max_completion_tokens",
        "json_mode": "schema",
        "tool_choice": "required",
        "timeout_seconds": 10,
        "tries": 3,
        "limits": Limits(None, None, None),
    }
    return OpenAIEndpoint(**(settings | changes))


def test_a_text_comes_back_with_what_it_took(server: Server, request_of: RequestOf) -> None:
    reply = endpoint(server.url).send(request_of("Where?")).reply
    assert (reply.text, reply.tool_calls, reply.truncated) == ("Berlin", (), False)
    assert reply.usage == Usage(1, 12, 3)
    assert server.bodies == [
        {
            "model": "some-model",
            "messages": [{"role": "user", "content": "Where?"}],
            "max_completion_tokens": 50,
            "temperature": 0,
            "seed": 1,
        }
    ]


def test_a_server_of_this_machine_is_asked_without_the_proxy_of_the_environment(
    server: Server, request_of: RequestOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")  # nobody listens there
    monkeypatch.delenv("no_proxy", raising=False)
    assert endpoint(server.url, tries=1).send(request_of("Where?")).reply.text == "Berlin"


def test_a_list_has_an_end_where_the_endpoint_takes_alternatives_and_a_full_one_is_cut(
    server: Server, request_of: RequestOf
) -> None:
    names = {"type": "array", "items": {"type": "string", "maxLength": 300}}
    alternative = {"type": "object", "properties": {"names": names}}
    server.answers = [completion({"content": '{"names": ["a", "b"]}'})]
    request = request_of("Who?", reply_schema=SCHEMA, reply_alternatives=alternative)
    replies = [
        endpoint(server.url, json_mode=mode, max_output_tokens=256).send(request).reply
        for mode in ("alternatives", "schema")
    ]
    assert [reply.truncated for reply in replies] == [True, False]


def test_a_base_model_goes_on_from_one_text_and_stops_at_a_blank_line(server: Server) -> None:
    server.answers = [(200, {"choices": [{"text": "Answer: Rome", "finish_reason": "stop"}]})]
    messages = (
        ChatMessage("system", "Answer from the lines."),
        ChatMessage("user", "Ann is in Oslo.\n\nQuestion: Where is Ann?"),
        ChatMessage("assistant", "Answer: Oslo"),
        ChatMessage("user", "Bob is in Rome.\n\nQuestion: Where is Bob?"),
    )
    base_model = endpoint(server.url, kind="openai-completion")
    assert base_model.send(ChatRequest("read", messages)).reply.text == "Answer: Rome"
    assert base_model.kind == "openai-completion"
    assert server.paths == ["/v1/completions"]
    assert server.bodies == [
        {
            "model": "some-model",
            "prompt": "Answer from the lines.\n\n"
            "Ann is in Oslo.\n\nQuestion: Where is Ann?\nAnswer: Oslo\n\n"
            "Bob is in Rome.\n\nQuestion: Where is Bob?\n",
            "stop": ["\n\n"],
            "max_completion_tokens": 50,
            "temperature": 0,
            "seed": 1,
        }
    ]


def test_a_busy_endpoint_is_asked_again_and_only_the_reply_is_counted_and_timed(
    server: Server, request_of: RequestOf
) -> None:
    server.answers, server.retry_after = [BUSY, *server.answers], {"retry-after-ms": "300"}
    begun = time.perf_counter()
    answered = endpoint(server.url).send(request_of("Where?"))
    assert (answered.reply.text, answered.reply.usage) == ("Berlin", Usage(1, 12, 3))
    assert answered.latency_seconds < time.perf_counter() - begun - 0.3
    assert len(server.bodies) == 2


def test_a_busy_endpoint_holds_all_calls_for_as_long_as_it_says(
    server: Server, request_of: RequestOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    paused: list[float] = []
    monkeypatch.setattr(Limiter, "pause", lambda self, seconds: paused.append(seconds))
    server.answers, server.retry_after = [BUSY, *server.answers], {"Retry-After": "0.25"}
    endpoint(server.url).send(request_of("Where?"))
    assert paused == [0.25]


def test_a_pause_of_more_than_five_minutes_stops_the_run_and_all_who_wait(
    server: Server, request_of: RequestOf
) -> None:
    server.answers, server.retry_after = [BUSY], {"Retry-After": "3600"}
    busy = endpoint(server.url)
    with pytest.raises(StopRunError, match="next call of some-model only after 3600 seconds, but"):
        busy.send(request_of("Where?"))
    assert len(server.bodies) == 1


def test_the_address_is_told_without_credentials() -> None:
    assert endpoint("https://me:secret@models.invalid/v1").address == "https://models.invalid/v1"


@pytest.mark.parametrize(("status", "sent"), [(500, 3), (401, 1), (400, 1)])
def test_an_error_that_stays_is_told_without_the_key(
    request_of: RequestOf, monkeypatch: pytest.MonkeyPatch, status: int, sent: int
) -> None:
    monkeypatch.setenv("TEST_KEY", KEY)
    server = Server(token=KEY)
    server.answers = [(status, {"error": {"message": f"not with {KEY}"}})]
    with server.http, pytest.raises(EndpointError, match=r"not with \*\*\*") as caught:
        endpoint(server.url).send(request_of("Where?"))
    assert caught.value.retryable == (status == 500)
    assert KEY not in str(caught.value)
    assert caught.value.__cause__ is None
    assert len(server.bodies) == sent  # each with the key, which the server checks


def test_an_endpoint_that_is_down_is_named_with_the_key_that_sets_its_address(
    request_of: RequestOf,
) -> None:
    down = endpoint("http://127.0.0.1:1/v1", tries=1)
    with pytest.raises(EndpointError) as raised:
        down.send(request_of("Where?"))
    message = str(raised.value)
    assert raised.value.retryable
    assert message.startswith("nothing answers at http://127.0.0.1:1/v1 (")
    assert message.endswith(
        "is the server running? Start it, or set llm.build.endpoint.base_url=<its address>"
    )


def test_a_key_is_wanted_at_the_first_call_only(
    request_of: RequestOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TEST_KEY", raising=False)
    remote = endpoint("https://models.invalid/v1")
    with pytest.raises(
        StopRunError,
        match=r"environment variable TEST_KEY, which llm\.build\.endpoint\.key_variable names",
    ):
        remote.send(request_of("Where?"))


def test_no_tries_are_refused() -> None:
    with pytest.raises(ValueError, match="tries is 0"):
        endpoint("http://127.0.0.1/v1", tries=0)


def test_what_is_no_completion_is_asked_for_again_and_told_of(
    server: Server, request_of: RequestOf
) -> None:
    server.answers = [HTML, completion({"content": "Berlin"})]
    answered = endpoint(server.url).send(request_of("Where?"))
    assert (answered.reply.text, len(server.bodies)) == ("Berlin", 2)
    (malformed,) = answered.malformed
    assert ("<html>" in malformed.text, malformed.usage) == (True, Usage(1, 0, 0))
    server.answers = [HTML]
    with pytest.raises(EndpointError) as caught:
        endpoint(server.url, tries=2).send(request_of("Where?"))
    assert len(caught.value.malformed) == 2
