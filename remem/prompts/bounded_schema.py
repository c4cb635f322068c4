"""Reply schemas with length limits on texts, for endpoints that enforce a grammar.

A weak model may write one text until it is cut; a grammar makes it stop. Strict endpoints
(json_mode=schema) accept no maxLength, so they get schemas without limits.
"""

from collections.abc import Mapping
from typing import Any


def bounded(
    schema: Mapping[str, Any], most: int, named: Mapping[str, int] | None = None
) -> dict[str, Any]:
    """Return a schema that limits free texts to `most` characters, or to the number in `named`.

    A grammar repeats a character up to the limit, and llama.cpp refuses 2,000 repetitions.

    >>> bounded({"type": "array", "items": {"type": "string"}}, 80)
    {'type': 'array', 'items': {'type': 'string', 'maxLength': 80}}
    """
    named = named or {}
    ended = dict(schema)
    if "properties" in ended:
        ended["properties"] = {
            name: bounded(part, named.get(name, most), named)
            for name, part in ended["properties"].items()
        }
    if "anyOf" in ended:
        ended["anyOf"] = [bounded(part, most, named) for part in ended["anyOf"]]
    if "items" in ended:
        ended["items"] = bounded(ended["items"], most, named)
    if "string" in ended.get("type", ()) and "enum" not in ended:
        ended["maxLength"] = most
    return ended
