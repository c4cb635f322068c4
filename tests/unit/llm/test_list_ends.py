"""A list in a reply is closed before the token limit, and then it may not be all there is."""

import doctest

import pytest

from remem.llm import list_ends
from remem.llm.list_ends import cut_if_full, with_ends
from remem.protocols import ChatReply
from remem.types import Usage

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


def test_the_example_holds() -> None:
    assert doctest.testmod(list_ends) == (0, 2)


@pytest.mark.parametrize(("most_tokens", "gists", "facts"), [(256, 2, 5), (1, 1, 1)])
def test_a_list_has_as_many_items_as_the_tokens_are_enough_for(
    most_tokens: int, gists: int, facts: int
) -> None:
    # 256 tokens have 512 characters: 2 texts of 192 + 4; 5 facts of 4 + 11 + 80 + 4 characters.
    ended = with_ends(SCHEMA, most_tokens)["properties"]
    assert (ended["gists"]["maxItems"], ended["facts"]["maxItems"]) == (gists, facts)


def test_a_text_in_a_list_is_never_longer_than_the_tokens_are_enough_for() -> None:
    lengths = [
        with_ends(SCHEMA, most)["properties"]["gists"]["items"]["maxLength"]
        for most in (200, 400, 4000)
    ]
    assert lengths == [150, 300, 300]


def test_a_text_that_stands_alone_ends_too_in_every_alternative() -> None:
    alone = {"type": "object", "properties": {"thought": TEXT}}
    for most, length in ((256, 85), (900, 300), (4096, 300)):
        ended = with_ends({"anyOf": [alone, alone]}, most)["anyOf"]
        assert [part["properties"]["thought"]["maxLength"] for part in ended] == [length] * 2


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
    assert cut_if_full(reply, with_ends(SCHEMA, 256)).truncated is cut
    assert not cut_if_full(reply, SCHEMA).truncated
