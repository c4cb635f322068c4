"""Fuzz the parsers of models' and rivals' replies, and of the tool calls in them."""

import json
from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

from fuzzing.harness import Target
from fuzzing.mutation import (
    FRAGMENTS,
    STRINGS,
    changed_document,
    changed_json,
    changed_text,
    deep,
    long_text,
    some_text,
)

from baselines.hipporag2_openie import parse_entities, parse_triples
from remem.config.run_config import compose_config, run_config
from remem.errors import RejectedReplyError
from remem.llm.completion import read_completion
from remem.llm.endpoint import EndpointError
from remem.memory.extraction_replies import (
    UnreadableDateError,
    fact_scope,
    gist_scope,
    parse_facts,
    parse_gists,
)
from remem.memory.llm_planner import parse_call
from remem.memory.tools import Toolbox
from remem.prompts.interaction import Cap, interaction_lines
from remem.prompts.replies import CutReplyError, json_objects
from remem.protocols import ChatReply, NativeCall
from remem.readers.direct import parse_tagged_answer
from remem.types import Episode, History, Message, Step, Usage

Parse = Callable[[ChatReply], Any]
REJECTED = (RejectedReplyError, CutReplyError)

CALLS = (
    {"thought": "look", "tool": "semantic_retrieve", "arguments": {"query": "a red boat"}},
    {"tool": "lexical_retrieve", "arguments": {"query": "boat", "start_time": "2023-05-08"}},
    {"tool": "find_gist_contexts", "arguments": {"gist_id": "g1", "end_time": "May 2024"}},
    {
        "tool": "find_entity_contexts",
        "arguments": {
            "subject": "E1",
            "predicate": "R2",
            "limit": 5,
            "ordering": "asc",
            "offset": 0,
            "aggregation": None,
            "start_operator": "lt",
            "start_time": "1995",
        },
    },
    {"tool": "find_entity_contexts", "arguments": {"object": "E3", "aggregation": "count"}},
    {"tool": "output_answer", "arguments": {"answer": "Kres"}},
)
GISTS = {"gists": ["[8 May 2023] Ann moved to Kres.", "Bob rowed on 3 May 2023."]}
FACTS = {
    "facts": [
        {"subject": "Ann", "predicate": "moved to", "object": "Kres", "point_in_time": "May 2023"},
        {
            "subject": "Bob",
            "predicate": "rows",
            "object": "a boat",
            "qualifiers": {"start_time": "2022", "end_time": "present", "record_time": None},
        },
        ["Ann", "has", "a dog"],
    ]
}
ENTITIES = {"named_entities": ["Ann", "Kres"]}
TRIPLES = {"triples": [["Ann", "moved to", "Kres"], ["Bob", "rows", "a boat"]]}
TAGGED = "<reasoning>so</reasoning> <answer>Kres</answer>"


def replied(value: Any) -> Callable[[Random], ChatReply]:
    """Return a function that draws replies with a value like this one: whole, changed or cut."""

    def draw(rng: Random) -> ChatReply:
        text = _around(rng, _written(rng, value))
        cut = rng.random() < 0.2
        if cut:
            text = text[: rng.randrange(len(text) + 1)]
        return ChatReply(text, (), cut, Usage(1, 1, 1))

    return draw


def _written(rng: Random, value: Any) -> str:
    kind = rng.random()
    if kind < 0.01:
        return deep(rng, next(iter(value)) if isinstance(value, dict) else "a")
    if kind < 0.03:
        keys = (*FRAGMENTS[:5], "{", "[", ",", '"', '{"a":', '"tool"', ': ["', "]", "}", "\\")
        named = tuple(f'{{"{key}": [' for key in value) if isinstance(value, dict) else ()
        return long_text(rng, (*keys, *named), 4000)
    if isinstance(value, str):
        return changed_text(rng, value)
    changed = value if kind < 0.1 else changed_json(rng, value)
    text = json.dumps(changed, ensure_ascii=rng.random() < 0.5)
    return changed_text(rng, text, 2) if rng.random() < 0.2 else text


