"""Parse a model's reply: its text, and the JSON objects in it, whatever surrounds them.

A reply is untrusted data: values that no record can store (half a surrogate pair, NaN) are
rejected.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from remem.errors import RejectedReplyError
from remem.files.json_text import MOST_DEPTH, TOO_DEEP, json_prefix
from remem.protocols import ChatReply

MOST_STARTS = 200
"""Maximum number of braces tried as the start of an object, so that 1 MB of braces is fast."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the members of a JSON object as a dict.

    Raises:
        RejectedReplyError: A key occurs twice, so it is unclear which value is meant.
    """
    members = dict(pairs)
    if len(members) < len(pairs):
        keys = Counter(key for key, _ in pairs)
        repeated = next(key for key, count in keys.items() if count > 1)
        raise RejectedReplyError(f"an object of the reply has the key {repeated[:40]!r} twice")
    return members


"""Reads texts with raw line breaks too, which many models write."""


def object_schema(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of an object with all keys required and no others, for strict endpoints."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


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
    """Return the text of a reply, even if the reply was cut at the token limit.

    Raises:
        RejectedReplyError: The text cannot be encoded.
    """
    try:
        reply.text.encode()
        "".join(call.name for call in reply.tool_calls).encode()
    except UnicodeEncodeError as error:
        raise RejectedReplyError("the reply is not valid Unicode") from error
    return reply.text


def read_label(reply: ChatReply, labels: Sequence[str]) -> str:
    """Return the value of "label" in a reply's JSON, ignoring its case and any punctuation.

    Raises:
        RejectedReplyError: The reply has no label, an unknown label, or several labels.
    """
    objects = json_objects(whole_text(reply))
    stated = [each[key] for each in objects for key in each if key.lower() == "label"]
    texts = (label if isinstance(label, str) else "" for label in stated)
    bare = {re.sub(r"[\W_]+", "", text).upper() for text in texts}
    if len(bare) != 1 or not bare <= set(labels):
        shown = sorted(map(repr, stated))
        raise RejectedReplyError(f"expected the label {' or '.join(labels)}, found {shown}")
    return bare.pop()


def json_objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield the outermost JSON objects in a text, in order.

    >>> list(json_objects('Sure: {"a": 1} or, as said, {"b": {"c": [2]}}.'))
    [{'a': 1}, {'b': {'c': [2]}}]
    """
    at = text.find("{")
    for _ in range(MOST_STARTS):
        if at < 0:
            return
        value, end = _object_at(text, at)
        if value is not None:
            yield value
        at = text.find("{", end)


def json_at(text: str, at: int) -> tuple[Any, int]:
    """Return the JSON value that begins at a position, and where it ends.

    >>> json_at("[1, [2]] and more", 0)
    ([1, [2]], 8)

    Raises:
        ValueError: There is no JSON, or it is nested too deeply.
    """
    value, end = json_prefix(text, at, _unique)
    _check_depth(value)
    return value, end


def _object_at(text: str, at: int) -> tuple[dict[str, Any] | None, int]:
    """Return the object that begins at a brace, or None, and where to continue the search."""
    try:
        value, end = json_at(text, at)
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except RejectedReplyError:
        raise
    except ValueError:  # not JSON, or JSON that is not data
        return None, at + 1
    return value, end


def _check_depth(value: Any) -> None:
    """Raise ValueError if a value is nested too deeply; check level by level, without recursion."""
    level = [value]
    for _ in range(MOST_DEPTH + 1):
        level = [inner for outer in level for inner in _inside(outer)]
        if not level:
            return
    raise ValueError(TOO_DEEP)


def _inside(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()
