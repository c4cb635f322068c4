"""What Mem0 calls in place of its own model and embedder, and the releases it requires."""

import logging
import sys
from collections.abc import Callable, Sequence
from types import SimpleNamespace

import numpy as np
import pytest

from baselines import mem0_memory
from baselines.mem0_calls import Mem0Calls, losses
from remem.errors import ModelUnavailableError
from remem.protocols import ChatReply, ChatRequest, NativeCall, Parsed, QueryTarget, Vectors
from remem.types import Usage

SPENT = Usage(1, 10, 2)
ASKED = [{"role": "system", "content": "Extract."}, {"role": "user", "content": "Input:\nx"}]
JSON_OBJECT = {"type": "json_object"}


class Model:
    """A model that always gives the same reply, or always fails."""

    def __init__(self, said: str | Exception, *calls: NativeCall) -> None:
        self._calls = calls
        self.requests: list[ChatRequest] = []
        self._said = said

    def ask(
        self, request: ChatRequest, parse: Callable[[ChatReply], Parsed]
    ) -> tuple[Parsed, Usage]:
        self.requests.append(request)
        if isinstance(self._said, Exception):
            raise self._said
        return parse(ChatReply(self._said, self._calls, True, SPENT)), SPENT


class Roles:
    """Embeds a query as (0, 1) and a document as (1, 0)."""

    dimension = 2

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        return np.array([[1, 0]] * len(texts), dtype=np.float32)

    def embed_queries(self, texts: Sequence[str], target: QueryTarget) -> Vectors:
        return np.array([[0, 1]] * len(texts), dtype=np.float32)


def test_a_reply_is_handed_on_as_it_is_even_where_it_is_no_json() -> None:
    model = Model('{"facts": ["cut')
    calls = Mem0Calls(model, Roles(), "index")
    assert calls.generate_response(ASKED, response_format=JSON_OBJECT) == '{"facts": ["cut'
    (request,) = model.requests
    assert request.stage == "index"
    assert [(message.role, message.content) for message in request.messages] == [
        ("system", "Extract."),
        ("user", "Input:\nx"),
    ]
    assert request.reply_schema == {"type": "object"}
    assert calls.usage == SPENT


def test_every_tool_call_is_handed_on_but_the_one_that_calls_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plain = SimpleNamespace(extract_json=lambda text: text)
    monkeypatch.setitem(sys.modules, "mem0.memory.utils", plain)
    named = (("delete", '{"source": "a"}'), ("noop", "{}"), ("delete", '{"source": "b"}'))
    calls = Mem0Calls(Model("", *(NativeCall(*item) for item in named)), Roles(), "index")
    tool = {"name": "delete", "description": "", "parameters": {}}
    reply = calls.generate_response(ASKED, tools=[{"function": tool}])
    assert isinstance(reply, dict)
    assert reply["tool_calls"] == [
        {"name": "delete", "arguments": {"source": "a"}},
        {"name": "delete", "arguments": {"source": "b"}},
    ]


def test_a_question_is_embedded_as_one_and_all_else_as_a_document() -> None:
    calls = Mem0Calls(Model(""), Roles(), "recall")
    assert calls.embed("who?", "search") == [0.0, 1.0]
    for action in ("add", "update", None):
        assert calls.embed("a fact", action) == [1.0, 0.0]


def test_facts_are_what_is_embedded_between_the_two_calls_of_a_message() -> None:
    calls = Mem0Calls(Model("{}"), Roles(), "index")
    calls.generate_response(ASKED, response_format=JSON_OBJECT)
    calls.embed("first fact", "add")
    calls.embed("second fact", "add")
    calls.generate_response(ASKED, response_format=JSON_OBJECT)
    calls.embed("first fact, reworded", "add")
    assert calls.facts == ["first fact", "second fact"]


def test_a_failure_that_was_swallowed_is_raised_and_nothing_is_asked_after_it() -> None:
    model = Model(ModelUnavailableError("the line is cut"))
    calls = Mem0Calls(model, Roles(), "index")
    with pytest.raises(ModelUnavailableError, match="the line is cut"), calls.failing_loudly():
        for _ in range(3):
            with pytest.raises(ModelUnavailableError):
                calls.generate_response(ASKED)
    assert len(model.requests) == 1


def test_an_error_of_mem0_itself_passes_as_it_is() -> None:
    calls = Mem0Calls(Model(""), Roles(), "index")
    with pytest.raises(KeyError), calls.failing_loudly():
        raise KeyError("entity")


def test_losses_are_heard_from_the_threads_that_called_alone() -> None:
    calls = Mem0Calls(Model(""), Roles(), "index")
    log = logging.getLogger("mem0.memory.main")
    with losses(calls) as reasons:
        log.error("of another memory")
        calls.generate_response(ASKED)
        log.error("of this memory")
        log.info("no loss")
    log.error("after it")
    assert reasons == ["of this memory"]


@pytest.mark.parametrize(
    ("graph", "found", "told"),
    [
        (
            False,
            {"mem0ai": "2.2.1"},
            "mem0ai 2.2.1; install the pinned ones: pip install mem0ai==1.0.11$",
        ),
        (
            True,
            {"mem0ai": "1.0.11", "rank-bm25": "0.2.2"},
            "kuzu missing.* pip install mem0ai==1.0.11 kuzu==0.11.3 rank-bm25==0.2.2$",
        ),
    ],
)
def test_a_missing_or_other_release_is_told_with_the_command_that_gets_it(
    monkeypatch: pytest.MonkeyPatch, graph: bool, found: dict[str, str], told: str
) -> None:
    monkeypatch.setattr(mem0_memory, "installed_version", found.get)
    with pytest.raises(ImportError, match=told):
        mem0_memory.require_packages(graph=graph)


def test_the_pinned_releases_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    pinned = {"mem0ai": "1.0.11", "kuzu": "0.11.3", "rank-bm25": "0.2.2"}
    monkeypatch.setattr(mem0_memory, "installed_version", pinned.get)
    mem0_memory.require_packages(graph=True)
