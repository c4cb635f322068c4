"""The request after a rejected reply: the same messages, that reply, and the reason."""

import re
from dataclasses import replace

from remem.protocols import ChatMessage, ChatReply, ChatRequest

TOLD = "That reply could not be used: "
"""The start of the message about a rejected reply."""
MOST_CHARACTERS = 2_000
"""Maximum characters of a rejected reply in the retry, so that the request stays short."""


def told_back(request: ChatRequest, reply: ChatReply, reason: str) -> ChatRequest:
    """Return the request with a rejected reply and the reason appended to its messages.

    Native tool calls are sent as text, since endpoints require a result for each native call.
    """
    calls = "\n".join(f"{call.name} {call.arguments}" for call in reply.tool_calls)
    said = "\n".join(filter(None, (reply.text, calls))).encode(errors="replace").decode()
    asked_again = (
        ChatMessage("assistant", said[:MOST_CHARACTERS] or "(nothing)"),
        ChatMessage(
            "user",
            f"{TOLD}{_line(reason)}. Reply again, in the form that was "
            f"asked for and with nothing else.",
        ),
    )
    return replace(request, messages=(*request.messages, *asked_again))


def repeats(reply: ChatReply, reason: str) -> bool:
    """Return whether a reply only repeats the reason why the previous one was rejected.

    Weak models do this, and such a sentence could be taken for an answer.
    """
    told = " ".join(_words(reason))
    said = " ".join(_words(reply.text))
    return bool(told) and told in said and not said.replace(told, "").strip()


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _line(reason: str) -> str:
    """Return a reason on one line, without lone surrogates, as it may quote the reply."""
    return " ".join(reason.encode(errors="replace").decode().split())[:MOST_CHARACTERS]
