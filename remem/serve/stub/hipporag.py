"""Replies of the stub to HippoRAG 2: entities, triples, relevant facts."""

import json
import re
from itertools import pairwise
from typing import Any

from remem.prompts.replies import json_objects
from remem.serve.chat_completions import ChatCompletionRequest, StubReply
from remem.serve.stub.words import content_words, names, stems

FILTER = "fact_before_filter"
_QUESTION = re.compile(r"(?:\[\[ ## question ## \]\]|^Question:)\s*(.*)", re.MULTILINE)
MOST_TRIPLES = 20
MOST_KEPT = 4


def entities(request: ChatCompletionRequest) -> StubReply:
    """Return the names in a passage."""
    return StubReply("entities", json.dumps({"named_entities": _entities(request.last)}))


def triples(request: ChatCompletionRequest) -> StubReply:
    """Return a triple for each pair of neighbouring entities in a line."""
    given = next(
        (
            json_object
            for json_object in json_objects(request.last)
            if "named_entities" in json_object
        ),
        {},
    )
    known = [str(name) for name in given.get("named_entities", [])]
    all_triples: list[list[str]] = []
    for line in request.last.splitlines():
        here = [name for name in known if name in line and "named_entities" not in line]
        relation = " ".join(content_words(line)[:3]) or "is near"
        all_triples.extend([first, relation, other] for first, other in pairwise(here))
    return StubReply("triples", json.dumps({"triples": all_triples[:MOST_TRIPLES]}))


def kept_facts(request: ChatCompletionRequest) -> StubReply:
    """Return the given facts that share words with the question, or the first fact if none does."""
    return StubReply("filter", _kept_facts_json(request.last))


def kept_facts_marked(request: ChatCompletionRequest) -> StubReply:
    """Return the same facts as `kept_facts`, in the section format of the published prompt."""
    text = (
        f"[[ ## fact_after_filter ## ]]\n{_kept_facts_json(request.last)}\n\n[[ ## completed ## ]]"
    )
    return StubReply("filter", text)


def _kept_facts_json(text: str) -> str:
    question = _QUESTION.search(text)
    question_stems = stems(question[1] if question else text)
    given = next((json_object for json_object in json_objects(text) if "fact" in json_object), {})
    facts: list[Any] = given.get("fact", [])
    kept = [fact for fact in facts if question_stems & stems(" ".join(map(str, fact)))] or facts[:1]
    return json.dumps({"fact": kept[:MOST_KEPT]})


def _entities(text: str) -> list[str]:
    return names(text) or content_words(text)[:3]
