"""`/v1/chat/completions` over real HTTP, against a server on the loopback that notes its bodies."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from remem.llm.endpoint import EndpointError
from remem.llm.limiter import Limiter, Limits
from remem.llm.openai_endpoint import OpenAIEndpoint
from remem.protocols import ChatMessage, ChatRequest, NativeCall, StopRunError, ToolSpec
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
    return 200, {
        "id": "one",
        "object": "chat.completion",
        "created": 1,
        "model": "some-model",
        "choices": [
            {
                "index": 0,
                "finish_reason": finish_reason,
                "message": {"role": "assistant", "content": None, **message},
            }
        ],
        "usage": {"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15},
    }


class Server:
    """Gives the listed answers in turn, the last one for ever; errors carry `retry_after`."""

    def __init__(self) -> None:
        self.bodies: list[Body] = []
        self.authorisations: list[str] = []
        self.paths: list[str] = []
        self.answers: list[Answer] = [completion({"content": "Berlin"})]
        self.retry_after = {"Retry-After": "0"}
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                server.bodies.append(body)
                server.paths.append(self.path)
                server.authorisations.append(self.headers["Authorization"])
                status, answer = server.answers[min(len(server.bodies), len(server.answers)) - 1]
                content = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                for name, value in server.retry_after.items() if status != 200 else ():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *parts: object) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.delenv("TEST_KEY", raising=False)
    server = Server()
    thread = threading.Thread(target=server.http.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield server
    server.http.shutdown()
    server.http.server_close()
    thread.join()


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


def test_what_is_none_is_not_sent_and_the_limit_has_the_name_of_the_endpoint(
    server: Server, request_of: RequestOf
) -> None:
    plain = endpoint(server.url, temperature=None, seed=None, token_parameter="max_tokens")
    plain.send(request_of("Where?"))
    assert set(server.bodies[0]) == {"model", "messages", "max_tokens"}
    assert plain.settings == {"json_mode": "schema", "tool_choice": "required"}


@pytest.mark.parametrize(
    ("json_mode", "expected"),
    [
        (
            "schema",
            {
                "type": "json_schema",
                "json_schema": {"name": "reply", "schema": SCHEMA, "strict": True},
            },
        ),
        ("object", {"type": "json_object"}),
        ("text", None),
    ],
)
def test_a_schema_is_asked_for_as_the_endpoint_can(
    server: Server, request_of: RequestOf, json_mode: str, expected: object
) -> None:
    asked = request_of("Where?", reply_schema=SCHEMA)
    endpoint(server.url, json_mode=json_mode).send(asked)
    assert server.bodies[0].get("response_format") == expected


def test_alternatives_are_asked_for_only_where_the_endpoint_takes_them(
    server: Server, request_of: RequestOf
) -> None:
    alternatives = {"anyOf": [SCHEMA]}
    asked = request_of("Where?", reply_schema=SCHEMA, reply_alternatives=alternatives)
    endpoint(server.url, json_mode="schema").send(asked)
    endpoint(server.url, json_mode="alternatives").send(asked)
    endpoint(server.url, json_mode="alternatives").send(request_of("x", reply_schema=SCHEMA))
    sent = [body["response_format"]["json_schema"]["schema"] for body in server.bodies]
    assert sent == [SCHEMA, alternatives, SCHEMA]


def test_a_list_has_an_end_where_the_endpoint_takes_alternatives_and_a_full_one_is_cut(
    server: Server, request_of: RequestOf
) -> None:
    names = {"type": "array", "items": {"type": "string", "maxLength": 300}}
    wanted = {"type": "object", "properties": {"names": names}}
    server.answers = [completion({"content": '{"names": ["a", "b"]}'})]
    asked = request_of("Who?", reply_schema=SCHEMA, reply_alternatives=wanted)
    replies = [
        endpoint(server.url, json_mode=mode, max_output_tokens=256).send(asked).reply
        for mode in ("alternatives", "schema")
    ]
    assert [reply.truncated for reply in replies] == [True, False]
    sent = server.bodies[0]["response_format"]["json_schema"]["schema"]
    assert sent["properties"]["names"]["maxItems"] == 2


def test_a_grammar_is_sent_only_where_the_endpoint_takes_one(
    server: Server, request_of: RequestOf
) -> None:
    asked = request_of("Who?", reply_grammar='root ::= "Ann"')
    for mode in ("alternatives", "schema"):
        endpoint(server.url, json_mode=mode).send(asked)
    assert [body.get("grammar") for body in server.bodies] == ['root ::= "Ann"', None]


def test_a_base_model_goes_on_from_one_text_and_stops_at_a_blank_line(server: Server) -> None:
    server.answers = [(200, {"choices": [{"text": "Answer: Rome", "finish_reason": "stop"}]})]
    said = (
        ChatMessage("system", "Answer from the lines."),
        ChatMessage("user", "Ann is in Oslo.\n\nQuestion: Where is Ann?"),
        ChatMessage("assistant", "Answer: Oslo"),
        ChatMessage("user", "Bob is in Rome.\n\nQuestion: Where is Bob?"),
    )
    asked = endpoint(server.url, kind="openai-completion")
    assert asked.send(ChatRequest("read", said)).reply.text == "Answer: Rome"
    assert asked.kind == "openai-completion"
    assert server.paths == ["/v1/completions"]
    (body,) = server.bodies
    assert "messages" not in body
    assert body["stop"] == ["\n\n"]
    assert body["prompt"] == (
        "Answer from the lines.\n\n"
        "Ann is in Oslo.\n\nQuestion: Where is Ann?\nAnswer: Oslo\n\n"
        "Bob is in Rome.\n\nQuestion: Where is Bob?\n"
    )


def test_a_base_model_goes_on_from_the_beginning_of_an_answer(server: Server) -> None:
    server.answers = [(200, {"choices": [{"text": " Rome", "finish_reason": "stop"}]})]
    said = (ChatMessage("user", "Where is Bob?"), ChatMessage("assistant", "Short answer:"))
    endpoint(server.url, kind="openai-completion").send(ChatRequest("read", said))
    assert server.bodies[0]["prompt"] == "Where is Bob?\nShort answer:"


def test_a_base_model_is_asked_for_no_tool_calls(server: Server) -> None:
    tools = (ToolSpec("find", "Find it.", {"type": "object"}),)
    asked = ChatRequest("recall", (ChatMessage("user", "Find it."),), tools=tools)
    with pytest.raises(StopRunError, match="cannot call tools; use planner=llm"):
        endpoint(server.url, kind="openai-completion").send(asked)
    assert server.bodies == []


def test_any_object_is_asked_for_without_a_schema(server: Server, request_of: RequestOf) -> None:
    endpoint(server.url).send(request_of("Where?", reply_schema={"type": "object"}))
    assert server.bodies[0]["response_format"] == {"type": "json_object"}


def test_an_endpoint_that_refuses_required_tools_is_left_the_choice(
    server: Server, request_of: RequestOf
) -> None:
    asked = request_of("x", tools=(ToolSpec("look", "Looks.", SCHEMA),))
    endpoint(server.url, tool_choice="auto").send(asked)
    assert server.bodies[0]["tool_choice"] == "auto"


@pytest.mark.parametrize(
    ("choice", "sent"),
    [
        ("", "required"),
        ("auto", "auto"),
        ("none", "none"),
        ("look", {"type": "function", "function": {"name": "look"}}),
    ],
)
def test_a_request_may_choose_among_its_tools(
    server: Server, request_of: RequestOf, choice: str, sent: object
) -> None:
    tool = ToolSpec("look", "Looks.", SCHEMA)
    endpoint(server.url).send(request_of("x", tools=(tool,), tool_choice=choice))
    assert server.bodies[0]["tool_choice"] == sent


def test_tools_and_a_schema_that_is_not_strict_are_sent_together(
    server: Server, request_of: RequestOf
) -> None:
    schema = {"type": "object", "properties": {"name": {"type": "string"}}}
    tool = ToolSpec("look", "Looks.", SCHEMA)
    endpoint(server.url).send(request_of("x", tools=(tool,), reply_schema=schema, strict=False))
    wanted = server.bodies[0]["response_format"]["json_schema"]
    assert wanted == {"name": "reply", "schema": schema, "strict": False}
    assert len(server.bodies[0]["tools"]) == 1


def test_calls_and_what_came_of_them_are_sent_as_such(server: Server) -> None:
    made = ChatMessage("assistant", "", (NativeCall("look", "{}", "c1"),))
    came = ChatMessage("tool", "a boat", tool_call_id="c1")
    endpoint(server.url).send(ChatRequest("index", (ChatMessage("user", "x"), made, came)))
    function = {"name": "look", "arguments": "{}"}
    calls = [{"id": "c1", "type": "function", "function": function}]
    assert server.bodies[0]["messages"] == [
        {"role": "user", "content": "x"},
        {"role": "assistant", "content": "", "tool_calls": calls},
        {"role": "tool", "content": "a boat", "tool_call_id": "c1"},
    ]


def test_a_tool_call_comes_back_as_its_name_and_json(server: Server, request_of: RequestOf) -> None:
    function = {"name": "look", "arguments": '{"query": "boat"}'}
    call = {"id": "c", "type": "function", "function": function}
    server.answers = [completion({"tool_calls": [call]}, "tool_calls")]
    request = request_of("x", tools=(ToolSpec("look", "Looks.", SCHEMA),))
    reply = endpoint(server.url).send(request).reply
    assert reply.text == ""
    assert reply.tool_calls == (NativeCall("look", '{"query": "boat"}'),)
    sent = {"name": "look", "description": "Looks.", "parameters": SCHEMA}
    assert server.bodies[0]["tools"] == [{"type": "function", "function": sent}]
    assert server.bodies[0]["tool_choice"] == "required"


def test_a_reply_that_ended_at_the_limit_is_truncated(
    server: Server, request_of: RequestOf
) -> None:
    server.answers = [completion({"content": "Ber"}, "length")]
    assert endpoint(server.url).send(request_of("Where?")).reply.truncated


def test_a_busy_endpoint_is_asked_again_and_only_the_reply_is_counted(
    server: Server, request_of: RequestOf
) -> None:
    server.answers = [BUSY, *server.answers]
    reply = endpoint(server.url).send(request_of("Where?")).reply
    assert (reply.text, reply.usage) == ("Berlin", Usage(1, 12, 3))
    assert len(server.bodies) == 2


@pytest.mark.parametrize(
    "told", [{"Retry-After": "0.25"}, {"retry-after-ms": "250", "Retry-After": "9"}]
)
def test_a_busy_endpoint_holds_all_calls_for_as_long_as_it_says(
    server: Server, request_of: RequestOf, monkeypatch: pytest.MonkeyPatch, told: dict[str, str]
) -> None:
    paused: list[float] = []
    monkeypatch.setattr(Limiter, "pause", lambda self, seconds: paused.append(seconds))
    server.answers, server.retry_after = [BUSY, *server.answers], told
    endpoint(server.url).send(request_of("Where?"))
    assert paused == [0.25]


def test_the_latency_is_that_of_the_try_that_was_answered(
    server: Server, request_of: RequestOf
) -> None:
    server.answers, server.retry_after = [BUSY, *server.answers], {"retry-after-ms": "300"}
    begun = time.perf_counter()
    answered = endpoint(server.url).send(request_of("Where?"))
    assert answered.latency_seconds < time.perf_counter() - begun - 0.3


def test_a_pause_of_more_than_five_minutes_stops_the_run_and_all_who_wait(
    server: Server, request_of: RequestOf
) -> None:
    server.answers, server.retry_after = [BUSY], {"Retry-After": "3600"}
    busy = endpoint(server.url)
    with pytest.raises(StopRunError, match="next call of some-model only in 3600 seconds, and"):
        busy.send(request_of("Where?"))
    assert len(server.bodies) == 1


def test_after_a_stop_nothing_is_sent(server: Server, request_of: RequestOf) -> None:
    stopped = endpoint(server.url)
    stopped.stop(StopRunError("enough"))
    with pytest.raises(StopRunError, match="enough"):
        stopped.send(request_of("Where?"))
    assert server.bodies == []


def test_a_limit_holds_the_calls_of_all_threads(server: Server, request_of: RequestOf) -> None:
    limited = endpoint(server.url, limits=Limits(None, None, 1))
    with ThreadPoolExecutor(8) as pool:
        texts = pool.map(lambda at: limited.send(request_of(str(at))).reply.text, range(16))
        assert list(texts) == ["Berlin"] * 16


def test_a_reply_that_is_no_completion_is_told_without_the_key(
    server: Server, request_of: RequestOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEST_KEY", KEY)
    server.answers = [(200, {"error": f"not with {KEY}"})]
    with pytest.raises(EndpointError, match=r"no choices: not with \*\*\*") as caught:
        endpoint(server.url).send(request_of("Where?"))
    assert caught.value.retryable


@pytest.mark.parametrize(("key", "kept"), [(KEY, "It is ***."), ("short", "It is short.")])
def test_a_reply_that_repeats_the_key_is_kept_without_it(
    server: Server, request_of: RequestOf, monkeypatch: pytest.MonkeyPatch, key: str, kept: str
) -> None:
    monkeypatch.setenv("TEST_KEY", key)
    server.answers = [completion({"content": f"It is {key}."})]
    assert endpoint(server.url).send(request_of("Which key?")).reply.text == kept


def test_the_address_is_told_without_credentials() -> None:
    assert endpoint("https://me:secret@models.invalid/v1").address == "https://models.invalid/v1"


@pytest.mark.parametrize(("status", "sent"), [(500, 3), (401, 1), (400, 1)])
def test_an_error_that_stays_is_told_without_the_key(
    server: Server,
    request_of: RequestOf,
    monkeypatch: pytest.MonkeyPatch,
    status: int,
    sent: int,
) -> None:
    monkeypatch.setenv("TEST_KEY", KEY)
    server.answers = [(status, {"error": {"message": f"not with {KEY}"}})]
    with pytest.raises(EndpointError, match=r"not with \*\*\*") as caught:
        endpoint(server.url).send(request_of("Where?"))
    assert caught.value.retryable == (status == 500)
    assert KEY not in str(caught.value)
    assert caught.value.__cause__ is None
    assert server.authorisations == [f"Bearer {KEY}"] * sent


def test_an_endpoint_that_is_down_is_named_with_the_key_that_sets_its_address(
    request_of: RequestOf,
) -> None:
    down = endpoint("http://127.0.0.1:1/v1", tries=1)
    with pytest.raises(EndpointError) as raised:
        down.send(request_of("Where?"))
    told = str(raised.value)
    assert told.startswith("nothing answers at http://127.0.0.1:1/v1 (")
    assert told.endswith(
        "is the server running? Start it, or set llm.build.endpoint.base_url=<its address>"
    )


def test_an_endpoint_that_is_not_there_is_retryable(server: Server, request_of: RequestOf) -> None:
    # 0 is no port a server can listen on.
    with pytest.raises(EndpointError) as caught:
        endpoint("http://127.0.0.1:0/v1", tries=1).send(request_of("Where?"))
    assert caught.value.retryable


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


@pytest.mark.parametrize(
    "wrong",
    [
        {"json_mode": "xml"},
        {"kind": "chat"},
        {"token_parameter": "tokens"},
        {"tool_choice": "none"},
        {"tries": 0},
    ],
)
def test_a_setting_that_there_is_not_is_refused(wrong: Body) -> None:
    with pytest.raises(ValueError, match=f"{next(iter(wrong))}"):
        endpoint("http://127.0.0.1/v1", **wrong)


def test_what_is_no_completion_is_asked_for_again_and_told_of(
    server: Server, request_of: RequestOf
) -> None:
    server.answers = [HTML, completion({"content": "Berlin"})]
    answered = endpoint(server.url).send(request_of("Where?"))
    assert (answered.reply.text, len(server.bodies)) == ("Berlin", 2)
    (came,) = answered.malformed
    assert ("<html>" in came.text, came.usage) == (True, Usage(1, 0, 0))
    server.answers = [HTML]
    with pytest.raises(EndpointError) as caught:
        endpoint(server.url, tries=2).send(request_of("Where?"))
    assert len(caught.value.malformed) == 2
