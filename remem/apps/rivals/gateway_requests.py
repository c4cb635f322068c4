"""Parse other programs' requests to the gateway, and list the settings that have no effect.

Our own configuration decides these settings; the gateway only counts the requests that set them.
"""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from remem.protocols import ChatMessage, ChatRequest, NativeCall, QueryTarget, ToolSpec
from remem.serve.chat_completions import ResponseFormat
from remem.serve.embeddings import Encoding, first_problem
from remem.serve.http_handler import RequestError
from remem.types import Stage

ANY_OBJECT = {"type": "object"}
"""The schema of a request that asks for JSON but gives no schema."""
UNKNOWN_HERE = {
    "stream": "replies are not streamed; remove stream=true",
    "logprobs": "log probabilities are not stored; remove logprobs",
    "functions": "functions are of an older protocol: send them as tools",
}
"""Options that the gateway refuses, because ignoring them would be misleading."""


def _joined(content: object) -> object:
    """Return the joined text parts of a message; only texts are supported."""
    if not isinstance(content, list):
        return content or ""
    kinds = {str(part.get("type") if isinstance(part, dict) else part) for part in content}
    if kinds - {"text"}:
        raise ValueError(f"expected only parts of type 'text', found {sorted(kinds)}")
    return "\n".join(str(part.get("text")) for part in content)


def _chosen(choice: object) -> object:
    """Return the tool choice: a word such as "auto", or the name of the required tool."""
    function = choice.get("function") if isinstance(choice, dict) else None
    return function.get("name") if isinstance(function, dict) else choice


class CalledFunction(BaseModel):
    """The function that an assistant called."""

    name: str
    arguments: str


class EarlierCall(BaseModel):
    """A tool call that an assistant made earlier in the conversation."""

    id: str
    function: CalledFunction


class GatewayMessage(BaseModel):
    """A message of a chat request."""

    model_config = ConfigDict(extra="allow")

    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: Annotated[str, BeforeValidator(_joined)] = ""
    tool_calls: list[EarlierCall] | None = None
    tool_call_id: str | None = None

    def ours(self) -> ChatMessage:
        """Return the message as our `ChatMessage`; the role "developer" becomes "system"."""
        return ChatMessage(
            "system" if self.role == "developer" else self.role,
            self.content,
            tuple(
                NativeCall(call.function.name, call.function.arguments, call.id)
                for call in self.tool_calls or ()
            ),
            self.tool_call_id or "",
        )


class GatewayFunction(BaseModel):
    """The function of a tool: its name, description and parameters."""

    name: str
    description: str | None = None
    parameters: dict[str, Any] = ANY_OBJECT
    strict: bool | None = None


class GatewayTool(BaseModel):
    """A tool, as OpenAI's API sends it: an object that wraps its function."""

    type: Literal["function"]
    function: GatewayFunction


class GatewayChat(BaseModel):
    """The body of a request for a chat completion."""

    model_config = ConfigDict(extra="allow")

    model: str
    messages: list[GatewayMessage]
    tools: list[GatewayTool] | None = None
    tool_choice: Annotated[str | None, BeforeValidator(_chosen)] = None
    response_format: ResponseFormat | None = None
    n: Literal[1] | None = None

    def ours(self, stage: Stage) -> ChatRequest:
        """Return the request as our `ChatRequest`."""
        tools = tuple(
            ToolSpec(tool.function.name, tool.function.description or "", tool.function.parameters)
            for tool in self.tools or ()
        )
        wanted, wrapped = self.response_format, self._schema
        return ChatRequest(
            stage,
            tuple(message.ours() for message in self.messages),
            reply_schema=None if wanted is None or wanted.type == "text" else wrapped or ANY_OBJECT,
            tools=tools,
            strict=wanted is None or wanted.json_schema is None or bool(wanted.json_schema.strict),
            tool_choice=(self.tool_choice or "auto") if tools else "",
        )

    def left_out(self, model: str) -> Iterator[str]:
        """Yield the names of the settings in the request that have no effect.

        `model` is the name of the language model that the gateway uses.
        """
        if self.model != model:
            yield "model"
        yield from _extra_fields(self)
        for name in sorted({name for message in self.messages for name in _extra_fields(message)}):
            yield f"messages.{name}"
        if any(tool.function.strict for tool in self.tools or ()):
            yield "tools.strict"

    @property
    def _schema(self) -> dict[str, Any]:
        wrapped = self.response_format.json_schema if self.response_format else None
        return dict(wrapped.schema_) if wrapped else {}


class GatewayEmbeddings(BaseModel):
    """The body of a request for embeddings: OpenAI's fields, and `input_type` and `target`."""

    model_config = ConfigDict(extra="allow")

    model: str
    input: str | list[str]
    encoding_format: Encoding = "float"
    dimensions: int | None = None
    input_type: Literal["query", "document"] | None = None
    target: QueryTarget = "passage"

    @property
    def texts(self) -> list[str]:
        """Return the texts to embed."""
        return [self.input] if isinstance(self.input, str) else self.input

    def left_out(self, model: str) -> Iterator[str]:
        """Yield the names of the settings in the request that have no effect.

        `model` is the name of the embedder that the gateway uses.
        """
        if self.model != model:
            yield "model"
        yield from _extra_fields(self)


def read_chat(body: object) -> GatewayChat:
    """Parse a request for a chat completion.

    Raises:
        RequestError: The request is invalid or asks for an unsupported feature (400).
    """
    given = body if isinstance(body, dict) else {}
    for name, reason in UNKNOWN_HERE.items():
        if given.get(name):
            raise RequestError(400, reason)
    if given.get("n") not in (None, 1):
        raise RequestError(
            400, f"one reply is stored for each request; send n=1, not {given['n']!r}"
        )
    try:
        return GatewayChat.model_validate(body)
    except ValidationError as error:
        raise RequestError(400, first_problem(error)) from error


def read_embeddings(body: object) -> GatewayEmbeddings:
    """Parse a request for embeddings.

    Raises:
        RequestError: The request has no texts or asks for an unsupported feature (400).
    """
    given = body.get("input") if isinstance(body, dict) else None
    if isinstance(given, list) and given and not isinstance(given[0], str):
        raise RequestError(
            400,
            "input holds token ids, which this server cannot embed; send texts (in LangChain: "
            "check_embedding_ctx_length=False)",
        )
    try:
        return GatewayEmbeddings.model_validate(body)
    except ValidationError as error:
        raise RequestError(400, first_problem(error)) from error


def _extra_fields(part: BaseModel) -> Iterator[str]:
    """Yield the names of additional fields that have a value."""
    for name, value in (part.model_extra or {}).items():
        if value is not None and name not in UNKNOWN_HERE:
            yield name
