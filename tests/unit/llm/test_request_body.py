"""The body of a request: unescaped text, and limits that end a list before the token limit."""

from typing import Any

import pytest

from remem.errors import StopRunError
from remem.llm.request_body import BodyFormat, with_limits
from remem.protocols import ChatMessage, ChatRequest, NativeCall, ToolSpec

STRICT = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
LOOK = ToolSpec("look", "Looks.", STRICT)
USER = (ChatMessage("user", "x"),)


def body(request: ChatRequest, **changes: Any) -> dict[str, Any]:
    settings: dict[str, Any] = {
        "kind": "openai-chat",
        "model": "m",
        "sampling": {},
        "max_output_tokens": 50,
        "token_parameter": "max_tokens",
        "json_mode": "schema",
        "tool_choice": "required",
    }
    return BodyFormat(**(settings | changes)).body(request)


def asked(**fields: Any) -> ChatRequest:
    return ChatRequest("read", USER, **fields)


def json_schema(schema: object, **strict: bool) -> dict[str, object]:
    named = {"name": "reply", "schema": schema, **strict}
    return {"type": "json_schema", "json_schema": named}


def test_only_what_is_set_is_sent_and_the_limit_has_the_name_of_the_endpoint() -> None:
    messages = [{"role": "user", "content": "x"}]
    assert body(asked()) == {"model": "m", "messages": messages, "max_tokens": 50}


ANY, ONE_OF = {"type": "object"}, {"anyOf": [STRICT]}


@pytest.mark.parametrize(
    ("json_mode", "fields", "expected"),
    [
        ("schema", {"reply_schema": STRICT}, json_schema(STRICT, strict=True)),
        ("schema", {"reply_schema": ANY}, {"type": "json_object"}),
        ("object", {"reply_schema": STRICT}, {"type": "json_object"}),
        ("text", {"reply_schema": STRICT}, None),
        (
            "alternatives",
            {"reply_schema": STRICT, "reply_alternatives": ONE_OF},
            json_schema(ONE_OF),
        ),
        ("alternatives", {"reply_schema": STRICT}, json_schema(STRICT, strict=True)),
    ],
)
def test_a_schema_is_asked_for_as_the_endpoint_can(
    json_mode: str, fields: dict[str, Any], expected: object
) -> None:
    assert body(asked(**fields), json_mode=json_mode).get("response_format") == expected


@pytest.mark.parametrize(("json_mode", "sent"), [("alternatives", "root"), ("schema", None)])
def test_a_grammar_is_sent_only_where_the_endpoint_takes_one(
    json_mode: str, sent: str | None
) -> None:
    assert body(asked(reply_grammar="root"), json_mode=json_mode).get("grammar") == sent


@pytest.mark.parametrize(
    ("of_endpoint", "of_request", "sent"),
    [
        ("required", "", "required"),
        ("required", "auto", "auto"),
        ("required", "look", {"type": "function", "function": {"name": "look"}}),
    ],
)
def test_tools_are_sent_with_the_choice_of_the_request_or_else_of_the_endpoint(
    of_endpoint: str, of_request: str, sent: object
) -> None:
    fields = body(asked(tools=(LOOK,), tool_choice=of_request), tool_choice=of_endpoint)
    function = {"name": "look", "description": "Looks.", "parameters": STRICT}
    assert fields["tools"] == [{"type": "function", "function": function}]
    assert fields["tool_choice"] == sent


def test_calls_and_what_came_of_them_are_sent_as_such() -> None:
    call = ChatMessage("assistant", "", (NativeCall("look", "{}", "c1"),))
    result = ChatMessage("tool", "a boat", tool_call_id="c1")
    function = {"name": "look", "arguments": "{}"}
    calls = [{"id": "c1", "type": "function", "function": function}]
    assert body(ChatRequest("index", (*USER, call, result)))["messages"] == [
        {"role": "user", "content": "x"},
        {"role": "assistant", "content": "", "tool_calls": calls},
        {"role": "tool", "content": "a boat", "tool_call_id": "c1"},
    ]


def test_a_base_model_is_asked_for_no_tool_calls() -> None:
    with pytest.raises(StopRunError, match="cannot call tools; use planner=llm"):
        body(asked(tools=(LOOK,)), kind="openai-completion")


@pytest.mark.parametrize("wrong", [{"json_mode": "xml"}, {"kind": "chat"}])
def test_a_setting_that_there_is_not_is_refused(wrong: dict[str, str]) -> None:
    (name,) = wrong
    with pytest.raises(ValueError, match=f"{name} is .*, expected '"):
        body(asked(), **wrong)


TEXT = {"type": "string", "maxLength": 300}
FACT = {"type": "object", "properties": {"subject": {"type": "string", "maxLength": 80}}}
SCHEMA = {
    "type": "object",
    "properties": {
        "gists": {"type": "array", "items": TEXT},
        "facts": {"type": "array", "items": FACT},
        "thought": TEXT,
    },
}


@pytest.mark.parametrize(("most_tokens", "gists", "facts"), [(256, 2, 5), (1, 1, 1)])
def test_a_list_has_as_many_items_as_the_tokens_are_enough_for(
    most_tokens: int, gists: int, facts: int
) -> None:
    # 256 tokens have 512 characters: 2 texts of 192 + 4; 5 facts of 4 + 11 + 80 + 4 characters.
    limited = with_limits(SCHEMA, most_tokens)["properties"]
    assert (limited["gists"]["maxItems"], limited["facts"]["maxItems"]) == (gists, facts)


def test_a_text_that_stands_alone_ends_too_in_every_alternative() -> None:
    alone = {"type": "object", "properties": {"thought": TEXT}}
    for most, length in ((256, 85), (900, 300), (4096, 300)):
        limited = with_limits({"anyOf": [alone, alone]}, most)["anyOf"]
        assert [part["properties"]["thought"]["maxLength"] for part in limited] == [length] * 2
