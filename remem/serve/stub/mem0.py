"""Replies of the stub to Mem0: facts of a message, memory events, and graph tools."""

import json
import re
from itertools import pairwise
from typing import Any

from remem.serve.chat_completions import ChatCompletionRequest, Function, StubReply
from remem.serve.stub.schema import filled
from remem.serve.stub.words import content_words, names, read_list, sentences

_ROLE = re.compile(r"^(?:Input:\s*)?(?:user|assistant|system)?:?\s*", re.IGNORECASE)
_SPEAKER = re.compile(r"([^\W\d_][^:]{0,39}): (.*)", re.DOTALL)
_NEW_MESSAGES = re.compile(r"^## New Messages\n(.*?)(?=^##? |\Z)", re.DOTALL | re.MULTILINE)
_FENCED = re.compile(r"```\s*(.*?)\s*```", re.DOTALL)
MOST_WORDS = 3
FEWEST_WORDS = 2
"""Minimum content words of a sentence with a fact; a shorter one is small talk."""


def facts(request: ChatCompletionRequest) -> StubReply:
    """Return a fact for each sentence that is not small talk."""
    return StubReply("mem0_facts", json.dumps({"facts": told_facts(request.last)}))


def additive(request: ChatCompletionRequest) -> StubReply:
    """Return the memories to add, in reply to the single call that Mem0 2 makes."""
    section = _NEW_MESSAGES.search(request.last)
    memories = told_facts(section[1] if section else "")
    memory = [
        {"id": str(number), "text": fact, "attributed_to": "user", "linked_memory_ids": []}
        for number, fact in enumerate(memories)
    ]
    return StubReply("mem0_facts", json.dumps({"memory": memory}))


def events(request: ChatCompletionRequest) -> StubReply:
    """Return the event ADD for each new fact, and NONE for each known fact."""
    known, new = _known_and_new(request.last)
    held = {str(item.get("text")): str(item.get("id")) for item in known}
    memory = [
        {"id": held[fact], "text": fact, "event": "NONE"}
        if fact in held
        else {"id": str(len(known) + number), "text": fact, "event": "ADD"}
        for number, fact in enumerate(new)
    ]
    return StubReply("mem0_events", json.dumps({"memory": memory}))


def tool_calls(request: ChatCompletionRequest) -> StubReply:
    """Call the first tool that adds something.

    If no tool adds anything, call no tool, or "noop" if the request requires a call.
    """
    by_name = {function.name: function for function in request.functions}
    adding = [item for name, item in by_name.items() if not name.startswith(("delete", "noop"))]
    if not adding and request.tool_choice in (None, "auto"):
        return StubReply("tools", "There is nothing to delete.")
    function = next(iter(adding), by_name.get("noop", request.functions[0]))
    text = request.last.rpartition("\nText:")[2]
    return StubReply("tools", calls=((function.name, json.dumps(_arguments(function, text))),))


def _arguments(function: Function, text: str) -> Any:
    """Return the arguments of a tool; tools of Mem0's graph get names from the text."""
    items = function.parameters.get("properties", {}).get("entities", {}).get("items", {})
    entities = names(text) or content_words(text)[:MOST_WORDS] or ["nothing"]
    if "source" in items.get("properties", {}):
        return {"entities": [_relation(first, other) for first, other in pairwise(entities)]}
    if "entity_type" in items.get("properties", {}):
        return {"entities": [{"entity": name, "entity_type": "thing"} for name in entities]}
    return filled(function.parameters, text)


def _relation(source: str, destination: str) -> dict[str, str]:
    return {"source": source, "relationship": "speaks_of", "destination": destination}


def told_facts(text: str) -> list[str]:
    """Return the sentences of a text that are not small talk, each with its speaker."""
    statements = []
    for line in text.splitlines():
        statement = _ROLE.sub("", line.strip(), count=1)
        spoken = _SPEAKER.fullmatch(statement)
        speaker = f"{spoken[1]}: " if spoken else ""
        for sentence in sentences(spoken[2] if spoken else statement):
            if len(content_words(sentence)) >= FEWEST_WORDS:
                statements.append(f"{speaker}{sentence}")
    return list(dict.fromkeys(statements))


def _known_and_new(text: str) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the known memories and the new facts, from the fenced Python lists in the prompt."""
    blocks = [read_list(block) for block in _FENCED.findall(text)]
    new = [str(item) for item in blocks[-1]] if blocks else []
    known = [item for item in blocks[-2] if isinstance(item, dict)] if len(blocks) > 1 else []
    return known, new
