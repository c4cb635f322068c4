"""The gateway, called by the library openai, in front of a stub or of the test's own model."""

import http.client
import json
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

import numpy as np
import pytest
from openai import APIStatusError, OpenAI
from pydantic import BaseModel

from remem.apps.rivals.gateway_server import Gateway
from remem.embed.hashing import HashingEmbedder
from remem.errors import (
    BudgetReachedError,
    ModelUnavailableError,
    ReplayMissError,
    StopRunError,
    UnusableReplyError,
)
from remem.llm.chat_model import StoredChatModel
from remem.llm.endpoint import EndpointError
from remem.protocols import (
    ChatMessage,
    ChatReply,
    ChatRequest,
    NativeCall,
    Parsed,
    QueryTarget,
    ToolSpec,
    Vectors,
)
from remem.serve.stub.stub import StubServer
from remem.types import Usage

ASKED = [{"role": "user", "content": "Ann went to Rome."}]
PARAMETERS = {"type": "object", "properties": {"place": {"type": "string"}}}
TOOL = {"type": "function", "function": {"name": "delete", "parameters": PARAMETERS}}
ModelOn = Callable[..., StoredChatModel]
Serving = Callable[..., Gateway]


class Place(BaseModel):
    """A class from which clients make a schema."""

    name: str


class Model:
    """A model that always gives the same reply, or always fails."""

    def __init__(self, said: ChatReply | Exception) -> None:
        self.asked: list[ChatRequest] = []
        self._said = said

    def ask(
        self, request: ChatRequest, parse: Callable[[ChatReply], Parsed]
    ) -> tuple[Parsed, Usage]:
        self.asked.append(request)
        if isinstance(self._said, Exception):
            raise self._said
        return parse(self._said), self._said.usage


class Roles:
    """Embeds a document as (1, 0, 0), a query for passages as (0, 1, 0), for facts as (0, 0, 1)."""

    dimension = 3

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        return np.array([[1, 0, 0]] * len(texts), dtype=np.float32)

    def embed_queries(self, texts: Sequence[str], target: QueryTarget) -> Vectors:
        row = [0, 1, 0] if target == "passage" else [0, 0, 1]
        return np.array([row] * len(texts), dtype=np.float32)


def says(text: str, *calls: NativeCall, truncated: bool = False) -> Model:
    return Model(ChatReply(text, calls, truncated, Usage(1, 10, 2)))


@pytest.fixture
def lent() -> Iterator[Serving]:
    """Start a gateway to a model; it is stopped with the test."""
    with ExitStack() as running:
        yield lambda model, embedder=Roles(): running.enter_context(  # noqa: B008  (no state)
            Gateway(model, embedder, "ours")
        )


def client(gateway: Gateway, *place: Any, retries: int = 0) -> OpenAI:
    url = gateway.base_url(*place)
    return OpenAI(base_url=url, api_key=gateway.token, max_retries=retries, timeout=60)


def ask(gateway: Gateway, *place: Any, **differing: Any) -> Any:
    body = {"model": "ours", "messages": ASKED} | differing
    return client(gateway, *place).chat.completions.create(**body)


def account(gateway: Gateway) -> Any:
    asked = urllib.request.Request(f"{gateway.url}/usage", headers=_key(gateway))
    with urllib.request.urlopen(asked, timeout=60) as reply:
        return json.load(reply)


