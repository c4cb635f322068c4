"""Read replies from the columns of a call store, which are not trusted."""

from functools import cache

from pydantic import TypeAdapter, ValidationError

from remem.protocols import ChatReply, NativeCall
from remem.types import Usage


def read_reply(text: bytes, tool_calls: bytes, finish_reason: bytes, *counts: int) -> ChatReply:
    """Build a reply from its raw columns.

    Raises:
        ValueError: The columns are not a valid reply; a matching checksum does not rule that out.
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