def _around(rng: Random, text: str) -> str:
    kind = rng.randrange(6)
    if kind == 0:
        return f"```json\n{text}\n```"
    if kind == 1:
        return f"Sure: {text} I hope {{that}} helps {text[:20]}"
    return text if kind > 2 else some_text(rng, (*STRINGS, *FRAGMENTS, "{", "}")) + text


def read_objects(reply: ChatReply) -> None:
    for found in json_objects(reply.text):
        json.dumps(found, ensure_ascii=False, allow_nan=False).encode()


def read_extraction(reply: ChatReply) -> None:
    """Read gists or facts, and date them as the extractor does."""
    if '"facts"' not in reply.text:
        for text in parse_gists(reply):
            text.encode()
            gist_scope(text, None)
        return
    for fact in parse_facts(reply):
        try:
            fact_scope(fact)
        except UnreadableDateError:
            continue


def _extraction(rng: Random) -> ChatReply:
    return replied(rng.choice((GISTS, FACTS, FACTS["facts"], GISTS["gists"])))(rng)


def _planner(rng: Random) -> ChatReply:
    call = rng.choice(CALLS)
    if rng.random() < 0.5:
        return replied(call)(rng)
    arguments = _written(rng, call["arguments"])
    name = call["tool"] if rng.random() < 0.8 else rng.choice(STRINGS)
    return ChatReply("", (NativeCall(name, arguments),), rng.random() < 0.05, Usage(1, 1, 1))


@cache
def toolbox() -> Toolbox:
    """Return the tools over a small graph of statements and of a chat."""
    overrides = ["dataset=generated_dialogues", "method=remem_i"]
    memory = run_config(compose_config(overrides)).memory_factory()()
    texts = (
        *("E1 was the R2 of E3 from 1990 to 1995.", "E12 was the R2 of E3 from 1996 to 1999."),
        *("Ann Li lived in Kres from May 1990 to June 1995.", "I painted a red boat yesterday."),
        *("We met Bob on 3 May 2023.", "My sister Zoë bought a dog last year."),
    )
    episodes = tuple(
        Episode(f"s{at}", (Message(f"D{at}:1", "Ann" if at > 3 else "", text),))
        for at, text in enumerate(texts, start=1)
    )
    memory.index(History("h", episodes))
    found: Toolbox = memory.toolbox()
    return found


def read_call(reply: ChatReply) -> None:
    """Parse a call, carry it out and show it as the next prompt would."""
    call = parse_call(reply)
    if call.tool == "output_answer":
        return
    observation = toolbox().execute(call, "Which boat?")
    assert observation.error or observation.count is not None or len(observation.facts) < 99
    "\n".join(interaction_lines([Step(call, observation)], Cap(5, 200))).encode()


def read_openie(reply: ChatReply) -> None:
    """Read entities or triples, depending on the reply."""
    if '"named_entities"' in reply.text:
        "".join(parse_entities(reply)).encode()
    else:
        "".join(part for triple in parse_triples(reply) for part in triple).encode()


def _openie(rng: Random) -> ChatReply:
    return replied(rng.choice((ENTITIES, TRIPLES)))(rng)


COMPLETION = {
    "id": "x",
    "object": "chat.completion",
    "choices": [
        {
            "index": 0,
            "finish_reason": "stop",
            "message": {
                "role": "assistant",
                "content": "Kres",
                "tool_calls": [
                    {"id": "c", "type": "function", "function": {"name": "t", "arguments": "{}"}}
                ],
            },
        }
    ],
    "usage": {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12},
}


def _completion(rng: Random) -> bytes:
    return changed_document(rng, COMPLETION)


def read_chat(content: bytes) -> None:
    reply = read_completion(content)
    assert isinstance(reply.text, str) and reply.usage.calls == 1
    assert min(reply.usage.prompt_tokens, reply.usage.completion_tokens) >= 0


TARGETS = (
    Target("replies: chat completions", _completion, read_chat, (EndpointError,)),
    Target("replies: JSON in a text", replied({"a": [1, {"b": None}], "tool": "x"}), read_objects),
    Target("replies: extraction", _extraction, read_extraction, REJECTED),
    Target("replies: planner", _planner, read_call, REJECTED),
    Target("replies: tagged answers", replied(TAGGED), parse_tagged_answer, REJECTED),
    Target("replies: OpenIE", _openie, read_openie, REJECTED),
)
