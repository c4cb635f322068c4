"""Texts and lists that end before the token limit does, where a grammar holds a model to it.

A model that repeats itself fills a list until it is cut, and a cut list cannot be used. One that
was closed because it was full can, and is marked as cut: it may not have all that was asked for.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from remem.protocols import ChatReply

CHARACTERS_PER_TOKEN = 2
"""Of dates and repeated syllables, which have fewer than English."""


def with_ends(schema: Mapping[str, Any], most_tokens: int) -> dict[str, Any]:
    """Return a schema of an object in which texts and lists end before the tokens are used up.

    A list has no more items than the tokens are enough for, and a text in it no more characters
    than three quarters of the tokens; a text that stands alone has a third of them.

    >>> names = {"type": "array", "items": {"type": "string", "maxLength": 300}}
    >>> with_ends({"properties": {"names": names}}, 256)["properties"]["names"]
    {'type': 'array', 'items': {'type': 'string', 'maxLength': 192}, 'maxItems': 2}
    """
    if schema.get("type") == "array":
        return _ended(schema, most_tokens)
    ended = _shorter(schema, most_tokens // 3)
    if "properties" in ended:
        parts = ended["properties"].items()
        ended["properties"] = {name: with_ends(part, most_tokens) for name, part in parts}
    if "anyOf" in ended:
        ended["anyOf"] = [with_ends(part, most_tokens) for part in ended["anyOf"]]
    return ended


def cut_if_full(reply: ChatReply, schema: Mapping[str, Any]) -> ChatReply:
    """Return a reply marked as cut if one of its lists has all the items that it may have."""
    ends = {
        name: part["maxItems"]
        for name, part in schema.get("properties", {}).items()
        if "maxItems" in part
    }
    if not ends:
        return reply
    try:
        found = json.loads(reply.text)
    except (ValueError, RecursionError):
        return reply
    items = found if isinstance(found, dict) else {}
    is_full = any(
        isinstance(items.get(name), list) and len(items[name]) >= most
        for name, most in ends.items()
    )
    return replace(reply, truncated=True) if is_full else reply


def _ended(listed: Mapping[str, Any], most_tokens: int) -> dict[str, Any]:
    item = _shorter(listed["items"], most_tokens * 3 // 4)
    most_items = max(1, most_tokens * CHARACTERS_PER_TOKEN // _characters(item))
    return {**listed, "items": item, "maxItems": most_items}


def _shorter(part: Mapping[str, Any], most: int) -> dict[str, Any]:
    shorter = dict(part)
    if "maxLength" in shorter:
        shorter["maxLength"] = min(most, shorter["maxLength"])
    return shorter


def _characters(part: Mapping[str, Any]) -> int:
    """Return about how many characters the longest value of a schema has, as JSON."""
    inner = part.get("properties", {})
    own = int(part.get("maxLength", 0)) + len('"", ')
    return own + sum(len(f'"{name}": ') + _characters(each) for name, each in inner.items())
