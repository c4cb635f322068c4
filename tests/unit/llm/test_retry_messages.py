"""What a model is told of a reply that could not be used."""

import pytest

from remem.llm.retry_messages import MOST_CHARACTERS, append_rejection, repeats
from remem.protocols import ChatMessage, ChatReply, ChatRequest, NativeCall
from remem.types import Usage

REQUEST = ChatRequest("recall", (ChatMessage("user", "Which tool?"),))


def told(text: str, *calls: NativeCall, reason: str = "it is empty") -> tuple[str, str]:
    asked = append_rejection(REQUEST, ChatReply(text, calls, False, Usage()), reason)
    assert asked.messages[:1] == REQUEST.messages
    return asked.messages[1].content, asked.messages[2].content


def test_calls_are_told_as_text_and_an_empty_reply_as_such() -> None:
    assert told("")[0] == "(nothing)"
    assert told("Look.", NativeCall("find", '{"a": 1}'))[0] == 'Look.\nfind {"a": 1}'


def test_a_long_reply_is_told_in_part_and_a_reason_on_one_line() -> None:
    said, wrong = told("x" * 10**6, reason="a\nb")
    assert len(said) == MOST_CHARACTERS
    assert "could not be used: a b." in wrong


def test_half_a_character_is_told_as_something_that_can_be_sent() -> None:
    said, wrong = told("\ud83d", reason="found \ud83d")
    assert (said + wrong).encode()


CUT = "the reply was cut at the token limit"


@pytest.mark.parametrize("text", ["The reply was cut at the token limit.", f"{CUT}\n\n{CUT}\n"])
def test_a_reply_of_nothing_but_the_reason_repeats_it(text: str) -> None:
    assert repeats(ChatReply(text, (), False, Usage()), CUT)


@pytest.mark.parametrize("text", ["", "the reply", "Rome", f"{CUT}, so once more. Answer: Rome"])
def test_a_reply_that_says_something_else_too_repeats_nothing(text: str) -> None:
    assert not repeats(ChatReply(text, (), False, Usage()), CUT)
