"""Replies as the columns of a call store hold them, which any hand may have written."""

from functools import cache

from pydantic import TypeAdapter, ValidationError

from remem.protocols import ChatReply, NativeCall
from remem.types import Usage


def read_reply(text: bytes, tool_calls: bytes, finish_reason: bytes, *counts: int) -> ChatReply:
    """Read the columns of a reply as the store has them.

    Raises:
        ValueError: They are no reply, whatever their sum says: earlier versions wrote none.
    """
    if not all(isinstance(count, int) and count >= 0 for count in counts):
        raise ValueError(f"the calls and tokens are {counts}, expected whole numbers of at least 0")
    try:
        said, calls = text.decode(), _call_reader().validate_json(tool_calls, strict=True)
    except (ValidationError, UnicodeDecodeError) as error:
        raise ValueError(
            f"the text or the tool calls of a reply cannot be read: {error}"
        ) from error
    return ChatReply(said, calls, finish_reason == b"length", Usage(*counts))


@cache
def _call_reader() -> TypeAdapter[tuple[NativeCall, ...]]:
    return TypeAdapter(tuple[NativeCall, ...])
