"""Each kind of misbehaviour as a client sees it, and which requests are affected."""

import hashlib
import http.client
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.errors import RejectedReplyError
from remem.llm.chat_model import StoredChatModel
from remem.memory.extraction_replies import GISTS_SCHEMA, parse_gists
from remem.memory.llm_planner import parse_call
from remem.memory.tool_arguments import tool_specs
from remem.protocols import ChatMessage, ChatReply, ChatRequest, ToolSpec
from remem.serve.stub.faults import CONTENT, TRANSPORT, FaultPlan, spoiled
from remem.serve.stub.stub import STUB_MODEL, StubServer
from remem.types import Usage

Failing = Callable[..., StubServer]
ModelOn = Callable[..., StoredChatModel]

PASSAGE = "Date: 14 June 2022\nInes: We scraped the hull.\nRavi: My pottery course starts soon."
GISTS = (
    "[14 June 2022] Ines tells Ravi: We scraped the hull.",
    "[14 June 2022] Ravi tells Ines: My pottery course starts soon.",
)
REQUEST = ChatRequest("index", (ChatMessage("user", PASSAGE),), reply_schema=GISTS_SCHEMA)
BODY: dict[str, Any] = {"model": STUB_MODEL, "messages": [{"role": "user", "content": PASSAGE}]}


def send(stub: StubServer, body: dict[str, Any] = BODY, timeout: float = 5.0) -> tuple[int, bytes]:
    client = http.client.HTTPConnection(stub.url.removeprefix("http://"), timeout=timeout)
    try:
        headers = {"Content-Type": "application/json"}
        client.request("POST", "/v1/chat/completions", json.dumps(body), headers)
        reply = client.getresponse()
        if reply.status != 200:
            assert reply.headers["Retry-After"] == "0"
        return reply.status, reply.read()
    finally:
        client.close()


@pytest.mark.parametrize("kind", ["429", "500"])
def test_a_refused_try_says_when_to_come_back_and_the_next_one_passes(
    failing: Failing, kind: str
) -> None:
    stub = failing(kind, tries=2)
    assert [send(stub)[0] for _ in range(3)] == [int(kind), int(kind), 200]
    assert stub.counts.faults == {kind: 2}
    assert (stub.counts.total.requests, stub.counts.total.replies) == (3, 1)


def test_a_cut_reply_breaks_off_and_is_not_counted_as_sent(failing: Failing) -> None:
    stub = failing("cut")
    with pytest.raises(http.client.IncompleteRead) as broken:
        send(stub)
    assert len(broken.value.partial) > 100
    assert stub.counts.total.replies == 0
    assert send(stub)[0] == 200
    assert stub.counts.total.replies == 1


def test_a_hang_outlasts_the_client_and_ends_with_the_server(failing: Failing) -> None:
    stub = failing("hang")
    with pytest.raises(TimeoutError):
        send(stub, timeout=0.1)
    assert send(stub)[0] == 200
    stub.stop()
    with pytest.raises(ConnectionRefusedError):
        send(stub)


def test_a_hang_may_have_an_end(failing: Failing) -> None:
    with pytest.raises((http.client.HTTPException, ConnectionError, TimeoutError)):
        send(failing("hang", hang_seconds=0.01))


@pytest.mark.parametrize("kind", CONTENT)
def test_our_model_asks_again_after_a_reply_that_no_parser_takes_and_reads_prose_around_json(
    failing: Failing, model_on: ModelOn, kind: str
) -> None:
    stub = failing(kind)
    gists, usage = model_on(stub).ask(REQUEST, parse_gists)
    calls = 1 if kind == "prose" else 2
    assert (gists, usage.calls) == (GISTS, calls)
    assert list(stub.counts.bodies.values()) == [calls]
    assert stub.counts.total.replies == calls  # a bad reply is one all the same


