"""The stub without a server: an endpoint whose replies are made up here, to rehearse a run.

Its tokens are estimated ones, as nothing counts those of a model that is not asked.
"""

from collections.abc import Mapping
from typing import Any

from remem.llm.endpoint import STUB, Answered
from remem.llm.likelihood import LikelihoodRequest, written
from remem.metrics.tokens import estimated_tokens
from remem.protocols import ChatReply, ChatRequest, NativeCall, StopRunError
from remem.serve.chat_requests import ChatCompletionRequest
from remem.serve.stub_extraction import Size
from remem.serve.stub_replies import said
from remem.types import Usage

LIKELIHOOD = -1.0
"""The natural log-probability of every token."""


class StubEndpoint:
    """Answers as the stub does.

    Args:
        size: Whether a session is extracted at the paper's size.
        max_output_tokens: The most tokens a reply may have.
        model: The name of the model that it stands in for.
    """

    def __init__(self, *, size: Size, max_output_tokens: int, model: str = STUB) -> None:
        self._size = size
        self._model = model
        self._max_output_tokens = max_output_tokens

    @property
    def kind(self) -> str:
        """Return that it is none in earnest."""
        return STUB

    @property
    def model(self) -> str:
        """Return the name of the model that it stands in for; that of the stub if there is none."""
        return self._model

    @property
    def settings(self) -> Mapping[str, Any]:
        """Return the size of its extractions."""
        return {"size": self._size}

    @property
    def max_output_tokens(self) -> int:
        """Return the most tokens a reply may have."""
        return self._max_output_tokens

    @property
    def address(self) -> str:
        """Return that nothing is sent anywhere."""
        return "nowhere"

    def send(self, request: ChatRequest) -> Answered:
        """Make up a reply."""
        asked = _completion_request(request, self._max_output_tokens)
        reply = said(asked, self._size)
        calls = tuple(NativeCall(name, arguments) for name, arguments in reply.calls)
        written = "".join((reply.text, *(call.arguments for call in calls)))
        usage = Usage(1, estimated_tokens(asked.text), estimated_tokens(written))
        return Answered(ChatReply(reply.text, calls, reply.cut, usage), 0.0)

    def likelihood(self, request: LikelihoodRequest) -> Answered:
        """Find each token of a text as likely as any other."""
        tokens = max(1, estimated_tokens(request.text))
        usage = Usage(1, estimated_tokens(request.prompt), tokens)
        return Answered(ChatReply(written([LIKELIHOOD] * tokens), (), False, usage), 0.0)

    def stop(self, reason: StopRunError) -> None:
        """Do nothing: nothing waits to be sent."""


def _completion_request(request: ChatRequest, most_tokens: int) -> ChatCompletionRequest:
    body: dict[str, Any] = {
        "model": STUB,
        "messages": [{"role": one.role, "content": one.content} for one in request.messages],
        "max_tokens": most_tokens,
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
