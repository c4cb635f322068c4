"""Requests of other programs become ours, and fields without an equivalent are named."""

from typing import Any

import pytest

from remem.apps.rivals.gateway_requests import read_chat, read_embeddings
from remem.protocols import ChatRequest

SCHEMA = {"type": "object", "properties": {"name": {"type": "string"}}}
TOOL: dict[str, Any] = {"type": "function", "function": {"name": "look"}}


def ours(**differing: Any) -> ChatRequest:
    body = {"model": "m", "messages": [{"role": "user", "content": "x"}]} | differing
    return read_chat(body).ours("index")


@pytest.mark.parametrize(
    ("wanted", "schema", "strict"),
    [
        (None, None, True),
        ({"type": "text"}, None, True),
        ({"type": "json_object"}, {"type": "object"}, True),
        ({"type": "json_schema", "json_schema": {"name": "n", "schema": SCHEMA}}, SCHEMA, False),
        (
            {"type": "json_schema", "json_schema": {"name": "n", "schema": SCHEMA, "strict": True}},
            SCHEMA,
            True,
        ),
    ],
)
def test_a_schema_is_asked_for_as_strictly_as_it_came(
    wanted: object, schema: object, strict: bool
) -> None:
    request = ours(response_format=wanted)
    assert (request.reply_schema, request.strict) == (schema, strict)


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        (None, "auto"),
        ("none", "none"),
        ("required", "required"),
        ({"type": "function", "function": {"name": "look"}}, "look"),
    ],
)
def test_the_choice_among_tools_is_the_callers(choice: object, expected: str) -> None:
    assert ours(tools=[TOOL], tool_choice=choice).tool_choice == expected
    assert ours(tool_choice=choice).tool_choice == ""


def test_what_is_left_out_is_named() -> None:
    message = {"role": "user", "content": "x", "name": "Ann", "refusal": None}
    strict = {"type": "function", "function": {"name": "look", "strict": True}}
    asked = read_chat(
        {
            "model": "gpt-4o",
            "messages": [message, message],
            "tools": [strict],
            "temperature": 0,
            "parallel_tool_calls": False,
            "seed": None,
            "stream": False,
            "n": 1,
        }
    )
    left_out = ["messages.name", "model", "parallel_tool_calls", "temperature", "tools.strict"]
    assert sorted(asked.left_out("ours")) == left_out
    embedding = read_embeddings({"model": "ours", "input": "x", "user": "u", "target": "fact"})
    assert list(embedding.left_out("ours")) == ["user"]
