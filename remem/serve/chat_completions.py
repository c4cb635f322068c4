"""Parse requests to /v1/chat/completions for the stub; unknown fields are ignored."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from remem.llm.retry_messages import REJECTION
from remem.prompts.replies import json_objects
from remem.serve.account import Tally

SCHEMA_FOLLOWS = "following format:"
"""The text after which some clients put the schema in the prompt, for endpoints without schemas."""


class TextPart(BaseModel):
    """A text part of a message; parts of other types are refused."""

    type: Literal["text"]
    text: str


class ChatCompletionMessage(BaseModel):
    """One message."""

    role: str
    content: str | list[TextPart] | None = None

    @property
    def text(self) -> str:
        """The text of the message."""
        if isinstance(self.content, list):
            return "\n".join(part.text for part in self.content)
        return self.content or ""


class Function(BaseModel):
    """A tool."""

    name: str
    parameters: Mapping[str, Any] = {}


class Tool(BaseModel):
    """The JSON object that wraps a tool in a request."""

    function: Function


class JsonSchema(BaseModel):
    """The JSON object that wraps the schema of a reply."""

    schema_: Mapping[str, Any] = {}
    strict: bool | None = None
    model_config = ConfigDict(alias_generator=lambda name: name.rstrip("_"))


class ResponseFormat(BaseModel):
    """The requested format of a reply."""

    type: Literal["text", "json_object", "json_schema"]
    json_schema: JsonSchema | None = None


class ChatCompletionRequest(BaseModel):
    """The body of a request."""

    model: str
    messages: list[ChatCompletionMessage]
    response_format: ResponseFormat | None = None
    tools: list[Tool] | None = None
    tool_choice: Any = None
    max_tokens: int | None = None
    max_completion_tokens: int | None = None
    stream: Literal[False] | None = None
    n: Literal[1] | None = None

    @property
    def first_asked(self) -> list[ChatCompletionMessage]:
        """Return the messages, leaving out rejected replies and the requests to correct them."""
        messages = self.messages
        while (
            len(messages) > 2
            and messages[-1].text.startswith(REJECTION)
            and messages[-2].role == "assistant"
        ):
            messages = messages[:-2]
        return messages

    @property
    def system(self) -> str:
        """The texts of all messages in `first_asked` except the last one."""
        return "\n".join(message.text for message in self.first_asked[:-1])

    @property
    def last(self) -> str:
        """Return the text of the last message in `first_asked`."""
        return self.first_asked[-1].text if self.messages else ""

    @property
    def text(self) -> str:
        """Return the texts of all messages."""
        return "\n".join(message.text for message in self.messages)

    @property
    def functions(self) -> Sequence[Function]:
        """Return the tools that the request offers."""
        return [tool.function for tool in self.tools or []]

    @property
    def most_tokens(self) -> int | None:
        """Return the maximum number of tokens of the reply."""
        return self.max_completion_tokens or self.max_tokens

    @property
    def schema_of_reply(self) -> Mapping[str, Any]:
        """The JSON schema of the reply, from the request or from the prompt; empty if none."""
        sent = self.response_format.json_schema if self.response_format else None
        if sent is not None and "properties" in sent.schema_:
            return sent.schema_
        _, follows, after = self.last.rpartition(SCHEMA_FOLLOWS)
        schemas = json_objects(after) if follows else iter(())
        return next((schema for schema in schemas if "properties" in schema), {})


_TOKEN = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class StubReply:
    """A reply: a text, and tool calls as pairs of name and JSON arguments.

    `kind` is the kind of request; `cut` tells whether the reply was cut off at a limit.
    """

    kind: str
    text: str = ""
    calls: tuple[tuple[str, str], ...] = ()
    cut: bool = False


def count_tokens(text: str) -> int:
    """Count words and punctuation marks.

    >>> count_tokens("Ann's dog, 2 cats.")
    8
    """
    return sum(1 for _ in _TOKEN.finditer(text))


def within(reply: StubReply, most_tokens: int | None) -> StubReply:
    """Shorten a reply to at most `most_tokens`: cut the tool calls first, then the text."""
    if most_tokens is None or _written_tokens(reply) <= most_tokens:
        return reply
    text = _beginning(reply.text, most_tokens)
    left, calls = most_tokens - count_tokens(text), []
    for name, arguments in reply.calls:
        left -= count_tokens(name)
        if left >= 0:
            calls.append((name, _beginning(arguments, left)))
            left -= count_tokens(calls[-1][1])
    return StubReply(reply.kind, text, tuple(calls), cut=True)


def tally(request: ChatCompletionRequest, reply: StubReply) -> Tally:
    """Return the tally of one reply: its prompt tokens and completion tokens."""
    return Tally(0, 1, count_tokens(request.text), _written_tokens(reply))


def _written_tokens(reply: StubReply) -> int:
    return sum(map(count_tokens, (reply.text, *(part for call in reply.calls for part in call))))


def _beginning(text: str, tokens: int) -> str:
    """Return the beginning of a text with at most this number of tokens."""
    following = next(islice(_TOKEN.finditer(text), tokens, None), None)
    return text[: following.start()] if following else text


def completion(
    request: ChatCompletionRequest, reply: StubReply, body_sha256: str
) -> dict[str, Any]:
    """Return the response body for a reply; the same arguments always give the same body."""
    return completion_of(request.model, reply, tally(request, reply), body_sha256)


def completion_of(model: str, reply: StubReply, used: Tally, sha256: str) -> dict[str, Any]:
    """Return the response body for a model's reply; the ids in it are derived from `sha256`."""
    message: dict[str, Any] = {"role": "assistant", "content": reply.text or None, "refusal": None}
    if reply.calls:
        message["tool_calls"] = [
            {
                "id": f"call_{sha256[:16]}_{number}",
                "type": "function",
                "function": {"name": name, "arguments": arguments},
            }
            for number, (name, arguments) in enumerate(reply.calls)
        ]
    ended = "length" if reply.cut else "tool_calls" if reply.calls else "stop"
    choice = {"index": 0, "message": message, "finish_reason": ended, "logprobs": None}
    said_sha256 = hashlib.sha256(reply.text.encode("utf-8", "replace")).hexdigest()
    return {
        "id": f"chatcmpl-{said_sha256[:8]}{sha256[:16]}",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [choice],
        "usage": {
            "prompt_tokens": used.prompt_tokens,
            "completion_tokens": used.completion_tokens,
            "total_tokens": used.prompt_tokens + used.completion_tokens,
        },
    }
