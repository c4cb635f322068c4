"""A likelihood is handled like a chat call: asked once, stored, replayed, and never invented."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from remem.errors import ModelUnavailableError, RejectedReplyError, ReplayMissError, StopRunError
from remem.llm.endpoint import EndpointError, EndpointReply
from remem.llm.likelihood import (
    LikelihoodRequest,
    format_log_probabilities,
    likelihood_json,
    read_log_probabilities,
)
from remem.llm.replay import ReplayEndpoint
from remem.protocols import ChatReply
from remem.types import Usage

Make = Callable[..., Any]
REQUEST = LikelihoodRequest("judge", "Question: Who?\nIn short, the answer is:", " Ann")


@dataclass
class Likely:
    """Wraps a chat endpoint and returns the same likelihood for every text, or raises."""

    chat: Any
    values: Any = (-0.5, -1.25)
    asked: list[LikelihoodRequest] = field(default_factory=list)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.chat, name)

    def likelihood(self, request: LikelihoodRequest) -> EndpointReply:
        self.asked.append(request)
        if isinstance(self.values, Exception):
            raise self.values
        reply = ChatReply(
            format_log_probabilities(list(self.values)), (), truncated=False, usage=Usage(1, 12, 2)
        )
        return EndpointReply(reply, 0.25)


def test_another_model_setting_prompt_or_text_is_another_call(answering: Make) -> None:
    calls = [
        (answering("x"), REQUEST),
        (answering("x", model="other"), REQUEST),
        (answering("x", settings={"weights_sha256": "12"}), REQUEST),
        (answering("x"), replace(REQUEST, prompt="Question: Whom?\nIn short, the answer is:")),
        (answering("x"), replace(REQUEST, text=" Bob")),
    ]
    assert len({likelihood_json(endpoint, request) for endpoint, request in calls}) == 5


def test_a_likelihood_is_asked_for_once_and_replayed_and_an_unrecorded_one_is_a_miss(
    answering: Make, chat_model: Make
) -> None:
    recorded = Likely(answering("unused"))
    replayed = chat_model(ReplayEndpoint(recorded=recorded))
    for model in (chat_model(recorded), chat_model(recorded), replayed):
        assert model.likelihood(REQUEST) == ((-0.5, -1.25), Usage(1, 12, 2))
    with pytest.raises(ReplayMissError, match=r"no stored likelihood by .* whose text is ' Bob'"):
        replayed.likelihood(LikelihoodRequest("judge", REQUEST.prompt, " Bob"))
    assert (recorded.asked, recorded.chat.sent) == ([REQUEST], [])


def test_an_endpoint_that_tells_no_likelihood_stops_the_run(
    answering: Make, chat_model: Make
) -> None:
    with pytest.raises(StopRunError, match=r"gpt-4\.1-mini.* choose a model that the run serves"):
        chat_model(answering("text")).likelihood(REQUEST)


def test_a_failed_call_is_no_likelihood_and_is_asked_again(
    answering: Make, chat_model: Make
) -> None:
    endpoint = Likely(answering("unused"), EndpointError("down", retryable=True))
    with pytest.raises(ModelUnavailableError, match="judge: down"):
        chat_model(endpoint).likelihood(REQUEST)
    endpoint.values = (-2.0,)
    assert chat_model(endpoint).likelihood(REQUEST)[0] == (-2.0,)
    assert len(endpoint.asked) == 2


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", "[0.5]", "[true]", '["-1"]', "[null]", "[-1e999]"]
)
def test_what_is_no_list_of_log_probabilities_is_rejected(text: str) -> None:
    with pytest.raises(RejectedReplyError):
        read_log_probabilities(text)


def test_log_probabilities_are_kept_to_the_last_bit() -> None:
    values = [-0.1, -1 / 3, -1e-17, 0.0]
    assert read_log_probabilities(format_log_probabilities(values)) == tuple(values)
    assert json.loads(format_log_probabilities(values)) == values
