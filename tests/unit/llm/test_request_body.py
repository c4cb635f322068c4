"""The body of a request: raw text, and limits that close a list before the token limit."""

import doctest

import pytest

from remem.llm import request_body
from remem.llm.request_body import with_limits

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


def test_the_examples_hold() -> None:
    assert doctest.testmod(request_body) == (0, 4)


@pytest.mark.parametrize(("most_tokens", "gists", "facts"), [(256, 2, 5), (1, 1, 1)])
def test_a_list_has_as_many_items_as_the_tokens_are_enough_for(
    most_tokens: int, gists: int, facts: int
) -> None:
    # 256 tokens have 512 characters: 2 texts of 192 + 4; 5 facts of 4 + 11 + 80 + 4 characters.
    limited = with_limits(SCHEMA, most_tokens)["properties"]
    assert (limited["gists"]["maxItems"], limited["facts"]["maxItems"]) == (gists, facts)


def test_a_text_in_a_list_is_never_longer_than_the_tokens_are_enough_for() -> None:
    lengths = [
        with_limits(SCHEMA, most)["properties"]["gists"]["items"]["maxLength"]
        for most in (200, 400, 4000)
    ]
    assert lengths == [150, 300, 300]


def test_a_text_that_stands_alone_ends_too_in_every_alternative() -> None:
    alone = {"type": "object", "properties": {"thought": TEXT}}
    for most, length in ((256, 85), (900, 300), (4096, 300)):
        limited = with_limits({"anyOf": [alone, alone]}, most)["anyOf"]
        assert [part["properties"]["thought"]["maxLength"] for part in limited] == [length] * 2
