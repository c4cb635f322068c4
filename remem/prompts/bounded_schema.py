"""Reply schemas whose texts and lists have an end, for endpoints that hold a model to a grammar.

A weak model may write one text, or one more item, until it is cut; a grammar makes it stop. Strict
endpoints (json_mode=schema) do not take all of these keywords, so they get the schemas without.
"""

from collections.abc import Mapping
from typing import Any


def bounded(
    schema: Mapping[str, Any], *, most_characters: int, most_items: int = 0
) -> dict[str, Any]:
    """Return a schema in which every free text has an end; every list too, if `most_items` is set.

    A grammar repeats as often as that: llama.cpp refuses 2,000 repetitions.

    >>> names = {"type": "array", "items": {"type": "string"}}
    >>> bounded(names, most_characters=80, most_items=5)
    {'type': 'array', 'items': {'type': 'string', 'maxLength': 80}, 'maxItems': 5}
    """

    def end(part: Mapping[str, Any]) -> dict[str, Any]:
        return bounded(part, most_characters=most_characters, most_items=most_items)

    ended = dict(schema)
    if "properties" in ended:
        ended["properties"] = {name: end(part) for name, part in ended["properties"].items()}
    if "anyOf" in ended:
        ended["anyOf"] = [end(part) for part in ended["anyOf"]]
    if "items" in ended:
        ended["items"] = end(ended["items"])
        ended |= {"maxItems": most_items} if most_items else {}
    if "string" in ended.get("type", ()) and "enum" not in ended:
        ended["maxLength"] = most_characters
    return ended
