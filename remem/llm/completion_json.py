"""Read the JSON of a chat or raw completion; none of its values is trusted."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

from remem.llm.endpoint import EndpointError, Malformed
from remem.protocols import ChatReply, NativeCall
from remem.types import Usage

MOST_TOKENS = 2**40
DIGITS = 12
KEPT_BYTES = 100_000
"""Maximum bytes stored of a malformed reply."""
ENDINGS = ("stop", "length", "tool_calls", "function_call")
"""Finish reasons of a complete reply; others, such as content_filter, mean a partial reply."""
Wanted = TypeVar("Wanted")


def read_completion(content: bytes) -> ChatReply:
    """Return the first choice as a reply.

    Raises:
        EndpointError: The content is not a completion; the message names the wrong part.
    """
    try:
        completion = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise _malformed(content, f"no JSON ({error})", Usage(1, 0, 0)) from error
    try:
        return _first_choice(_typed(completion, dict, "the reply"))
    except _WrongPartError as error:
        raise _malformed(content, str(error), _usage(completion)) from error


def mark_if_full(reply: ChatReply, schema: Mapping[str, Any]) -> ChatReply:
    """Mark a reply as cut if one of its lists has its maximum number of items."""
    ends = {
        name: part["maxItems"]
        for name, part in schema.get("properties", {}).items()
        if "maxItems" in part
    }
    if not ends:
        return reply
    try:
        content = json.loads(reply.text)
    except (ValueError, RecursionError):
        return reply
    parts = content if isinstance(content, dict) else {}
    is_full = any(
        isinstance(parts.get(name), list) and len(parts[name]) >= most
        for name, most in ends.items()
    )
    return replace(reply, truncated=True) if is_full else reply


class _WrongPartError(ValueError):
    """A part of a completion has a wrong type or value."""


def _first_choice(completion: dict[str, Any]) -> ChatReply:
    choices = _typed(completion.get("choices") or [], list, "choices")
    if not choices:
        raise _WrongPartError(f"no choices: {str(completion.get('error') or completion)[:300]}")
    choice = _typed(choices[0], dict, "choices.0")
    raw = {"content": choice["text"]} if "text" in choice else None  # of a raw completion
    message = _typed(choice.get("message", raw), dict, "message")
    ended = choice.get("finish_reason")
    if ended is not None and ended not in ENDINGS:
        raise _WrongPartError(f"the reply was ended by {str(ended)[:100]!r}")
    return ChatReply(
        text=_typed(message.get("content") or "", str, "content"),
        tool_calls=_tool_calls(message),
        truncated=ended == "length",
        usage=_usage(completion),
    )


def _tool_calls(message: dict[str, Any]) -> tuple[NativeCall, ...]:
    calls = _typed(message.get("tool_calls") or [], list, "tool_calls")
    return tuple(_tool_call(call, f"tool_calls.{at}") for at, call in enumerate(calls))


def _tool_call(call: Any, part: str) -> NativeCall:
    function = _typed(_typed(call, dict, part).get("function"), dict, "function")
    return NativeCall(
        _typed(function.get("name"), str, "function.name"),
        _typed(function.get("arguments") or "", str, "function.arguments"),
    )


def _usage(completion: Any) -> Usage:
    """Return the reported usage; missing or invalid counts are 0."""
    counted = completion.get("usage") if isinstance(completion, dict) else None
    counted = counted if isinstance(counted, dict) else {}
    return Usage(1, _count(counted.get("prompt_tokens")), _count(counted.get("completion_tokens")))


def _count(value: Any) -> int:
    """Return a token count, which some servers send as a string or a float."""
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) <= DIGITS:
        return int(value)
    whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    if whole and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS:
        return int(value)
    return 0


def _typed(value: Any, wanted: type[Wanted], part: str) -> Wanted:
    if not isinstance(value, wanted) or isinstance(value, bool):
        raise _WrongPartError(f"{part} is {str(value)[:100]!r}, expected {wanted.__name__}")
    return value


def _malformed(content: bytes, what: str, usage: Usage) -> EndpointError:
    text = content[:KEPT_BYTES].decode("utf-8", "replace")
    return EndpointError(
        f"the endpoint sent no chat completion: {what}",
        retryable=True,
        malformed=(Malformed(text, what, usage),),
    )
