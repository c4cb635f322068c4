"""Bound the texts and lists of a schema so that a grammar ends them before the token limit.

A model that repeats itself fills a list until the reply is cut, and a cut list cannot be used. A
list that was closed because it was full can be used, but is marked as cut: items may be missing.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from remem.protocols import ChatReply

CHARACTERS_PER_TOKEN = 2
"""Characters per token of dates and repeated syllables; English has more."""


def with_ends(schema: Mapping[str, Any], most_tokens: int) -> dict[str, Any]:
    """Return a schema with length limits on texts and lists that fit into `most_tokens`.

    A list gets at most as many items as fit into the tokens. A text in a list gets at most 3/4
    characters per token, and a text outside of lists 1/3.

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
    """Mark a reply as cut if one of its lists has its maximum number of items."""
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
    """Estimate the maximum length of a schema's value as JSON, in characters."""
    inner = part.get("properties", {})
    own = int(part.get("maxLength", 0)) + len('"", ')
    return own + sum(len(f'"{name}": ') + _characters(each) for name, each in inner.items())
