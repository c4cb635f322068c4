"""The stub through the library openai: one model name, deterministic replies, its own account."""

import json
import urllib.request
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from openai import BadRequestError, NotFoundError, OpenAI

from remem.embed.hashing import HashingEmbedder
from remem.serve.stub.stub import STUB_MODEL, StubServer

ASKED = [
    {"role": "user", "content": "[8 May 2023] Ann: I moved to Rome.\n\nQuestion: Where is Ann?"}
]


NONE: list[dict[str, Any]] = [
    {"type": 7},
    {"type": []},
    {"anyOf": []},
    {"properties": {"a": "text"}},
    {"$defs": {"a": 1}},
    {"type": "array", "items": 3},
    {"type": "array", "minItems": 10**9},
    {"type": "string", "minLength": -1},
    {"type": "integer", "minimum": 1e300},
]
"""Schemas that no value can be made for."""


def asking_for(schema: dict[str, Any]) -> dict[str, Any]:
    named = {"name": "r", "schema": {"type": "object", "properties": {"a": schema}}}
    return {"response_format": {"type": "json_schema", "json_schema": named}}


def client(stub: StubServer, label: str = "") -> OpenAI:
    return OpenAI(base_url=f"{stub.url}{label}/v1", api_key="none", max_retries=0, timeout=60)


def ask(stub: StubServer, label: str = "", **differing: Any) -> Any:
    request = {"model": STUB_MODEL, "messages": ASKED} | differing
    return client(stub, label).chat.completions.create(**request)


def get(stub: StubServer, path: str) -> Any:
    with urllib.request.urlopen(stub.url + path, timeout=60) as reply:
        return json.loads(reply.read())


def test_a_completion_is_one_of_openai(stub: StubServer) -> None:
    reply = ask(stub)
    assert (reply.model, reply.object, len(reply.choices)) == (STUB_MODEL, "chat.completion", 1)
    assert reply.choices[0].finish_reason == "stop"
    assert reply.choices[0].message.content.startswith("Thought: ")
    # [ 8 May 2023 ] Ann : I moved to Rome . Question : Where is Ann ?
    assert reply.usage.prompt_tokens == 18
    assert reply.usage.total_tokens == 18 + reply.usage.completion_tokens


def test_no_other_model_is_answered(stub: StubServer) -> None:
    for model in ("gpt-4.1-mini-2025-04-14", "Loopback-Stub", ""):
        with pytest.raises(NotFoundError, match=STUB_MODEL):
            ask(stub, model=model)
        with pytest.raises(NotFoundError, match=STUB_MODEL):
            client(stub).embeddings.create(model=model, input="a")
    assert stub.counts.total.requests == 0


@pytest.mark.parametrize(
    "wrong",
    [
        {"stream": True},
        {"n": 2},
        {"messages": [{"role": "user", "content": 7}]},
        {"response_format": {"type": "xml"}},
        *(asking_for(schema) for schema in NONE),
    ],
)
def test_what_it_cannot_do_is_refused(stub: StubServer, wrong: dict[str, Any]) -> None:
    with pytest.raises(BadRequestError):
        ask(stub, **wrong)


def test_a_reply_depends_on_the_request_alone(serving: Callable[..., StubServer]) -> None:
    first, second = serving(), serving()
    other = [{"role": "user", "content": "Question: Who?"}]
    replies = [ask(first), ask(first, messages=other), ask(first), ask(second)]
    assert replies[0] == replies[2] == replies[3]
    assert replies[0] != replies[1]


def test_a_reply_longer_than_allowed_is_cut_as_an_endpoint_does(stub: StubServer) -> None:
    reply = ask(stub, max_completion_tokens=3)
    assert reply.choices[0].message.content == "Thought: This "
    assert (reply.choices[0].finish_reason, reply.usage.completion_tokens) == ("length", 3)


def test_the_arguments_of_a_call_are_cut_at_the_limit_too(stub: StubServer) -> None:
    tools = [{"type": "function", "function": {"name": "output_answer", "parameters": {}}}]
    whole = ask(stub, tools=tools)
    tokens = whole.usage.completion_tokens
    cut = ask(stub, tools=tools, max_completion_tokens=tokens - 2)
    assert whole.choices[0].finish_reason == "tool_calls"
    assert (cut.choices[0].finish_reason, cut.usage.completion_tokens) == ("length", tokens - 2)
    (given,), (left,) = (item.choices[0].message.tool_calls for item in (whole, cut))
    assert given.function.arguments.startswith(left.function.arguments)
    assert given.function.arguments != left.function.arguments
    none = ask(stub, tools=tools, max_completion_tokens=2)
    assert not none.choices[0].message.tool_calls
    assert (none.choices[0].finish_reason, none.usage.completion_tokens) == ("length", 2)


def test_embeddings_are_those_of_the_hashing_embedder(stub: StubServer) -> None:
    expected = HashingEmbedder(dimension=256).embed_documents(["Ann moved.", "a cat"])
    kwargs = {"model": STUB_MODEL, "input": ["Ann moved.", "a cat"]}
    plain = client(stub).embeddings.create(**kwargs, encoding_format="float")
    np.testing.assert_array_equal(
        np.array([item.embedding for item in plain.data], dtype=np.float32), expected
    )
    packed = client(stub).embeddings.create(**kwargs)  # base64 is what the library asks for
    np.testing.assert_array_equal(
        np.array([item.embedding for item in packed.data], dtype=np.float32), expected
    )
    assert plain.usage.prompt_tokens == 5


def test_the_account_says_what_was_asked_and_sent(stub: StubServer) -> None:
    reply = ask(stub, label="/run/r1/read")
    ask(stub, label="/run/r1/read")
    client(stub).embeddings.create(model=STUB_MODEL, input="Ann moved.")
    counts = stub.counts
    chat = counts.paths["/run/r1/read/v1/chat/completions"]
    assert (chat.requests, chat.replies) == (2, 2)
    assert chat.prompt_tokens == 2 * reply.usage.prompt_tokens
    assert chat.completion_tokens == 2 * reply.usage.completion_tokens
    assert counts.kinds["read"] == chat
    assert counts.kinds["embeddings"].prompt_tokens == 3
    assert (counts.total.requests, counts.total.replies) == (3, 3)
    assert sorted(counts.bodies.values()) == [1, 2]
    assert get(stub, "/counts") == counts.as_json()


def test_it_lists_its_model_and_is_well(stub: StubServer) -> None:
    assert [model.id for model in client(stub).models.list()] == [STUB_MODEL]
    assert get(stub, "/health") == {"status": "ok"}
