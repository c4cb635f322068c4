"""Choose the stub's reply by the request's tools, its schema, or known phrases in its prompt.

A reply depends only on the request, so the same request always has the same reply.
"""

import json
from collections.abc import Callable

from remem.serve.chat_completions import ChatCompletionRequest, StubReply, within
from remem.serve.stub import graphiti as stub_graphiti
from remem.serve.stub import hipporag as stub_hipporag
from remem.serve.stub import langmem as stub_langmem
from remem.serve.stub import lightrag as stub_lightrag
from remem.serve.stub import mem0 as stub_mem0
from remem.serve.stub import roles as stub_roles
from remem.serve.stub import simplemem as stub_simplemem
from remem.serve.stub.extraction import Size, facts, gists, qualified
from remem.serve.stub.session import read_session

Answering = Callable[[ChatCompletionRequest], StubReply]


def stub_reply(request: ChatCompletionRequest, size: Size) -> StubReply:
    """Return the reply of the stub."""
    return within(_answering(request, size)(request), request.most_tokens)


def _answering(request: ChatCompletionRequest, size: Size) -> Answering:
    if request.functions:
        return _by_tools({function.name for function in request.functions})
    if request.schema_of_reply:
        return _by_schema(request, size)
    return _by_marks(request, size)


def _by_tools(names: set[str]) -> Answering:
    if "output_answer" in names:
        return stub_roles.plan
    return stub_langmem.memories if stub_langmem.TOOL in names else stub_mem0.tool_calls


def _by_schema(request: ChatCompletionRequest, size: Size) -> Answering:
    keys = " ".join(sorted(request.schema_of_reply["properties"]))
    replies: dict[str, Answering] = {
        "gists": lambda asked: _gists(asked, size),
        "facts": lambda asked: _facts(asked, size),
        "arguments thought tool": stub_roles.plan,
        "function parameters reasoning": stub_roles.plan,
        "explanation label": stub_roles.verdict,
        "answer explanation": stub_roles.dataset_answer,
        "named_entities": stub_hipporag.entities,
        "triples": stub_hipporag.triples,
        "fact": stub_hipporag.kept_facts,
    }
    return replies.get(keys, stub_graphiti.structured)


def _by_marks(request: ChatCompletionRequest, size: Size) -> Answering:
    """Choose how to reply by marks in the prompt; the most specific marks are checked first."""
    system = request.system
    text = f"{system}\n{request.last}"
    marks: tuple[tuple[bool, Answering], ...] = (
        (stub_lightrag.MARK in system, stub_lightrag.rows),
        (stub_lightrag.KEYWORDS in request.last, stub_lightrag.keywords),
        (stub_simplemem.ENTRIES in request.last, stub_simplemem.entries),
        (stub_simplemem.PLAN in request.last, stub_simplemem.plan),
        (stub_simplemem.SEARCHES in request.last, stub_simplemem.searches),
        (stub_simplemem.COMPLETE in request.last, stub_simplemem.complete),
        ('{"gists":' in system, lambda asked: _gists(asked, size)),
        ('{"facts": [{"subject"' in system, lambda asked: _facts(asked, size)),
        ('{"thought":' in system and '"tool"' in system, stub_roles.plan),
        (stub_hipporag.FILTER in text, stub_hipporag.kept_facts_marked),
        ('{"fact": [[' in system, stub_hipporag.kept_facts),
        ('"triples"' in text, stub_hipporag.triples),
        ("named_entities" in text, stub_hipporag.entities),
        ('"attributed_to"' in text, stub_mem0.additive),
        ('"event"' in text and '"memory"' in text, stub_mem0.events),
        ('"label"' in text, stub_roles.verdict),
        ('"facts"' in system, stub_mem0.facts),
        ("<answer>" in text, stub_roles.tagged_answer),
        ("in one full sentence" in system, stub_roles.sentence),
        ('"explanation"' in text and '"answer"' in text, stub_roles.dataset_answer),
    )
    return next((answering for mark, answering in marks if mark), stub_roles.direct_answer)


def _gists(request: ChatCompletionRequest, size: Size) -> StubReply:
    return StubReply("gists", json.dumps({"gists": gists(read_session(request.last), size)}))


def _facts(request: ChatCompletionRequest, size: Size) -> StubReply:
    session_facts = facts(read_session(request.last), size)
    if '"qualifiers"' in json.dumps(request.schema_of_reply) + request.system:
        session_facts = [qualified(fact) for fact in session_facts]
    return StubReply("facts", json.dumps({"facts": session_facts}))
