"""A reply as a row of a call store: its columns and its checksum.

The columns are not trusted when they are read: a row that was altered on disk is never served.
"""

import json
from functools import cache
from hashlib import blake2b

from pydantic import TypeAdapter, ValidationError

from remem.protocols import ChatReply, NativeCall
from remem.types import Usage

REPLY = (
    *("CAST(text AS BLOB)", "CAST(tool_calls AS BLOB)", "CAST(finish_reason AS BLOB)"),
    *("calls", "prompt_tokens", "completion_tokens"),
)
"""The columns of a reply as bytes, because an altered text may be invalid."""
KEY = "CAST(key AS BLOB)"
OUTCOME = "CAST(outcome AS BLOB)"
REPLY_BYTES = 16


def reply_columns(outcome: str, reply: ChatReply) -> tuple[object, ...]:
    """Return the values of the columns; finish reasons are those of the OpenAI protocol."""
    calls = [{"name": call.name, "arguments": call.arguments} for call in reply.tool_calls]
    finish_reason = "length" if reply.truncated else "tool_calls" if calls else "stop"
    usage = reply.usage
    return (
        *(reply.text, json.dumps(calls, ensure_ascii=False)),
        "" if outcome == "error" else finish_reason,
        *(usage.calls, usage.prompt_tokens, usage.completion_tokens),
    )


def read_reply(text: bytes, tool_calls: bytes, finish_reason: bytes, *counts: int) -> ChatReply:
    """Build a reply from its raw columns.

    Raises:
        ValueError: The columns are not a valid reply; a matching checksum does not rule that out.
    """
    if not all(isinstance(count, int) and count >= 0 for count in counts):
        raise ValueError(f"the calls and tokens are {counts}, expected whole numbers of at least 0")
    try:
        decoded, calls = text.decode(), _call_reader().validate_json(tool_calls, strict=True)
    except (ValidationError, UnicodeDecodeError) as error:
        raise ValueError(
            f"the text or the tool calls of a reply cannot be read: {error}"
        ) from error
    return ChatReply(decoded, calls, finish_reason == b"length", Usage(*counts))


def reply_sum(key: object, outcome: object, *reply: object) -> bytes:
    """Return the checksum of a reply and its key.

    The checksum covers whether the outcome is an error, but not the outcome itself, which may
    change.
    """
    hasher = blake2b(digest_size=REPLY_BYTES)
    for column in (key, _encoded(outcome) == b"error", *reply):
        encoded = _encoded(column)
        hasher.update(b"%d:" % len(encoded))
        hasher.update(encoded)
    return hasher.digest()


def is_whole(stored_sum: object, key: object, outcome: object, *reply: object) -> bool:
    """Return whether a row matches its stored checksum."""
    return stored_sum == reply_sum(key, outcome, *reply)


def _encoded(column: object) -> bytes:
    return column if isinstance(column, bytes) else str(column).encode("utf-8", "surrogatepass")


@cache
def _call_reader() -> TypeAdapter[tuple[NativeCall, ...]]:
    return TypeAdapter(tuple[NativeCall, ...])