def test_text_schema_tools_and_embeddings_come_as_openai_sends_them(
    stub: StubServer, model_on: ModelOn, lent: Serving
) -> None:
    gateway = lent(model_on(stub), HashingEmbedder(dimension=64))
    text = ask(gateway, "r1", "h 1/2", "read")
    assert (text.choices[0].finish_reason, text.model) == ("stop", "ours")
    parsed = client(gateway, "r1", "h 1/2", "read").chat.completions.parse(
        model="ours", messages=ASKED, response_format=Place
    )
    assert isinstance(parsed.choices[0].message.parsed, Place)
    called = ask(gateway, "r1", "h 1/2", "read", tools=[TOOL], tool_choice="required")
    (call,) = called.choices[0].message.tool_calls
    assert (called.choices[0].finish_reason, call.function.name) == ("tool_calls", "delete")
    answered = {"role": "tool", "tool_call_id": call.id, "content": "done"}
    ask(gateway, messages=[*ASKED, called.choices[0].message, answered], tools=[TOOL])
    embedded = client(gateway).embeddings.create(model="ours", input=["Ann moved.", "a cat"])
    expected = HashingEmbedder(dimension=64).embed_documents(["Ann moved.", "a cat"])
    np.testing.assert_array_equal(
        np.array([item.embedding for item in embedded.data], dtype=np.float32), expected
    )
    assert [item.id for item in client(gateway).models.list()] == ["ours"]


def test_a_second_start_sends_nothing_and_says_the_same(
    stub: StubServer, model_on: ModelOn, lent: Serving
) -> None:
    def conversation(gateway: Gateway) -> list[Any]:
        first = ask(gateway, "r", "h", "index", tools=[TOOL], tool_choice="required")
        (call,) = first.choices[0].message.tool_calls
        told = {"role": "tool", "tool_call_id": call.id, "content": "it is gone"}
        messages = [*ASKED, first.choices[0].message, told]
        return [first, ask(gateway, "r", "h", "index", messages=messages), account(gateway)]

    first = conversation(lent(model_on(stub)))
    sent = stub.counts.total.requests
    assert sent == 2
    assert conversation(lent(model_on(stub))) == first
    assert stub.counts.total.requests == sent


def test_every_tool_call_of_a_reply_is_handed_on(lent: Serving) -> None:
    calls = tuple(NativeCall("delete", json.dumps({"place": place})) for place in ("Rome", "Oslo"))
    model = says("Two are over.", *calls)
    (choice,) = ask(lent(model), tools=[TOOL]).choices
    assert choice.message.content == "Two are over."
    assert [
        (tool_call.function.name, json.loads(tool_call.function.arguments)["place"])
        for tool_call in choice.message.tool_calls
    ] == [("delete", "Rome"), ("delete", "Oslo")]
    assert len({tool_call.id for tool_call in choice.message.tool_calls}) == 2
    assert model.asked[0].tools == (ToolSpec("delete", "", PARAMETERS),)


def test_what_is_asked_reaches_the_model_with_its_stage_and_tools_turns(lent: Serving) -> None:
    model = says("ok", truncated=True)
    call = {"id": "c7", "type": "function", "function": {"name": "delete", "arguments": "{}"}}
    parts = [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]
    messages = [
        {"role": "developer", "content": "Be short."},
        {"role": "user", "content": parts},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c7", "content": "done"},
    ]
    chosen = {"type": "function", "function": {"name": "delete"}}
    gateway = lent(model)
    reply = ask(gateway, "r", "h", "recall", messages=messages, tools=[TOOL], tool_choice=chosen)
    assert reply.choices[0].finish_reason == "length"
    (request,) = model.asked
    assert request.messages == (
        ChatMessage("system", "Be short."),
        ChatMessage("user", "one\ntwo"),
        ChatMessage("assistant", "", (NativeCall("delete", "{}", "c7"),)),
        ChatMessage("tool", "done", tool_call_id="c7"),
    )
    assert (request.stage, request.tool_choice) == ("recall", "delete")


def test_questions_and_documents_are_embedded_apart(lent: Serving) -> None:
    gateway = lent(says(""))

    def role(stage: str, **more: str) -> int:
        reply = client(gateway, "r", "h", stage).embeddings.create(
            model="ours", input="Ann", encoding_format="float", extra_body=more
        )
        return reply.data[0].embedding.index(1.0)

    assert [role("index"), role("recall"), role("read")] == [0, 1, 0]
    assert [role("recall", input_type="document"), role("index", input_type="query")] == [0, 1]
    assert role("recall", target="fact") == 2


