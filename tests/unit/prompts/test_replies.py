"""Any reply of a model becomes text, JSON objects or a rejection, within a short time."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.errors import RejectedReplyError
from remem.prompts.replies import json_at, json_objects, whole_text
from remem.protocols import ChatReply, NativeCall
from remem.types import Usage

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def reply(text: str, *, truncated: bool = False) -> ChatReply:
    return ChatReply(text, (), truncated, Usage())


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('Sure, {here} it is: {"a": {"b": "}"}} - done', [{"a": {"b": "}"}}]),
        ('{"a": 1}{"a": 2}', [{"a": 1}, {"a": 2}]),
        ('{"a": NaN}', []),
        ('{"a": "\\ud83d"}', []),
        ('{"a": "\\ud83d\\ude00"}', [{"a": "\U0001f600"}]),
        ('{"a": ' + "9" * 5000 + "}", []),
    ],
)
def test_the_outermost_objects_of_a_text_are_found(text: str, found: list[object]) -> None:
    assert list(json_objects(text)) == found


@given(st.text(alphabet='{}[]":,a1 \n\\', max_size=60), st.dictionaries(st.text(), values))
def test_an_object_after_prose_without_braces_is_found(
    prose: str, value: dict[str, object]
) -> None:
    before = prose.replace("{", "")
    assert next(json_objects(before + json.dumps(value) + prose)) == value


@pytest.mark.parametrize("text", ["{" * 10**6, '{"a":' * 200_000, '{"a": "' + "x" * 10**6])
def test_a_megabyte_of_garbage_is_read_in_time(text: str) -> None:
    begun = time.perf_counter()
    assert list(json_objects(text)) == []
    assert time.perf_counter() - begun < 30


@pytest.mark.parametrize(("inside", "closing"), [('{"a": ' * 99, "}" * 99), ("[" * 99, "]" * 99)])
def test_an_object_may_nest_a_hundred_levels(inside: str, closing: str) -> None:
    whole = '{"a": ' + inside + "1" + closing + "}"
    assert [json.dumps(found) for found in json_objects(whole)] == [whole]
    with pytest.raises(ValueError, match="nested more than 100 deep"):
        json_at('{"a": ' + whole + "}", 0)


def test_a_deep_reply_reads_the_same_wherever_it_is_read() -> None:
    text = '{"b": 1} ' + "[" * 500 + "]" * 500

    def deeper(calls: int) -> tuple[list[object], str]:
        if calls:
            return deeper(calls - 1)
        with pytest.raises(ValueError, match="nested more than 100 deep") as raised:
            json_at(text, text.index("["))
        return list(json_objects(text)), str(raised.value)

    assert deeper(0) == deeper(600)  # of the 1,000 calls that Python allows


def test_a_text_is_given_back_as_it_is() -> None:
    assert whole_text(reply(" Answer: é ")) == " Answer: é "


@pytest.mark.parametrize(
    "bad",
    [
        reply("Answer: Ro", truncated=True),
        reply("Answer: \ud83d"),
        ChatReply("", (NativeCall("\ud83d", "{}"),), False, Usage()),
    ],
)
def test_a_cut_reply_and_half_a_character_are_rejected(bad: ChatReply) -> None:
    with pytest.raises(RejectedReplyError):
        whole_text(bad)
