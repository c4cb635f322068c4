"""A chat completion as an endpoint sends it, read into a reply: none of its values is trusted."""

import json
from typing import Any, TypeVar

from remem.llm.endpoint import EndpointError
from remem.protocols import ChatReply
from remem.types import Usage

MOST_TOKENS = 2**40
Wanted = TypeVar("Wanted")


def read_completion(content: bytes) -> ChatReply:
    """Return the first choice as a reply.

    Raises:
        EndpointError: It is no chat completion; the message says what is wrong where.
    """
    try:
        completion = _typed(json.loads(content), dict, "the reply")
    except (ValueError, RecursionError) as error:
        raise _malformed(f"no JSON ({error})") from error
    choices = _typed(completion.get("choices") or [], list, "choices")
    if not choices:
        raise _malformed(f"no choices: {str(completion.get('error') or completion)[:300]}")
    choice = _typed(choices[0], dict, "choices.0")
    message = _typed(choice.get("message"), dict, "message")
    name, arguments = _tool_call(message)
    return ChatReply(
        text=_typed(message.get("content") or "", str, "content"),
        tool_name=name,
        tool_arguments=arguments,
        truncated=choice.get("finish_reason") == "length",
        usage=_usage(_typed(completion.get("usage") or {}, dict, "usage")),
    )


def _tool_call(message: dict[str, Any]) -> tuple[str, str]:
    calls = _typed(message.get("tool_calls") or [], list, "tool_calls")
    if not calls:
        return "", ""
    function = _typed(_typed(calls[0], dict, "tool_calls.0").get("function"), dict, "function")
    return (
        _typed(function.get("name"), str, "function.name"),
        _typed(function.get("arguments") or "", str, "function.arguments"),
    )


def _usage(counted: dict[str, Any]) -> Usage:
    """Return what was counted; 0 tokens where the endpoint counts none."""
    read, written = (
        _typed(counted.get(name) or 0, int, name) for name in ("prompt_tokens", "completion_tokens")
    )
    if not (0 <= read <= MOST_TOKENS and 0 <= written <= MOST_TOKENS):
        raise _malformed(f"usage of {read} and {written} tokens")
    return Usage(1, read, written)


def _typed(value: Any, wanted: type[Wanted], where: str) -> Wanted:
    if not isinstance(value, wanted) or isinstance(value, bool):
        raise _malformed(f"{where} is {str(value)[:100]!r}, expected {wanted.__name__}")
    return value


def _malformed(what: str) -> EndpointError:
    return EndpointError(f"the endpoint sent no chat completion: {what}", retryable=True)
