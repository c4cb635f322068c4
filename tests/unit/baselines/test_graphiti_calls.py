"""What Graphiti calls in place of its own model and embedder, and the releases it requires."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from baselines import graphiti_graph
from baselines.graphiti_calls import GraphitiCalls
from remem.errors import ModelUnavailableError
from remem.protocols import ChatReply, ChatRequest, Parsed, QueryTarget, Vectors
from remem.types import Usage

SPENT = Usage(1, 10, 2)
ASKED = [{"role": "system", "content": "Extract."}, {"role": "user", "content": "x"}]


class Model:
    """A model that always gives the same reply, or always fails."""

    def __init__(self, said: str | Exception) -> None:
        self.requests: list[ChatRequest] = []
        self._said = said

    def ask(
        self, request: ChatRequest, parse: Callable[[ChatReply], Parsed]
    ) -> tuple[Parsed, Usage]:
        self.requests.append(request)
        if isinstance(self._said, Exception):
            raise self._said
        return parse(ChatReply(self._said, (), True, SPENT)), SPENT


class Lengths:
    """Embeds a document as its length; knows no queries."""

    dimension = 1

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        return np.array([[len(text)] for text in texts], dtype=np.float32)

    def embed_queries(self, texts: Sequence[str], target: QueryTarget) -> Vectors:
        raise AssertionError("what Graphiti embeds by itself is no query")


def complete(calls: GraphitiCalls) -> Any:
    settings = {"model": "its own", "temperature": 0, "response_format": {"type": "json_object"}}
    create = calls.client().chat.completions.create
    return asyncio.run(create(messages=ASKED, **settings))


def test_a_reply_is_handed_on_as_it_is_even_where_it_is_no_json() -> None:
    model = Model('{"edges": [')
    calls = GraphitiCalls(model, Lengths())
    assert complete(calls).choices[0].message.content == '{"edges": ['
    (request,) = model.requests
    assert (request.stage, request.reply_schema) == ("index", {"type": "object"})
    assert [message.role for message in request.messages] == ["system", "user"]
    assert calls.usage == SPENT


def test_one_text_and_several_are_embedded_as_documents() -> None:
    calls = GraphitiCalls(Model(""), Lengths())
    assert asyncio.run(calls.create("abc")) == [3.0]
    assert asyncio.run(calls.create(["abcd"])) == [4.0]
    assert asyncio.run(calls.create_batch(["a", "bc"])) == [[1.0], [2.0]]


def test_nothing_is_asked_after_a_call_that_failed() -> None:
    model = Model(ModelUnavailableError("the line is cut"))
    calls = GraphitiCalls(model, Lengths())
    for _ in range(3):
        with pytest.raises(ModelUnavailableError, match="the line is cut"):
            complete(calls)
    assert len(model.requests) == 1
    assert isinstance(calls.failure, ModelUnavailableError)


@pytest.mark.parametrize(
    "found",
    [
        {"graphiti-core": "0.20.4", "kuzu": "0.11.3"},
        {"graphiti-core": "0.31.1", "kuzu": "0.11.3", "httpx": "0.28.1"},
    ],
)
def test_a_missing_or_other_release_is_told_with_the_command_that_gets_it(
    monkeypatch: pytest.MonkeyPatch, found: dict[str, str]
) -> None:
    monkeypatch.setattr(graphiti_graph, "installed_version", found.get)
    told = "pip install graphiti-core==0.20.4 kuzu==0.11.3 httpx$"
    with pytest.raises(ImportError, match=told):
        graphiti_graph.require_packages()
    pinned = {"graphiti-core": "0.20.4", "kuzu": "0.11.3", "httpx": "0.28.1"}  # any of httpx
    monkeypatch.setattr(graphiti_graph, "installed_version", pinned.get)
    graphiti_graph.require_packages()
