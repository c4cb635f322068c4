"""Read a completion of an OpenAI-compatible server, which may send anything.

Unusual parts that can still be read are noted in the remarks of the reply. Other deviations raise
an error that names the wrong part.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from http import HTTPStatus
from typing import Any, TypeVar

from remem.files.json_text import json_value
from remem.llm.channels import PARTS, empty_remarks, join_parts
from remem.llm.endpoint import EndpointError, Malformed
from remem.llm.refusals import describe_page, read_refusal
from remem.protocols import ChatReply, NativeCall
from remem.types import UNCOUNTED, Usage

MOST_TOKENS = 2**40
DIGITS = 12
LONGEST_MODEL = 200
KEPT_BYTES = 100_000
"""Maximum bytes stored of a malformed reply."""
ENDINGS = ("stop", "length", "tool_calls", "function_call")
"""Finish reasons of the protocol; others, such as content_filter, mean a partial reply."""
OTHER_ENDINGS: Mapping[str, str] = {
    **dict.fromkeys(("eos", "eos_token", "end_turn", "end_of_turn", "stop_sequence"), "stop"),
    **dict.fromkeys(("complete", "completed", "finished", "stop_token"), "stop"),
    **dict.fromkeys(("max_tokens", "max_output_tokens", "max_length", "model_length"), "length"),
    **dict.fromkeys(("tool_use", "tool_call"), "tool_calls"),
}
"""Other vendors' names for these reasons, in lower case."""
CACHED = ("cache_read_input_tokens", "prompt_cache_hit_tokens", "cached_tokens")
Wanted = TypeVar("Wanted")


def read_completion(content: bytes) -> ChatReply:
    """Return the first choice of a completion as a reply.

    Raises:
        EndpointError: The content is not a completion; the message names the wrong part.
    """
    try:
        completion = json_value(content)
    except ValueError as error:
        raise _malformed(content, _describe_no_json(content, error), Usage(1, 0, 0)) from error
    try:
        return _first_choice(_typed(completion, dict, "the reply"))
    except _WrongPartError as error:
        raise _malformed(content, str(error), _usage(completion)) from error


def _describe_no_json(content: bytes, error: Exception) -> str:
    text = content[:KEPT_BYTES].decode("utf-8", "replace").lstrip()
    if not text:
        return "the reply is empty"
    if text.startswith(("data:", "event:")):
        return "the server sends a stream of events, although none was asked for; turn that off"
    return describe_page(text) or f"no JSON ({error})"


def mark_if_full(reply: ChatReply, schema: Mapping[str, Any]) -> ChatReply:
    """Mark a reply as cut if one of its lists has the maximum number of items in the schema."""
    ends = {
        name: part["maxItems"]
        for name, part in schema.get("properties", {}).items()
        if "maxItems" in part
    }
    if not ends:
        return reply
    try:
        content = json_value(reply.text)
    except ValueError:
        return reply
    parts = content if isinstance(content, dict) else {}
    is_full = any(
        isinstance(parts.get(name), list) and len(parts[name]) >= most
        for name, most in ends.items()
    )
    return replace(reply, truncated=True) if is_full else reply


class _WrongPartError(ValueError):
    """A part of a completion has the wrong type or value."""


def _first_choice(completion: dict[str, Any]) -> ChatReply:
    choices = _typed(completion.get("choices") or [], list, "choices")
    if not choices:
        raise _WrongPartError(_describe_no_choices(completion))
    choice = _typed(choices[0], dict, "choices.0")
    raw = {"content": choice["text"]} if "text" in choice else None  # of a raw completion
    message = _typed(choice.get("message", raw), dict, "message")
    remarks: list[str] = []
    if isinstance(choice.get("error"), dict):
        reason = read_refusal(HTTPStatus.OK, json.dumps(choice["error"]).encode()).reason
        raise _WrongPartError(f"the reply was ended by an error: {reason}")
    ending = _ending(choice.get("finish_reason"), remarks)
    text, calls = _text(message, remarks), _tool_calls(message, remarks)
    if not text.strip() and not calls and ending != "length":
        remarks += empty_remarks(message)
    if not all(_counts(completion)):  # a prompt and a reply each have at least one token
        remarks.append(UNCOUNTED)
    stated_model = completion.get("model")
    model = stated_model[:LONGEST_MODEL] if isinstance(stated_model, str) else ""
    return ChatReply(text, calls, ending == "length", _usage(completion), model, tuple(remarks))


