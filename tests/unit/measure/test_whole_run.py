"""The bare loop makes the same calls as the run, and the lines compare both."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from measure import whole_run
from measure.bare_loop import replay, sent_bodies
from measure.whole_run import Ran, measure, run_once

from remem.llm.call_store import CallStore, Sent
from remem.llm.limiter import Limits
from remem.llm.openai_endpoint import OpenAIEndpoint
from remem.llm.replay import call_key, sent_json
from remem.protocols import ChatMessage, ChatReply, ChatRequest
from remem.serve.stub.stub import StubServer
from remem.types import Usage

SCHEMA = {"type": "object", "properties": {"gists": {"type": "array"}}, "required": ["gists"]}


@pytest.fixture
def endpoint() -> OpenAIEndpoint:
    return OpenAIEndpoint(
        kind="openai-chat",
        base_url="http://127.0.0.1:9/v1",
        key_variable="REMEM_STUB_KEY",
        model="loopback-stub",
        temperature=0,
        seed=None,
        max_output_tokens=4096,
        token_parameter="max_completion_tokens",
        json_mode="schema",
        tool_choice="required",
        timeout_seconds=30,
        tries=1,
        limits=Limits(None, None, None),
    )


@pytest.mark.parametrize("schema", [None, SCHEMA])
def test_what_a_store_kept_is_sent_again_as_it_was(
    tmp_path: Path, endpoint: OpenAIEndpoint, schema: dict[str, object] | None
) -> None:
    messages = (ChatMessage("system", "Be brief."), ChatMessage("user", "Who?"))
    request = ChatRequest("recall", messages, reply_schema=schema)
    _keep(tmp_path / "calls.sqlite", [sent_json(endpoint, request)])
    assert sent_bodies(str(tmp_path / "calls.sqlite")) == [endpoint._format.body(request)]


def test_every_call_of_a_store_is_made_once(tmp_path: Path, endpoint: OpenAIEndpoint) -> None:
    asked = [
        sent_json(endpoint, ChatRequest("read", (ChatMessage("user", f"Question: {at}?"),)))
        for at in range(5)
    ]
    _keep(tmp_path / "calls.sqlite", asked)
    with StubServer() as server:
        seconds = replay(sent_bodies(str(tmp_path / "calls.sqlite")), server.base_url, 2)
        counts = server.counts.as_json()
    assert seconds > 0
    assert counts["kinds"]["read"]["requests"] == 5


def test_the_lines_hold_a_run_against_the_bare_loop_and_the_least_that_it_can_take(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ran = Ran(seconds=100.0, calls=8_000, questions=1_986, peak_mib=250.0, store=Path("none"))
    monkeypatch.setattr(whole_run, "run_once", lambda overrides, url, folder: ran)
    monkeypatch.setattr(whole_run, "replay_once", lambda ran, url: 50.0)
    bare, memory, least = measure(quick=False)
    assert (bare.ratio, bare.holds, memory.holds) == (2.0, False, True)
    assert least.peer is not None
    assert least.peer.median == 62.5  # 8,000 calls of 0.5 seconds, 64 at a time
    assert (least.ratio, least.holds) == (1.6, False)
    assert [line.holds for line in measure(quick=True)] == [None, True, None]


def test_without_the_data_dialogues_of_its_size_are_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("REMEM_DATA", raising=False)
    overrides, name = whole_run._dataset()
    assert (overrides[0], name) == ("dataset=generated_dialogues", "generated dialogues")


def test_a_run_that_fails_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = ("python3", "-c", "import sys; sys.exit('no such thing')")
    monkeypatch.setattr(whole_run, "COMMAND", command)
    with pytest.raises(ValueError, match="the run ended with 1: no such thing"):
        run_once((), "http://127.0.0.1:9/v1", tmp_path / "results")


def _keep(file: Path, asked: list[str]) -> None:
    store = CallStore(file)
    for item in asked:
        sent = Sent(call_key(item, 0, 0), "read", item, 0.1, at=datetime(2026, 1, 1, tzinfo=UTC))
        store.keep_reply(sent, ChatReply("Ann", (), truncated=False, usage=Usage(1, 10, 2)))
    store.close()
