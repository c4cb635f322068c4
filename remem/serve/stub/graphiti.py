"""The stub's replies to Graphiti requests for which a random value would not be valid."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from remem.serve.chat_completions import ChatCompletionRequest, StubReply
from remem.serve.stub.schema import filled
from remem.serve.stub.words import content_words, names, read_list, sentences

_SECTION = r"<{0}>\s*(.*?)\s*</{0}>"
_SPOKEN = re.compile(r"(?P<speaker>[^\W\d_][^:]{0,39}): (?P<words>.*)")
_MOMENT = re.compile(r"(?P<day>\d{4}-\d\d-\d\d)[ T](?P<time>\d\d:\d\d:\d\d)")
MOST_ENTITIES = 8
MOST_EDGES = 20
"""Maximum edges per session, because Graphiti sends a request for each of them."""

Numbered = tuple[int, Mapping[str, Any]]


def structured(request: ChatCompletionRequest) -> StubReply:
    """Return a reply that fits the schema: entities, edges, resolutions, or any valid value."""
    schema = request.schema_of_reply
    properties = schema.get("properties", {})
    if "extracted_entities" in properties:
        return _json_answer("entities", {"extracted_entities": _entities(request.text)})
    if "edges" in properties:
        return _json_answer("edges", {"edges": _edges(schema, request.text)})
    if "entity_resolutions" in properties:
        resolutions = [
            _unlike_others(schema, entity) for entity in _listed(request.text, "ENTITIES")
        ]
        return _json_answer("resolutions", {"entity_resolutions": resolutions})
    value = filled(schema, request.last)
    if isinstance(value, dict) and isinstance(value.get("fact_type"), str):
        value["fact_type"] = "DEFAULT"
    return _json_answer("schema", value)


def _json_answer(kind: str, value: Any) -> StubReply:
    return StubReply(kind, json.dumps(value))


def _entities(text: str) -> list[dict[str, Any]]:
    entities = names(_section(text, "CURRENT[ _]MESSAGE") or _section(text, "TEXT") or text)
    return [{"name": name, "entity_type_id": 0} for name in entities[:MOST_ENTITIES]]


def _edges(schema: Mapping[str, Any], text: str) -> list[dict[str, Any]]:
    """Return an edge for each of the longest sentences, from its speaker to another entity.

    Each edge is valid from the time of the session. It refers to entities by id for older releases
    of Graphiti, and by name for newer ones.
    """
    edge = next(
        (definition for definition in _definitions(schema) if "relation_type" in definition), {}
    )
    listed = list(enumerate(_listed(text, "ENTITIES")))
    made = []
    for speaker, sentence in _longest_sentences(_section(text, "CURRENT[ _]MESSAGE")):
        ends = _ends(listed, speaker, sentence)
        if ends is not None:
            (at, first), (other_at, other) = ends
            stated = {
                "source_entity_id": first.get("id", at),
                "target_entity_id": other.get("id", other_at),
                "source_entity_name": first.get("name"),
                "target_entity_name": other.get("name"),
            }
            fact = {
                "relation_type": "TELLS_OF",
                "fact": f"{speaker}: {sentence}" if speaker else sentence,
                "valid_at": _reference_time(text),
                "invalid_at": None,
            }
            made.append({**{key: value for key, value in stated.items() if key in edge}, **fact})
    return made


def _longest_sentences(message: str) -> list[tuple[str, str]]:
    """Return the sentences with the most content words, with their speakers, in text order."""
    by_speaker = []
    for line in message.splitlines():
        spoken = _SPOKEN.fullmatch(line.strip())
        speaker, words = (spoken["speaker"], spoken["words"]) if spoken else ("", line)
        by_speaker += [(speaker, sentence) for sentence in sentences(words)]
    most = sorted(by_speaker, key=lambda pair: -len(content_words(pair[1])))[:MOST_EDGES]
    return [line for line in by_speaker if line in most] or [("", "They are mentioned together.")]


def _ends(
    listed: Sequence[Numbered], speaker: str, sentence: str
) -> tuple[Numbered, Numbered] | None:
    """Return the speaker, or else the first entity, and another one, if possible in `sentence`."""
    speaking = (each for each in listed if each[1].get("name") == speaker)
    subject = next(speaking, next(iter(listed), None))
    others = [each for each in listed if each is not subject]
    named = (each for each in others if str(each[1].get("name")) in sentence)
    other = next(named, next(iter(others), None))
    return None if subject is None or other is None else (subject, other)


def _reference_time(text: str) -> str | None:
    """Return the time of the session in Graphiti's format."""
    match = _MOMENT.search(_section(text, "REFERENCE_TIME"))
    return f"{match['day']}T{match['time']}Z" if match else None


def _unlike_others(schema: Mapping[str, Any], entity: Mapping[str, Any]) -> dict[str, Any]:
    """Return the reply that says that an entity is not a duplicate."""
    shape = next((definition for definition in _definitions(schema) if "name" in definition), {})
    resolution = {"id": entity.get("id", 0), "name": entity.get("name", ""), "duplicate_name": ""}
    return {
        key: resolution[key]
        if key in resolution
        else filled({"properties": {key: part}}, "none")[key]
        for key, part in shape.items()
    }


def _definitions(schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [part.get("properties", {}) for part in schema.get("$defs", {}).values()]


def _listed(text: str, name: str) -> list[dict[str, Any]]:
    """Return the objects that a section of the prompt lists."""
    return [item for item in read_list(_section(text, name)) if isinstance(item, dict)]


def _section(text: str, name: str) -> str:
    match = re.search(_SECTION.format(name), text, re.DOTALL)
    return match[1] if match else ""
