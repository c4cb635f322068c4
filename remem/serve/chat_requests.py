"""Parse requests to /v1/chat/completions for the stub; unknown fields are ignored."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from remem.llm.retry_messages import REJECTION
from remem.prompts.replies import json_objects

SCHEMA_FOLLOWS = "following format:"
"""The text after which some clients put the schema in the prompt, for endpoints without schemas."""


class TextPart(BaseModel):
    """A part of a message; only texts are understood."""

    type: Literal["text"]
    text: str


class Message(BaseModel):
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
    """A tool in its wrapping."""

    function: Function


class JsonSchema(BaseModel):
    """The schema of a reply in its wrapping."""

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
    messages: list[Message]
    response_format: ResponseFormat | None = None
    tools: list[Tool] | None = None
    tool_choice: Any = None
    max_tokens: int | None = None
    max_completion_tokens: int | None = None
    stream: Literal[False] | None = None
    n: Literal[1] | None = None

    @property
    def first_asked(self) -> list[Message]:
        """Return the messages of the first attempt: without rejected replies and their reasons."""
        asked = self.messages
        while (
            len(asked) > 2
            and asked[-1].text.startswith(REJECTION)
            and asked[-2].role == "assistant"
        ):
            asked = asked[:-2]
        return asked

    @property
    def system(self) -> str:
        """The texts of all messages of the first attempt before the last one."""
        return "\n".join(message.text for message in self.first_asked[:-1])

    @property
    def last(self) -> str:
        """Return the last message."""
        return self.first_asked[-1].text if self.messages else ""

    @property
    def text(self) -> str:
        """Return all messages."""
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
        found = json_objects(after) if follows else iter(())
        return next((schema for schema in found if "properties" in schema), {})
