"""An endpoint that answers the requests of Mem0 and Graphiti by rules over their own prompts.

Equal prompts get equal replies, so a second run sends a request only if it asks something new.
"""

import ast
import json
import re
import threading
from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from remem.errors import ModelUnavailableError, StopRunError
from remem.llm.endpoint import EndpointError, EndpointReply
from remem.protocols import Benchmark, ChatReply, ChatRequest, NativeCall
from remem.types import History, Usage

NAME = re.compile(r"\b[A-Z][a-z]{2,}\b")
SPENT = Usage(1, 100, 10)


class Speaker:
    """An endpoint with rules; `spoil` may replace replies, and it fails after `cut_after` calls."""

    kind = "scripted-chat"
    model = "gpt-4.1-mini-2025-04-14"
    settings: Mapping[str, Any] = {"temperature": 0}
    max_output_tokens = 1000
    address = "in memory"

    def __init__(
        self,
        *,
        spoil: Callable[[ChatRequest], str | None] = lambda request: None,
        cut_after: int | None = None,
    ) -> None:
        self.sent: list[ChatRequest] = []
        self._spoil = spoil
        self._cut_after = cut_after
        self._lock = threading.Lock()

    def stop(self, reason: StopRunError) -> None:
        """Do nothing, because no request is pending."""

    def send(self, request: ChatRequest) -> EndpointReply:
        with self._lock:
            if self._cut_after is not None and len(self.sent) >= self._cut_after:
                raise EndpointError("the connection was cut", retryable=True)
            self.sent.append(request)
        if request.tools:
            name, arguments = _called(request)
            calls = (NativeCall(name, json.dumps(arguments)),)
            return EndpointReply(ChatReply("", calls, False, SPENT), 0.0)
        spoiled = self._spoil(request)
        text = json.dumps(_said(request)) if spoiled is None else spoiled
        return EndpointReply(ChatReply(text, (), False, SPENT), 0.0)


def outlive_an_outage(memory: Callable[[Speaker], Any], benchmark: Benchmark, calls: Path) -> None:
    """Check that after an outage, a conversation repeats only the calls that were in flight.

    `memory` makes a memory on a given endpoint that stores its calls in `calls`.
    """
    whole = benchmark.histories()[0]
    history = History(whole.id, whole.episodes[:4])
    queries = [question.query for question in benchmark.questions(history.id)][:5]

    def told(made: Any) -> object:
        made.index(history)
        evidence = [made.recall(query) for query in queries]
        return evidence, made.index_counts, made.index_usage, made.failures

    undisturbed = Speaker()
    first = memory(undisturbed)  # kept: SQLite removes a store's -wal by its name when it closes it
    expected = told(first)
    sent = len(undisturbed.sent)
    assert sent > 40
    for file in calls.parent.glob(f"{calls.name}*"):
        file.unlink()
    cut, healthy, unasked = Speaker(cut_after=sent // 2), Speaker(), Speaker()
    with pytest.raises(ModelUnavailableError, match="the connection was cut"):
        memory(cut).index(history)
    assert told(memory(healthy)) == expected
    both = [*cut.sent, *healthy.sent]
    assert (len(cut.sent), len(both)) == (sent // 2, sent)
    assert sorted(map(str, both)) == sorted(map(str, undisturbed.sent))
    assert told(memory(unasked)) == expected
    assert unasked.sent == []


def is_facts(request: ChatRequest) -> bool:
    """Tell whether Mem0 asks for the facts of a message."""
    return request.messages[-1].content.startswith("Input:\n")


def _said(request: ChatRequest) -> dict[str, Any]:
    system, asked = request.messages[0].content, request.messages[-1].content
    if is_facts(request):
        text = asked.removeprefix("Input:\nuser: ").strip()
        return {"facts": [part.strip() for part in re.split(r"(?<=[.!])\s+", text) if part][:2]}
    if "new retrieved facts are mentioned" in asked:
        return {"memory": _actions(asked)}
    if "extracts entity nodes from conversational" in system:
        names = dict.fromkeys(NAME.findall(_between(asked, "CURRENT MESSAGE")))
        return {
            "extracted_entities": [{"name": item, "entity_type_id": 0} for item in [*names][:8]]
        }
    if "determines whether or not ENTITIES" in system:
        return {"entity_resolutions": _resolutions(asked)}
    if "expert fact extractor" in system:
        return {"edges": _edges(asked)}
    if "de-duplicates facts from fact lists" in system:
        outdated = [0] if "no longer" in _between(asked, "NEW FACT") else []
        return {"duplicate_facts": [], "contradicted_facts": outdated, "fact_type": "DEFAULT"}
    if "extracts entity summaries" in system:
        return {"summary": str(ast.literal_eval(_between(asked, "ENTITY"))["name"])}
    raise AssertionError(f"nobody knows what to say to {system[:80]!r}")


def _actions(asked: str) -> list[dict[str, str]]:
    """Return Mem0's actions: add new facts, update on "Now ...", delete on "Forget ..."."""
    lists = [
        ast.literal_eval(item) for item in re.findall(r"```\n\s*(\[.*?\])\n\s*```", asked, re.S)
    ]
    facts, known = lists[-1], lists[-2] if "Current memory is empty" not in asked else []
    texts = {item["text"] for item in known}
    events = {"Now ": "UPDATE", "Forget": "DELETE"}
    actions = []
    for fact in facts:
        said = fact.partition(": ")[2] or fact
        event = next((word for start, word in events.items() if said.startswith(start)), "ADD")
        event = "NONE" if fact in texts else event
        number = known[0]["id"] if known and event != "ADD" else "new"
        actions.append({"id": number, "text": fact, "event": event})
    return actions


def _resolutions(asked: str) -> list[dict[str, Any]]:
    found, (known,) = (
        json.loads(_between(asked, name)) for name in ("ENTITIES", "EXISTING ENTITIES")
    )
    index = {item["name"]: item["idx"] for item in known}
    return [
        {
            "id": item["id"],
            "name": item["name"],
            "duplicate_idx": index.get(item["name"], -1),
            "duplicates": [],
        }
        for item in found
    ]


def _edges(asked: str) -> list[dict[str, Any]]:
    """Return a relation between the first two names of each line."""
    ids = {item["name"]: item["id"] for item in ast.literal_eval(_between(asked, "ENTITIES"))}
    moment = _between(asked, "REFERENCE_TIME").partition("  #")[0].replace(" ", "T")
    edges = []
    for line in _between(asked, "CURRENT_MESSAGE").splitlines():
        named = [name for name in dict.fromkeys(NAME.findall(line)) if name in ids][:2]
        if len(named) == 2:
            source, target = (ids[name] for name in named)
            edges.append(
                {
                    "relation_type": "TOLD",
                    "source_entity_id": source,
                    "target_entity_id": target,
                    "fact": line,
                    "valid_at": moment,
                }
            )
    return edges


def _called(request: ChatRequest) -> tuple[str, dict[str, Any]]:
    asked = request.messages[-1].content
    name = request.tools[0].name
    names = list(dict.fromkeys(NAME.findall(asked.rpartition("Text:")[2])))
    if name == "extract_entities":
        return name, {"entities": [{"entity": item, "entity_type": "thing"} for item in names]}
    if name == "establish_relationships":
        pairs = pairwise(names)
        keys = ("source", "relationship", "destination")
        return name, {
            "entities": [dict(zip(keys, (one, "told", other), strict=True)) for one, other in pairs]
        }
    return "noop", {}


def _between(text: str, name: str) -> str:
    return text.rpartition(f"<{name}>")[2].partition(f"</{name}>")[0].strip()
