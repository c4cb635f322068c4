"""The JSON body of a request, for chat completions or raw completions.

A base model only continues a text. With `prompts=few_shot`, the text consists of a rule, examples
with answers, and a question; the continuation is the answer.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from remem.errors import StopRunError
from remem.llm.endpoint import JsonMode
from remem.protocols import ChatMessage, ChatRequest

Kind = Literal["openai-chat", "openai-completion"]
TokenParameter = Literal["max_tokens", "max_completion_tokens"]
ToolChoice = Literal["required", "auto"]
STOP = "\n\n"
"""The end of an answer in the text of a raw completion, and thus of every reply."""
CHARACTERS_PER_TOKEN = 2
"""Characters per token in dates and repeated syllables; English has more."""


@dataclass(frozen=True, slots=True)
class BodyFormat:
    """The settings that determine the body of a request; see the arguments of OpenAIEndpoint."""

    kind: Kind
    model: str
    sampling: Mapping[str, Any]
    max_output_tokens: int
    token_parameter: TokenParameter
    json_mode: JsonMode
    tool_choice: ToolChoice

    def __post_init__(self) -> None:
        for name, choices in (
            ("kind", Kind),
            ("token_parameter", TokenParameter),
            ("json_mode", JsonMode),
            ("tool_choice", ToolChoice),
        ):
            chosen, allowed = getattr(self, name), get_args(choices)
            if chosen not in allowed:
                raise ValueError(
                    f"{name} is {chosen!r}, expected {' or '.join(map(repr, allowed))}"
                )

    def body(self, request: ChatRequest) -> dict[str, Any]:
        """Return the body of a request."""
        return {
            "model": self.model,
            **self._prompt(request),
            self.token_parameter: self.max_output_tokens,
            **self.sampling,
            **self._tools(request),
            **self._reply_format(request),
        }

    def _prompt(self, request: ChatRequest) -> dict[str, Any]:
        if self.kind == "openai-chat":
            return {"messages": [chat_message(message) for message in request.messages]}
        if request.tools:
            raise StopRunError(
                "a base model (llm.build.endpoint.kind=openai-completion) cannot call tools; use "
                "planner=llm or llm.build.endpoint.kind=openai-chat"
            )
        return {"prompt": raw_text(request.messages), "stop": [STOP]}

    def _tools(self, request: ChatRequest) -> dict[str, Any]:
        if not request.tools:
            return {}
        functions = [
            {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
            for tool in request.tools
        ]
        return {
            "tools": [{"type": "function", "function": function} for function in functions],
            "tool_choice": tool_choice(request.tool_choice or self.tool_choice),
        }

    def _reply_format(self, request: ChatRequest) -> dict[str, Any]:
        """Return the parameters that request a JSON object of the schema or grammar."""
        tighter = self.json_mode == "alternatives"
        fields = {"grammar": request.reply_grammar} if tighter and request.reply_grammar else {}
        schema = request.reply_schema
        if schema is None or self.json_mode == "text":
            return fields
        if tighter and request.reply_alternatives is not None:
            ended = with_limits(request.reply_alternatives, self.max_output_tokens)
            return fields | _json_schema({"name": "reply", "schema": ended})
        # A schema that allows any object cannot be strict, so a plain JSON object is requested.
        if self.json_mode == "object" or "properties" not in schema:
            return fields | {"response_format": {"type": "json_object"}}
        return fields | _json_schema({"name": "reply", "schema": schema, "strict": request.strict})


def _json_schema(named: dict[str, Any]) -> dict[str, Any]:
    return {"response_format": {"type": "json_schema", "json_schema": named}}


def raw_text(messages: Sequence[ChatMessage]) -> str:
    r"""Join messages into one text, in which each answer is on the line after its question.

    If the last message is the beginning of an answer, the text ends with this beginning.

    >>> raw_text([ChatMessage("user", "1 + 1?"), ChatMessage("assistant", "2"),
    ...           ChatMessage("user", "1 + 2?")])
    '1 + 1?\n2\n\n1 + 2?\n'
    >>> raw_text([ChatMessage("user", "1 + 2?"), ChatMessage("assistant", "The sum is")])
    '1 + 2?\nThe sum is'
    """
    ends = {"user": "\n"}
    text = "".join(message.content + ends.get(message.role, STOP) for message in messages)
    return text.removesuffix(STOP) if messages[-1].role == "assistant" else text


def chat_message(message: ChatMessage) -> dict[str, Any]:
    """Return a chat message with its tool calls as JSON data."""
    fields: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        fields["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for call in message.tool_calls
        ]
    if message.tool_call_id:
        fields["tool_call_id"] = message.tool_call_id
    return fields


def tool_choice(choice: str) -> str | dict[str, Any]:
    """Return a tool choice in the form of the API: a keyword, or the tool that must be called."""
    if choice in ("auto", "required", "none"):
        return choice
    return {"type": "function", "function": {"name": choice}}


def with_limits(schema: Mapping[str, Any], most_tokens: int) -> dict[str, Any]:
    """Return a schema that limits texts and lists, so that a reply fits into `most_tokens`.

    Without limits, a model that repeats itself fills a list until the reply is cut, and a cut list
    cannot be used. A list that ends at its limit can be used, but the reply is marked as cut
    (`completion.mark_if_full`), because items may be missing.

    A list gets at most as many items as fit into `most_tokens`. A text in a list gets at most
    3/4 * `most_tokens` characters, and any other text 1/3 * `most_tokens`.

    >>> names = {"type": "array", "items": {"type": "string", "maxLength": 300}}
    >>> with_limits({"properties": {"names": names}}, 256)["properties"]["names"]
    {'type': 'array', 'items': {'type': 'string', 'maxLength': 192}, 'maxItems': 2}
    """
    if schema.get("type") == "array":
        return _limited(schema, most_tokens)
    limited = _shorter(schema, most_tokens // 3)
    if "properties" in limited:
        parts = limited["properties"].items()
        limited["properties"] = {name: with_limits(part, most_tokens) for name, part in parts}
    if "anyOf" in limited:
        limited["anyOf"] = [with_limits(part, most_tokens) for part in limited["anyOf"]]
    return limited


def _limited(schema: Mapping[str, Any], most_tokens: int) -> dict[str, Any]:
    item = _shorter(schema["items"], most_tokens * 3 // 4)
    most_items = max(1, most_tokens * CHARACTERS_PER_TOKEN // _characters(item))
    return {**schema, "items": item, "maxItems": most_items}


def _shorter(part: Mapping[str, Any], most: int) -> dict[str, Any]:
    shorter = dict(part)
    if "maxLength" in shorter:
        shorter["maxLength"] = min(most, shorter["maxLength"])
    return shorter


def _characters(part: Mapping[str, Any]) -> int:
    """Estimate the maximum length of a schema's value as JSON, in characters."""
    inner = part.get("properties", {})
    own = int(part.get("maxLength", 0)) + len('"", ')
    return own + sum(len(f'"{name}": ') + _characters(value) for name, value in inner.items())