def test_the_account_is_kept_by_run_history_and_stage(lent: Serving) -> None:
    gateway = lent(says("ok"))
    ask(gateway, "r", "h", "index", model="gpt-4o", temperature=0, seed=None, stream=False)
    ask(gateway, "r", "h", "index", max_tokens=7)
    client(gateway, "r", "h", "recall").embeddings.create(model="ours", input=["a", "b"])
    with pytest.raises(APIStatusError):
        ask(gateway, "r", "h", "recall", n=2)
    told = account(gateway)
    no_chat = {
        "calls": 0,
        "prompt_tokens": 0,
        "completion_tokens": 0,
        "cut_replies": 0,
        "overridden": {},
    }
    no_texts = {"embedding_calls": 0, "embedded_texts": 0}
    chat = {"calls": 2, "prompt_tokens": 20, "completion_tokens": 4, "cut_replies": 0}
    chat["overridden"] = {"max_tokens": 1, "model": 1, "temperature": 1}
    embedded = {"embedding_calls": 1, "embedded_texts": 2}
    here = {"run": "r", "history": "h"}
    assert told == {
        "model": "ours",
        "total": {**chat, **embedded, "errors": {"400": 1}},
        "places": [
            {**here, "stage": "index", **chat, **no_texts, "errors": {}},
            {**here, "stage": "recall", **no_chat, **embedded, "errors": {"400": 1}},
        ],
    }
    assert gateway.usage("r", "h", "index") == Usage(2, 20, 4)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"stream": True}, "stream=true"),
        ({"n": 2}, "n=1, not 2"),
        ({"logprobs": True}, "logprobs"),
        ({"functions": [{"name": "f", "parameters": {}}]}, "as tools"),
        ({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}, "image_url"),
        ({"messages": [{"role": "user", "content": [{"type": ["text"]}]}]}, "'text'"),
        ({"messages": [{"role": "function", "content": "x", "name": "f"}]}, "messages.0.role"),
        ({"messages": "Hi"}, "messages: "),
        ({"response_format": {"type": "xml"}}, "response_format.type"),
    ],
)
def test_what_there_is_no_answer_for_is_refused(
    lent: Serving, wrong: dict[str, Any], told: str
) -> None:
    model = says("ok")
    with pytest.raises(APIStatusError, match=told) as caught:
        ask(lent(model), **wrong)
    assert (caught.value.status_code, model.asked) == (400, [])


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"input": [1, 2]}, "send texts"),
        ({"input": [[1, 2]]}, "send texts"),
        ({"input": "a", "dimensions": 8}, "3 dimensions, not 8"),
        ({"input": "a", "extra_body": {"input_type": "poem"}}, "input_type"),
    ],
)
def test_what_cannot_be_embedded_is_refused(
    lent: Serving, wrong: dict[str, Any], told: str
) -> None:
    with pytest.raises(APIStatusError, match=told) as caught:
        client(lent(says(""))).embeddings.create(model="ours", **wrong)
    assert caught.value.status_code == 400


def test_a_path_without_a_stage_is_none(lent: Serving) -> None:
    gateway = lent(says("ok"))
    for label in ("/run/r/h/think", "/run/r/index", "/run/a/b/c/index"):
        url = f"{gateway.url}{label}/v1"
        with pytest.raises(APIStatusError, match="where <stage> is one of index, recall") as caught:
            OpenAI(base_url=url, api_key=gateway.token, max_retries=0).chat.completions.create(
                model="ours", messages=ASKED
            )
        assert caught.value.status_code == 404
    plain = OpenAI(base_url=f"{gateway.url}/v1", api_key=gateway.token)
    assert plain.chat.completions.create(model="ours", messages=ASKED).choices
    (place,) = account(gateway)["places"]
    assert (place["run"], place["history"], place["stage"]) == ("", "", "index")


def refused() -> ModelUnavailableError:
    error = ModelUnavailableError("the endpoint refuses it")
    error.__cause__ = EndpointError("400", retryable=False)
    return error


