"""Build the request after a rejected reply: the same messages, the reply, and the reason."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from remem.errors import RejectedReplyError
from remem.protocols import ChatMessage, ChatReply, ChatRequest, Parsed

REJECTION = "That reply could not be used: "
"""The start of the message about a rejected reply."""
MOST_CHARACTERS = 2_000
"""Maximum characters of a rejected reply in the retry, so that the request stays short."""


def request_again(requests: Sequence[ChatRequest], reply: ChatReply, reason: str) -> ChatRequest:
    """Return the first request with a rejected reply and the reason appended.

    If that request was already sent, both are appended to the last request instead, so that a model
    which repeats its reply does not get the same request again.
    """
    again = append_rejection(requests[0], reply, reason)
    return append_rejection(requests[-1], reply, reason) if again in requests else again


def reject_repeated(
    parse: Callable[[ChatReply], Parsed], reasons: Sequence[str]
) -> Callable[[ChatReply], Parsed]:
    """Return a parser that also rejects replies which only repeat the last rejection reason."""

    def parsed(reply: ChatReply) -> Parsed:
        if reasons and repeats(reply, reasons[-1]):
            raise RejectedReplyError("the reply repeats why the previous one was rejected")
        return parse(reply)

    return parsed


def append_rejection(request: ChatRequest, reply: ChatReply, reason: str) -> ChatRequest:
    """Return the request with a rejected reply and the reason appended to its messages.

    Native tool calls are sent as text, because endpoints require a result for each native call.
    """
    calls = "\n".join(f"{call.name} {call.arguments}" for call in reply.tool_calls)
    text = "\n".join(filter(None, (reply.text, calls))).encode(errors="replace").decode()
    rejection = (
        ChatMessage("assistant", text[:MOST_CHARACTERS] or "(nothing)"),
        ChatMessage(
            "user",
            f"{REJECTION}{_line(reason)}. Reply again, in the form that was "
            f"asked for and with nothing else.",
        ),
    )
    return replace(request, messages=(*request.messages, *rejection))


def repeats(reply: ChatReply, reason: str) -> bool:
    """Return whether a reply only repeats the reason why the previous one was rejected.

    Weak models do this, and the repeated reason could be mistaken for an answer.
    """
    repeated = " ".join(_words(reason))
    text = " ".join(_words(reply.text))
    return bool(repeated) and repeated in text and not text.replace(repeated, "").strip()


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _line(reason: str) -> str:
    """Return a reason on one line, without lone surrogates, as it may quote the reply."""
    return " ".join(reason.encode(errors="replace").decode().split())[:MOST_CHARACTERS]
