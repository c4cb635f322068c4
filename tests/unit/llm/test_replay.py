"""A replay returns recorded replies, and stops at a call that was not recorded."""

from collections.abc import Callable
from typing import Any

import pytest

from remem.errors import ReplayMissError
from remem.llm.replay import ReplayEndpoint, call_key, sent_json
from remem.protocols import ChatReply

Make = Callable[..., Any]


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
    assert "stage read whose last message begins 'Who came?'" in said
    assert said.endswith(f"(key {key})")
    assert len(recorded.sent) == 1