@pytest.mark.parametrize(
    ("failure", "status"),
    [
        (BudgetReachedError("the budget is reached"), 402),
        (ReplayMissError("no reply is stored"), 409),
        (UnusableReplyError("no usable reply", Usage(2, 30, 4)), 502),
        (refused(), 502),
        (StopRunError("no key is set"), 503),
    ],
)
def test_a_failure_that_stays_is_told_once(lent: Serving, failure: Exception, status: int) -> None:
    model = Model(failure)
    gateway = lent(model)
    with pytest.raises(APIStatusError, match=str(failure)) as caught:
        client(gateway, "r", "h", "index", retries=2).chat.completions.create(
            model="ours", messages=ASKED
        )
    assert (caught.value.status_code, len(model.asked)) == (status, 1)
    assert gateway.failure("r", "h", "index") is failure
    assert gateway.failure("r", "h", "recall") is None
    (place,) = account(gateway)["places"]
    assert place["errors"] == {str(status): 1}
    assert gateway.usage("r", "h", "index") == getattr(failure, "usage", Usage())


def test_an_outage_says_when_to_ask_again_and_then_nothing_is_lost(
    serving: Callable[..., StubServer],
    failing: Callable[..., StubServer],
    model_on: ModelOn,
    lent: Serving,
) -> None:
    away = lent(model_on(failing("500", tries=99)))
    with pytest.raises(APIStatusError, match="this failure was injected") as caught:
        ask(away)
    assert caught.value.status_code == 503
    assert int(caught.value.response.headers["Retry-After"]) > 0
    assert ask(lent(model_on(serving()))).choices


def test_a_request_that_json_cannot_say_is_refused(
    stub: StubServer, model_on: ModelOn, lent: Serving
) -> None:
    gateway = lent(model_on(stub))
    tool = {"type": "function", "function": {"name": "f", "parameters": {"least": float("nan")}}}
    body = json.dumps({"model": "ours", "messages": ASKED, "tools": [tool]})
    assert _posted(gateway, body, {})[0] == 400


def test_an_embedder_that_fails_is_an_outage(lent: Serving) -> None:
    class Failing(Roles):
        def embed_documents(self, texts: Sequence[str]) -> Vectors:
            raise ValueError("the key is not set")

    with pytest.raises(APIStatusError, match="the key is not set") as caught:
        client(lent(says(""), Failing())).embeddings.create(model="ours", input="a")
    assert caught.value.status_code == 503


def test_the_account_of_many_threads_is_that_of_the_endpoint(
    stub: StubServer, model_on: ModelOn, lent: Serving
) -> None:
    gateway = lent(model_on(stub), HashingEmbedder(dimension=8))
    asking = client(gateway, "r", "h", "index")

    def asked(number: int) -> int:
        said = [{"role": "user", "content": f"Ann went to Rome {number} times."}]
        asking.embeddings.create(model="ours", input=[f"text {number}", "b"])
        reply = asking.chat.completions.create(model="ours", messages=said)
        return int(reply.usage.total_tokens)

    with ThreadPoolExecutor(16) as pool:
        tokens = sum(pool.map(asked, range(32)))
    total, sent = account(gateway)["total"], stub.counts.total
    assert (total["calls"], total["embedded_texts"]) == (32, 64) == (sent.replies, 64)
    assert total["prompt_tokens"] == sent.prompt_tokens
    assert total["completion_tokens"] == sent.completion_tokens
    assert tokens == sent.prompt_tokens + sent.completion_tokens


def _key(gateway: Gateway) -> dict[str, str]:
    return {"Authorization": f"Bearer {gateway.token}"}


def _posted(gateway: Gateway, body: str, headers: dict[str, str]) -> tuple[int, bytes]:
    host = gateway.url.removeprefix("http://")
    connection = http.client.HTTPConnection(host, timeout=60)
    sent = {"Content-Type": "application/json"} | _key(gateway) | headers
    connection.request("POST", "/v1/chat/completions", body, sent)
    reply = connection.getresponse()
    content = reply.read()
    connection.close()
    return reply.status, content