@pytest.mark.parametrize("kind", CONTENT)
def test_calls_of_tools_are_spoiled_too(failing: Failing, model_on: ModelOn, kind: str) -> None:
    tools: tuple[ToolSpec, ...] = tool_specs(("semantic_retrieve", "output_answer"))
    request = ChatRequest("recall", (ChatMessage("user", "Question: Who?"),), tools=tools)
    stub = failing(kind)
    call, usage = model_on(stub).ask(request, parse_call)
    assert call.tool == "semantic_retrieve"
    assert usage.calls == (1 if kind in ("prose", "wrong_types", "nulls") else 2)
    assert (call.arguments == {"query": "Who?"}) == (kind not in ("wrong_types", "nulls"))


def test_embeddings_meet_faults_of_transport_only(failing: Failing) -> None:
    from openai import InternalServerError, OpenAI

    def embed(stub: StubServer) -> Any:
        client = OpenAI(base_url=stub.base_url, api_key="none", max_retries=0)
        return client.embeddings.create(model=STUB_MODEL, input="a")

    with pytest.raises(InternalServerError):
        embed(failing("500"))
    stub = failing("not_json")
    assert embed(stub).data
    assert stub.counts.faults == {}


@given(st.text(max_size=40), st.floats(0, 1), st.integers(0, 4))
def test_the_first_tries_of_a_body_fail_and_the_next_pass(
    body: str, fraction: float, tries: int
) -> None:
    plan = FaultPlan((*TRANSPORT, *CONTENT), fraction, tries)
    sha256 = hashlib.sha256(body.encode()).hexdigest()
    met = [plan.fault(sha256, asked) for asked in range(1, 7)]
    assert len(set(met[:tries])) <= 1  # one kind or none
    assert met[tries:] == [None] * (6 - tries)


def test_a_fraction_of_the_bodies_is_chosen_and_all_kinds_come_up() -> None:
    plan = FaultPlan(("429", "prose"), 0.25)
    sums = [hashlib.sha256(str(number).encode()).hexdigest() for number in range(4000)]
    met = [plan.fault(sha256, 1) for sha256 in sums]
    assert 900 < 4000 - met.count(None) < 1100
    assert min(met.count("429"), met.count("prose")) > 400
    assert {FaultPlan(("429",), 0.0).fault(sha256, 1) for sha256 in sums} == {None}
    assert {FaultPlan(("429",), 1.0).fault(sha256, 1) for sha256 in sums} == {"429"}


def test_what_lasts_is_a_part_of_what_is_chosen_and_fails_at_every_try() -> None:
    plan = FaultPlan(("429",), 0.5, tries=2, lasting=0.125)
    # sixteenths: 0 and 1 last, 0 to 7 are chosen
    met = [[plan.fault(digit + 63 * "0", asked) for asked in (1, 2, 3, 99)] for digit in "01278f"]
    lasting, passing, sound = ["429"] * 4, ["429", "429", None, None], [None] * 4
    assert met == [lasting, lasting, passing, passing, sound, sound]


@pytest.mark.parametrize(
    "wrong",
    [
        {"kinds": ("418",)},
        {"fraction": 1.1},
        {"fraction": -0.1},
        {"tries": -1},
        {"fraction": 0.1, "lasting": 0.2},
    ],
)
def test_a_plan_that_makes_no_sense_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"found|choose from"):
        FaultPlan(**wrong)


def test_what_is_spoiled_is_spoiled_as_the_kind_says() -> None:
    text = '{"gists": ["a", "b"]}'
    values = [{"value": "a"}, {"value": "b"}]
    assert json.loads(spoiled("wrong_types", text, "")) == {"gists": values}
    assert json.loads(spoiled("nulls", text, "")) == {"gists": [None, None]}
    assert text in spoiled("prose", text, "") != text
    assert len(spoiled("garbage", text, "ab")) == 1_000_000
    assert spoiled("garbage", text, "ab") == spoiled("garbage", text, "ab")
    assert spoiled("garbage", text, "ab") != spoiled("garbage", text, "cd")
    with pytest.raises(RejectedReplyError):
        parse_gists(ChatReply(spoiled("not_json", text, ""), (), False, Usage()))
