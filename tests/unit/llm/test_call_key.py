"""A call's key depends on all that is sent; a replay returns what was recorded, or stops."""

import hashlib
from collections.abc import Callable
from dataclasses import replace
from types import MappingProxyType, SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.errors import ReplayMissError
from remem.llm.replay import ReplayEndpoint, call_key, sent_json
from remem.protocols import ChatMessage, ChatReply, ChatRequest, NativeCall, ToolSpec

Make = Callable[..., Any]


def test_the_json_is_canonical_and_holds_everything(answering: Make, request_of: Make) -> None:
    tool = ToolSpec("find", "Find.", {"type": "object"})
    request = request_of("Où?", reply_schema={"type": "object"}, tools=(tool,))
    assert sent_json(answering("x"), request) == (
        '{"kind":"listed-chat","max_output_tokens":100,"messages":[["user","O\\u00f9?"]],'
        '"model":"gpt-4.1-mini-2025-04-14","reply_schema":{"type":"object"},'
        '"settings":{"temperature":0},"tools":[["find","Find.",{"type":"object"}]]}'
    )


def test_the_key_is_the_sha256_of_the_json_with_repeat_and_attempt() -> None:
    content = b'{"attempt":2,"repeat":1,"sent":{"a":1}}'
    assert call_key('{"a":1}', repeat=1, attempt=2) == hashlib.sha256(content).hexdigest()


def test_everything_that_is_sent_shapes_the_key(answering: Make, request_of: Make) -> None:
    endpoint, request = answering("x"), request_of("Who?")
    other_endpoints = [
        answering("x", kind="stub"),
        answering("x", model="gpt-5-chat"),
        answering("x", settings={"temperature": 1}),
        answering("x", max_output_tokens=101),
    ]
    other_requests = [
        request_of("Who"),
        request_of("Who?", reply_schema={}),
        request_of("Who?", tools=(ToolSpec("a", "b", {}),)),
        request_of("Who?", tools=(ToolSpec("a", "b", {}),), tool_choice="auto"),
        request_of("Who?", strict=False),
        ChatRequest("read", (ChatMessage("user", "Who?", tool_call_id="a"),)),
        ChatRequest("read", (ChatMessage("user", "Who?", (NativeCall("a", "b"),)),)),
        ChatRequest("read", (ChatMessage("user", "Who?", (NativeCall("a", "b", "c"),)),)),
        ChatRequest("read", (ChatMessage("system", "Who?"),)),
        ChatRequest("read", (ChatMessage("user", "Who?"), ChatMessage("user", ""))),
    ]
    sent = [sent_json(endpoint, request)]
    sent += [sent_json(other, request) for other in other_endpoints]
    sent += [sent_json(endpoint, other) for other in other_requests]
    assert len(set(sent)) == 15
    keys = {call_key(sent[0], repeat, attempt) for repeat in range(3) for attempt in range(3)}
    assert len(keys) == 9


def test_the_order_and_the_type_of_a_mapping_do_not_matter(
    answering: Make, request_of: Make
) -> None:
    first = answering("x", settings={"seed": 1, "extra": {"a": 1, "b": 2}})
    second = answering("x", settings=MappingProxyType({"extra": {"b": 2, "a": 1}, "seed": 1}))
    assert sent_json(first, request_of("x")) == sent_json(second, request_of("x"))


@pytest.mark.parametrize("value", [float("nan"), b"x"])
def test_what_json_has_no_form_for_is_refused(
    value: object, answering: Make, request_of: Make
) -> None:
    with pytest.raises(ValueError):
        sent_json(answering("x", settings={"odd": value}), request_of("x"))


@given(st.text(), st.text())
def test_texts_have_one_key_exactly_when_they_are_equal(first: str, second: str) -> None:
    endpoint: Any = SimpleNamespace(kind="k", model="m", max_output_tokens=1, settings={})
    one, two = (
        sent_json(endpoint, ChatRequest("read", (ChatMessage("user", text),)))
        for text in (first, second)
    )
    assert (call_key(one, 0, 0) == call_key(two, 0, 0)) == (first == second)


def test_alternatives_and_grammars_are_part_of_a_key_only_where_they_are_sent(
    answering: Any,
) -> None:
    plain = ChatRequest("recall", (ChatMessage("user", "x"),), reply_schema={"type": "object"})
    more = replace(plain, reply_alternatives={"anyOf": [{"type": "object"}]})
    strict = answering("", settings={"json_mode": "schema"})
    loose = answering("", settings={"json_mode": "alternatives"})
    assert sent_json(strict, more) == sent_json(strict, plain)
    assert sent_json(loose, more) != sent_json(loose, plain)
    lines = replace(plain, reply_grammar='root ::= "x"')
    assert sent_json(strict, lines) == sent_json(strict, plain)
    assert sent_json(loose, lines) != sent_json(loose, plain)


def text_of(reply: ChatReply) -> str:
    return reply.text


def test_what_was_recorded_is_served_and_a_miss_names_store_stage_question_and_key(
    answering: Make, chat_model: Make, request_of: Make
) -> None:
    recorded = answering("Ann")
    chat_model(recorded).ask(request_of("Who?"), text_of)
    replayed = chat_model(ReplayEndpoint(recorded=recorded))
    assert replayed.ask(request_of("Who?"), text_of)[0] == "Ann"
    request = request_of("Who came?\nSay it in one word.")
    key = call_key(sent_json(recorded, request), 0, 0)
    with pytest.raises(ReplayMissError) as miss:
        replayed.ask(request, text_of)
    said = str(miss.value)
    assert "calls.sqlite: no stored reply of gpt-4.1-mini-2025-04-14" in said
    assert "stage read whose last message begins with 'Who came?'" in said
    assert said.endswith(f"(key {key})")
    assert len(recorded.sent) == 1
