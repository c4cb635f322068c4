"""A chat model in memory that gives scripted replies and records its requests.

The fixture `scripted_model` imports it afresh; configurations allow it with run.packages.
"""

from collections.abc import Callable

from remem.errors import RejectedReplyError, UnusableReplyError
from remem.protocols import ChatReply, ChatRequest, NativeCall, Parsed
from remem.types import Usage

SPENT = Usage(1, 100, 10)
"""What every reply costs."""

Script = Callable[[ChatRequest, int], str]
SCRIPTS: list[Script] = []
"""What configured models say: one script for all, given the request and the repeat."""
ASKED: list[ChatRequest] = []
"""What configured models were asked."""


def said(
    text: str = "", *, tool: str = "", arguments: str = "", truncated: bool = False
) -> ChatReply:
    calls = (NativeCall(tool, arguments),) if tool else ()
    return ChatReply(text, calls, truncated, SPENT)


class ScriptedModel:
    """Gives the replies in turn; after a rejected reply, it tries the next."""

    def __init__(self, *replies: str | ChatReply, attempts: int = 2) -> None:
        self.asked: list[ChatRequest] = []
        self._left = list(replies)
        self._attempts = attempts

    def ask(
        self, request: ChatRequest, parse: Callable[[ChatReply], Parsed]
    ) -> tuple[Parsed, Usage]:
        self.asked.append(request)
        usage = Usage()
        for _ in range(self._attempts):
            reply = self._left.pop(0)
            usage += SPENT
            try:
                return parse(said(reply) if isinstance(reply, str) else reply), usage
            except RejectedReplyError:
                continue
        raise UnusableReplyError("no usable reply", usage, "http://here/v1")


class Configured:
    """A model that a configuration can name; it replies with the test's script."""

    def __init__(self, *, repeat: int) -> None:
        self._repeat = repeat

    def repeated(self, repeat: int) -> "Configured":
        return Configured(repeat=repeat)

    def ask(
        self, request: ChatRequest, parse: Callable[[ChatReply], Parsed]
    ) -> tuple[Parsed, Usage]:
        ASKED.append(request)
        try:
            return parse(said(SCRIPTS[0](request, self._repeat))), SPENT
        except RejectedReplyError as error:
            raise UnusableReplyError(str(error)) from error
