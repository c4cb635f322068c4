"""The replies of the stub to Graphiti where its schemas alone do not say what points where."""

import json
import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from remem.serve.chat_completions import Said
from remem.serve.chat_requests import ChatCompletionRequest
from remem.serve.stub_lists import read_list
from remem.serve.stub_schema import filled
from remem.serve.stub_words import names, sentences

_SECTION = r"<{0}>\s*(.*?)\s*</{0}>"
MOST_ENTITIES = 8


def structured(request: ChatCompletionRequest) -> Said:
    """Reply to a request with a schema: entities, edges and resolutions, else what just fits."""
    schema = request.schema_of_reply
    properties = schema.get("properties", {})
    if "extracted_entities" in properties:
        return _said("entities", {"extracted_entities": _entities(request.text)})
    if "edges" in properties:
        return _said("edges", {"edges": _edges(schema, request.text)})
    if "entity_resolutions" in properties:
        resolutions = [_unlike_others(schema, one) for one in _listed(request.text, "ENTITIES")]
        return _said("resolutions", {"entity_resolutions": resolutions})
    value = filled(schema, request.last)
    if isinstance(value, dict) and isinstance(value.get("fact_type"), str):
        value["fact_type"] = "DEFAULT"
    return _said("schema", value)


def _said(kind: str, value: Any) -> Said:
    return Said(kind, json.dumps(value))


def _entities(text: str) -> list[dict[str, Any]]:
    found = names(_section(text, "CURRENT[ _]MESSAGE") or _section(text, "TEXT") or text)
    return [{"name": name, "entity_type_id": 0} for name in found[:MOST_ENTITIES]]


def _edges(schema: Mapping[str, Any], text: str) -> list[dict[str, Any]]:
    """Join each entity to the next; older releases want ids, newer ones names."""
    said = sentences(_section(text, "CURRENT[ _]MESSAGE")) or ["They are mentioned together."]
    edge = next((one for one in _definitions(schema) if "relation_type" in one), {})
    made = []
    for number, (one, other) in enumerate(pairwise(_listed(text, "ENTITIES"))):
        ends = {
            "source_entity_id": one.get("id", number),
            "target_entity_id": other.get("id", number + 1),
            "source_entity_name": one.get("name"),
            "target_entity_name": other.get("name"),
        }
        fact = {
            "relation_type": "MENTIONED_WITH",
            "fact": f"{one.get('name')} and {other.get('name')}: {said[number % len(said)]}",
            "valid_at": None,
            "invalid_at": None,
        }
        made.append({**{key: value for key, value in ends.items() if key in edge}, **fact})
    return made


def _unlike_others(schema: Mapping[str, Any], entity: Mapping[str, Any]) -> dict[str, Any]:
    """Say that an entity duplicates none."""
    shape = next((one for one in _definitions(schema) if "name" in one), {})
    known = {"id": entity.get("id", 0), "name": entity.get("name", ""), "duplicate_name": ""}
    return {
        key: known[key] if key in known else filled({"properties": {key: part}}, "none")[key]
        for key, part in shape.items()
    }


def _definitions(schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [part.get("properties", {}) for part in schema.get("$defs", {}).values()]


def _listed(text: str, name: str) -> list[dict[str, Any]]:
    """Return the objects of a section."""
    return [one for one in read_list(_section(text, name)) if isinstance(one, dict)]


def _section(text: str, name: str) -> str:
    found = re.search(_SECTION.format(name), text, re.DOTALL)
    return found[1] if found else ""
