"""The stub as an endpoint without a server, for rehearsing a run.

Its replies are made up, and its token counts are estimates, because no real model is called.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from remem.errors import StopRunError
from remem.files.json_text import json_value
from remem.llm.completion import mark_if_full
from remem.llm.endpoint import STUB, EndpointReply, JsonMode
from remem.llm.likelihood import LikelihoodRequest, format_log_probabilities
from remem.llm.request_body import with_limits
from remem.metrics.tokens import estimated_tokens
from remem.protocols import ChatReply, ChatRequest, NativeCall
from remem.serve.chat_completions import ChatCompletionRequest, StubReply, within
from remem.serve.stub.extraction import Size
from remem.serve.stub.replies import stub_reply
from remem.serve.stub.session import read_session
from remem.types import Usage

ITEMS_PER_MESSAGE = 2
"""Maximum gists or facts per message if part of a session is requested.

The paper's 27 gists and 28 facts per session are 1.3 of each per message of LoCoMo.
"""
LIKELIHOOD = -1.0
"""The natural log-probability of every token."""


class StubEndpoint:
    """An endpoint with the replies of the stub.

    Args:
        size: "paper" to extract as many gists and facts from a session as the paper, or "plain".
        max_output_tokens: The maximum number of tokens in a reply.
        model: The name of the model that the stub replaces.
        json_mode: How a reply schema is sent to the replaced model. With "alternatives", lists and
            texts in a reply are kept short, so that the reply stays below `max_output_tokens`.
    """

    def __init__(
        self,
        *,
        size: Size,
        max_output_tokens: int,
        model: str = STUB,
        json_mode: JsonMode = "schema",
    ) -> None:
        self._size = size
        self._has_ends = json_mode == "alternatives"
        self._model = model
        self._max_output_tokens = max_output_tokens

    @property
    def kind(self) -> str:
        """Return the kind of this endpoint, which marks its records as records of a stub."""
        return STUB

    @property
    def model(self) -> str:
        """Return the name of the model that the stub replaces, or the name of the stub."""
        return self._model

    @property
    def settings(self) -> Mapping[str, Any]:
        """Return the settings of the stub: the size of its extractions."""
        return {"size": self._size}

    @property
    def max_output_tokens(self) -> int:
        """Return the maximum number of tokens in a reply."""
        return self._max_output_tokens

    @property
    def address(self) -> str:
        """Return "nowhere" instead of an address, because nothing is sent."""
        return "nowhere"

    def send(self, request: ChatRequest) -> EndpointReply:
        """Return a made-up reply."""
        completion_request = _completion_request(request)
        made, ends = stub_reply(completion_request, self._size), self._ends(request)
        if ends:
            made = _ended(
                made, ends, ITEMS_PER_MESSAGE * len(read_session(completion_request.last).lines)
            )
        reply = within(made, self._max_output_tokens)
        calls = tuple(NativeCall(name, arguments) for name, arguments in reply.calls)
        format_log_probabilities = "".join((reply.text, *(call.arguments for call in calls)))
        usage = Usage(
            1, estimated_tokens(completion_request.text), estimated_tokens(format_log_probabilities)
        )
        return EndpointReply(
            mark_if_full(ChatReply(reply.text, calls, reply.cut, usage), ends), 0.0
        )

    def likelihood(self, request: LikelihoodRequest) -> EndpointReply:
        """Return a made-up likelihood, equal for each token of a text."""
        tokens = max(1, estimated_tokens(request.text))
        usage = Usage(1, estimated_tokens(request.prompt), tokens)
        return EndpointReply(
            ChatReply(format_log_probabilities([LIKELIHOOD] * tokens), (), False, usage), 0.0
        )

    def stop(self, reason: StopRunError) -> None:
        """Do nothing, because the stub never has a pending request."""

    def _ends(self, request: ChatRequest) -> Mapping[str, Any]:
        """Return the reply schema with maximum lengths; {} if the lengths are not limited."""
        if not self._has_ends or request.reply_alternatives is None:
            return {}
        return with_limits(request.reply_alternatives, self._max_output_tokens)


def _ended(made: StubReply, schema: Mapping[str, Any], most_items: int) -> StubReply:
    """Return a JSON reply whose texts and lists are cut to the maximum lengths of the schema.

    No list has more than `most_items`, so that a part of a session gives fewer items than the whole
    session.
    """
    return replace(made, text=json.dumps(_within(json_value(made.text), schema, most_items)))


def _within(value: Any, schema: Mapping[str, Any], most: int) -> Any:
    if isinstance(value, list):
        kept = value[: min(most, schema.get("maxItems", most))]
        return [_within(item, schema.get("items", {}), most) for item in kept]
    if isinstance(value, dict):
        parts = schema.get("properties", {})
        return {name: _within(part, parts.get(name, {}), most) for name, part in value.items()}
    return value[: schema.get("maxLength")] if isinstance(value, str) else value


def _completion_request(request: ChatRequest) -> ChatCompletionRequest:
    body: dict[str, Any] = {
        "model": STUB,
        "messages": [
            {"role": message.role, "content": message.content} for message in request.messages
        ],
    }
    if request.tools:
        body["tools"] = [
            {"function": {"name": tool.name, "parameters": tool.parameters}}
            for tool in request.tools
        ]
        body["tool_choice"] = request.tool_choice or None
    elif request.reply_schema is not None:
        schema = {"schema": request.reply_schema}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    return ChatCompletionRequest.model_validate(body)
