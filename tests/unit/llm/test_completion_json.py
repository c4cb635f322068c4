"""Chat completions as servers send them, well-formed or not."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.llm.completion_json import read_completion
from remem.llm.endpoint import EndpointError
from remem.protocols import ChatReply
from remem.types import Usage

USAGE = {"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15}


def completion(message: object, finish_reason: object = "stop", usage: object = USAGE) -> bytes:
    choice = {"index": 0, "finish_reason": finish_reason, "message": message}
    return json.dumps({"choices": [choice], "usage": usage}).encode()


def call(function: object) -> dict[str, object]:
    return {"content": None, "tool_calls": [{"id": "c", "type": "function", "function": function}]}


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (completion({"content": "Berlin"}), ChatReply("Berlin", "", "", False, Usage(1, 12, 3))),
        (completion({"content": "Ber"}, "length"), ChatReply("Ber", "", "", True, Usage(1, 12, 3))),
        (
            completion({"content": None, "refusal": "no"}),
            ChatReply("", "", "", False, Usage(1, 12, 3)),
        ),
        (
            completion(call({"name": "look", "arguments": "{}"}), "tool_calls"),
            ChatReply("", "look", "{}", False, Usage(1, 12, 3)),
        ),
        (
            completion({"content": "x", "tool_calls": []}, None),
            ChatReply("x", "", "", False, Usage(1, 12, 3)),
        ),
        (completion({"content": "x"}, usage=None), ChatReply("x", "", "", False, Usage(1, 0, 0))),
    ],
)
def test_a_completion_is_read(content: bytes, expected: ChatReply) -> None:
    assert read_completion(content) == expected


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"<html>busy</html>", "no JSON"),
        (b"\xff", "no JSON"),
        (b"[" * 100_000, "no JSON"),
        (b"[]", "the reply is '\\[\\]', expected dict"),
        (b"{}", "no choices"),
        (b'{"choices": []}', "no choices"),
        (b'{"error": {"message": "overloaded"}}', "no choices: .*overloaded"),
        (b'{"choices": {"0": 1}}', "choices is"),
        (b'{"choices": [1]}', "choices.0 is '1'"),
        (b'{"choices": [{}]}', "message is 'None', expected dict"),
        (completion({"content": 5}), "content is '5', expected str"),
        (completion({"content": [{"text": "x"}]}), "content is"),
        (completion({"tool_calls": 1}), "tool_calls is"),
        (completion({"tool_calls": [None]}), "tool_calls.0 is"),
        (completion(call(None)), "function is"),
        (completion(call({"arguments": "{}"})), "function.name is 'None'"),
        (completion(call({"name": "look", "arguments": {"q": 1}})), "function.arguments is"),
        (completion({"content": "x"}, usage=3), "usage is"),
        (completion({"content": "x"}, usage={"prompt_tokens": "12"}), "prompt_tokens is '12'"),
        (completion({"content": "x"}, usage={"prompt_tokens": True}), "prompt_tokens is 'True'"),
        (completion({"content": "x"}, usage={"prompt_tokens": -1}), "usage of -1"),
        (completion({"content": "x"}, usage={"completion_tokens": 10**30}), "usage of 0 and 1000"),
    ],
)
def test_what_is_none_is_told_and_may_be_asked_for_again(content: bytes, told: str) -> None:
    with pytest.raises(EndpointError, match=told) as caught:
        read_completion(content)
    assert caught.value.retryable


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@given(st.dictionaries(st.sampled_from(["content", "tool_calls", "refusal"]), JSON), JSON, JSON)
def test_any_json_is_a_reply_or_an_error_of_the_endpoint(
    message: dict[str, Any], reason: object, usage: object
) -> None:
    try:
        reply = read_completion(completion(message, reason, usage))
    except EndpointError:
        return
    assert isinstance(reply.text, str)
    assert reply.usage.prompt_tokens >= 0
