"""Chat completions as servers send them, well-formed or not."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.llm.channels import REFUSED
from remem.llm.completion import mark_if_full, read_completion
from remem.llm.endpoint import EndpointError
from remem.protocols import ChatReply, NativeCall
from remem.types import UNCOUNTED, Usage

USAGE = {"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15}


TWO_CALLS = [
    {"id": "a", "type": "function", "function": {"name": "look", "arguments": ""}},
    {"id": "b", "type": "function", "function": {"name": "find", "arguments": '{"q": 1}'}},
]
TWO = (NativeCall("look", ""), NativeCall("find", '{"q": 1}'))


def completion(message: object, finish_reason: object = "stop", usage: object = USAGE) -> bytes:
    choice = {"index": 0, "finish_reason": finish_reason, "message": message}
    return json.dumps({"choices": [choice], "usage": usage}).encode()


def call(function: object) -> dict[str, object]:
    return {"content": None, "tool_calls": [{"id": "c", "type": "function", "function": function}]}


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (completion({"content": "Berlin"}), ChatReply("Berlin", (), False, Usage(1, 12, 3))),
        (completion({"content": "Ber"}, "length"), ChatReply("Ber", (), True, Usage(1, 12, 3))),
        (
            completion({"content": None, "refusal": "no"}),
            ChatReply("", (), False, Usage(1, 12, 3), remarks=(REFUSED,)),
        ),
        (
            completion({"content": "Two.", "tool_calls": TWO_CALLS}, "tool_calls"),
            ChatReply("Two.", TWO, False, Usage(1, 12, 3)),
        ),
        (
            completion({"content": "x"}, usage=None),
            ChatReply("x", (), False, Usage(1, 0, 0), remarks=(UNCOUNTED,)),
        ),
    ],
)
def test_a_completion_is_read(content: bytes, expected: ChatReply) -> None:
    assert read_completion(content) == expected


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"<html>busy</html>", "a web page; is /v1 missing"),
        (b"\xff", "no JSON"),
        (b"[" * 100_000, "no JSON"),
        (b"[]", "the reply is '\\[\\]', expected dict"),
        (b'{"error": {"message": "overloaded"}}', "no choices: .*overloaded"),
        (b'{"choices": {"0": 1}}', "choices is"),
        (b'{"choices": [{}]}', "message is 'None', expected dict"),
        (completion({"content": "par"}, "content_filter"), "unknown reason 'content_filter'"),
        (completion({"content": 5}), "content is '5', expected str"),
        (completion({"content": [{"type": "image_url"}]}), "content.0 is 'image_url', expected"),
        (completion({"tool_calls": [TWO_CALLS[0], 7]}), "tool_calls.1 is '7'"),
        (completion(call({"arguments": "{}"})), "function.name is 'None'"),
        (completion(call({"name": "look", "arguments": [1]})), "function.arguments is"),
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


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        (3, (0, 0)),
        ({"prompt_tokens": "12", "completion_tokens": 3.0}, (12, 3)),
        ({"prompt_tokens": 10**30, "completion_tokens": "x"}, (0, 0)),
        ({"prompt_tokens": float("inf"), "completion_tokens": "1" * 99}, (0, 0)),
    ],
)
def test_a_reply_is_not_dropped_for_a_count_that_cannot_be_read(
    usage: object, tokens: tuple[int, int]
) -> None:
    reply = read_completion(completion({"content": "Berlin"}, usage=usage))
    assert (reply.text, reply.usage) == ("Berlin", Usage(1, *tokens))


def test_what_is_no_reply_is_kept_with_what_it_cost() -> None:
    content = json.dumps({"choices": None, "usage": {"prompt_tokens": 7}}).encode()
    with pytest.raises(EndpointError) as caught:
        read_completion(content)
    (came,) = caught.value.malformed
    assert (json.loads(came.text)["choices"], came.usage) == (None, Usage(1, 7, 0))


FULL_AT_TWO = {
    "properties": {
        "gists": {"type": "array", "maxItems": 2},
        "facts": {"type": "array", "maxItems": 5},
        "thought": {"type": "string"},
    }
}


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ('{"gists": ["a", "b"], "facts": []}', True),
        ('{"gists": ["a"], "facts": []}', False),
        ('{"gists": ["a", "b"', False),
        ('{"gists": null}', False),
        ('["a", "b"]', False),
        ("[" * 100_000, False),
    ],
)
def test_a_full_list_marks_its_reply_as_cut(text: str, cut: bool) -> None:
    reply = ChatReply(text, (), False, Usage())
    assert mark_if_full(reply, FULL_AT_TWO).truncated is cut
    assert not mark_if_full(reply, {}).truncated