def _describe_no_choices(completion: dict[str, Any]) -> str:
    if "done" in completion and ("message" in completion or "response" in completion):
        return "no choices: this is ollama's own interface; base_url must end in /v1"
    reason = read_refusal(HTTPStatus.OK, json.dumps(completion).encode()).reason
    return f"no choices: {reason}"


def _ending(stated: object, remarks: list[str]) -> str:
    """Return a finish reason in the words of the protocol."""
    if stated in (None, ""):
        return "stop"
    name = stated.get("type") if isinstance(stated, dict) else stated
    named = str(name).lower().removeprefix("finish_reason_").removeprefix("finishreason.")
    ending = named if named in ENDINGS else OTHER_ENDINGS.get(named, "")
    if not ending:
        raise _WrongPartError(f"the reply ended with the unknown reason {str(stated)[:100]!r}")
    if ending != stated:
        remarks.append(f"had the finish reason {str(stated)[:40]!r}, read as {ending!r}")
    return ending


def _text(message: dict[str, Any], remarks: list[str]) -> str:
    content = message.get("content")
    if not isinstance(content, list):
        return _typed(content or "", str, "content")
    remarks.append(PARTS)
    try:
        return join_parts(content)
    except ValueError as error:
        raise _WrongPartError(str(error)) from error


def _tool_calls(message: dict[str, Any], remarks: list[str]) -> tuple[NativeCall, ...]:
    calls = _typed(message.get("tool_calls") or [], list, "tool_calls")
    if not calls and isinstance(message.get("function_call"), dict):  # of the earlier protocol
        calls = [{"function": message["function_call"]}]
    return tuple(_tool_call(call, f"tool_calls.{at}", remarks) for at, call in enumerate(calls))


def _tool_call(call: Any, part: str, remarks: list[str]) -> NativeCall:
    function = _typed(_typed(call, dict, part).get("function"), dict, "function")
    arguments = function.get("arguments") or ""
    if isinstance(arguments, dict):
        remarks.append("had the arguments of a tool as an object, read as its JSON")
        arguments = json.dumps(arguments)
    if isinstance(arguments, str) and arguments.startswith('"'):
        remarks.append("had the arguments of a tool encoded twice")
        arguments = _decoded(arguments)
    return NativeCall(
        _typed(function.get("name"), str, "function.name"),
        _typed(arguments, str, "function.arguments"),
    )


def _decoded(text: str) -> Any:
    try:
        return json_value(text)
    except ValueError:
        return text


def _usage(completion: Any) -> Usage:
    """Return the reported usage; missing or invalid counts are 0, and the reply says so."""
    return Usage(1, *_counts(completion))


def _counts(completion: Any) -> tuple[int, int]:
    """Return the tokens of the prompt and of the reply; 0 if the server does not count them.

    >>> _counts({"usage": {"prompt_tokens": "12"}})
    (12, 0)
    """
    counted = _counted(completion)
    return _count(counted.get("prompt_tokens")), _count(counted.get("completion_tokens"))


def cached_tokens(content: bytes) -> int:
    """Return the number of cached prompt tokens, which some servers leave out of their total."""
    counted = _counted(json_value(content))
    details = counted.get("prompt_tokens_details")
    stated = [details.get("cached_tokens")] if isinstance(details, dict) else []
    others = (counted.get(name) for name in CACHED)
    return max(map(_count, (*stated, *others)))


def _counted(completion: Any) -> dict[str, Any]:
    counted = completion.get("usage") if isinstance(completion, dict) else None
    return counted if isinstance(counted, dict) else {}


def _count(value: Any) -> int:
    """Return a token count, which some servers send as a string or a float; 0 if invalid."""
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
