"""Parse a model's reply: its text, and the JSON objects in it, whatever surrounds them.

A reply is untrusted data: values that no record can store (half a surrogate pair, NaN) are
rejected.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from remem.protocols import ChatReply, RejectedReplyError

MOST_STARTS = 200
"""Maximum number of braces tried as the start of an object, so that 1 MB of braces is fast."""

_END_OF_REPLY = re.compile(r"<\|(?:im_end|endoftext|eot_id|end)\|>|</s>")
"""End tokens of chat templates, which some endpoints leave in the text."""

_DECODER = json.JSONDecoder()


class CutReplyError(RejectedReplyError):
    """A reply reached the token limit before it was complete."""

    def __init__(self) -> None:
        super().__init__("the reply was cut at the token limit")


def whole_text(reply: ChatReply) -> str:
    """Return the text of a reply; a reply that was cut at the token limit is rejected.

    Raises:
        CutReplyError: The reply was cut.
        RejectedReplyError: The text cannot be encoded.
    """
    if reply.truncated:
        raise CutReplyError
    return valid_text(reply)


def valid_text(reply: ChatReply) -> str:
    """Return the text of a reply, cut or not, without thoughts in <think> tags and end tokens.

    Raises:
        RejectedReplyError: The text cannot be encoded, or ends inside the model's thoughts.
    """
    try:
        reply.text.encode()
        "".join(call.name for call in reply.tool_calls).encode()
    except UnicodeEncodeError as error:
        raise RejectedReplyError("the reply is no valid Unicode") from error
    _, thought, said = reply.text.rpartition("</think>")
    if not thought and said.lstrip().startswith("<think>"):
        raise RejectedReplyError("the reply ends while the model thinks")
    return _END_OF_REPLY.split(said, maxsplit=1)[0]


def json_objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield the outermost JSON objects of a text, in their order.

    >>> list(json_objects('Sure: {"a": 1} or, as said, {"b": {"c": [2]}}.'))
    [{'a': 1}, {'b': {'c': [2]}}]
    """
    at = text.find("{")
    for _ in range(MOST_STARTS):
        if at < 0:
            return
        found, end = _object_at(text, at)
        if found is not None:
            yield found
        at = text.find("{", end)


def _object_at(text: str, at: int) -> tuple[dict[str, Any] | None, int]:
    """Return the object that begins at a brace, or None, and where to continue the search."""
    try:
        found, end = _DECODER.raw_decode(text, at)
        json.dumps(found, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError):  # no JSON, JSON that is no data, brackets without end
        return None, at + 1
    return found, end
