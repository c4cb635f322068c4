"""Make chat completions in OpenAI's shape; tokens are words and punctuation marks."""

import hashlib
import re
from dataclasses import dataclass
from itertools import islice
from typing import Any

from remem.serve.account import Tally
from remem.serve.chat_requests import ChatCompletionRequest

_TOKEN = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Said:
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


def within(said: Said, most_tokens: int | None) -> Said:
    """Cut a reply to the client's limit of tokens: its text first, then the arguments of calls."""
    if most_tokens is None or _written_tokens(said) <= most_tokens:
        return said
    text = _beginning(said.text, most_tokens)
    left, calls = most_tokens - count_tokens(text), []
    for name, arguments in said.calls:
        left -= count_tokens(name)
        if left >= 0:
            calls.append((name, _beginning(arguments, left)))
            left -= count_tokens(calls[-1][1])
    return Said(said.kind, text, tuple(calls), cut=True)


def tally(request: ChatCompletionRequest, said: Said) -> Tally:
    """Return the counts of a reply and its tokens."""
    return Tally(0, 1, count_tokens(request.text), _written_tokens(said))


def _written_tokens(said: Said) -> int:
    return sum(map(count_tokens, (said.text, *(part for call in said.calls for part in call))))


def _beginning(text: str, tokens: int) -> str:
    """Return the beginning of a text with at most this number of tokens."""
    following = next(islice(_TOKEN.finditer(text), tokens, None), None)
    return text[: following.start()] if following else text


def completion(request: ChatCompletionRequest, said: Said, body_sha256: str) -> dict[str, Any]:
    """Return the body of a reply, which does not depend on the time."""
    return completion_of(request.model, said, tally(request, said), body_sha256)


def completion_of(model: str, said: Said, used: Tally, sha256: str) -> dict[str, Any]:
    """Return the body of a reply of a model; its ids are derived from `sha256`."""
    message: dict[str, Any] = {"role": "assistant", "content": said.text or None, "refusal": None}
    if said.calls:
        message["tool_calls"] = [
            {
                "id": f"call_{sha256[:16]}_{number}",
                "type": "function",
                "function": {"name": name, "arguments": arguments},
            }
            for number, (name, arguments) in enumerate(said.calls)
        ]
    ended = "length" if said.cut else "tool_calls" if said.calls else "stop"
    choice = {"index": 0, "message": message, "finish_reason": ended, "logprobs": None}
    said_sha256 = hashlib.sha256(said.text.encode("utf-8", "replace")).hexdigest()
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
