"""The real rivals in their own environments: indexing, failures, resuming, and no network.

REMEM_MEM0_2_PYTHON, REMEM_LANGMEM_PYTHON, REMEM_MEMPALACE_PYTHON and so on name their interpreters
(`make env NAME=mem0-2, and so on`).
"""

import json
import os
import re
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from remem.apps.rivals.external_memory import ExternalMemory
from remem.apps.rivals.gateway_server import Gateway
from remem.config.run_config import compose_config, run_config
from remem.embed.hashing import HashingEmbedder
from remem.errors import ModelUnavailableError, StopRunError
from remem.llm.chat_model import StoredChatModel
from remem.llm.endpoint import EndpointError, EndpointReply
from remem.protocols import ChatReply, ChatRequest, NativeCall
from remem.serve.stub.endpoint import StubEndpoint
from remem.time_scope import TimePoint
from remem.types import Episode, Evidence, History, IndexHealth, Message, Query, Usage

pytestmark = pytest.mark.extra

DATA = os.environ.get("REMEM_DATA")
VARIABLES = {
    name: f"REMEM_{name.upper()}_PYTHON"
    for name in ("mem0_2", "graphiti_new", "langmem", "lightrag", "mempalace", "simplemem")
}
Make = Callable[..., ExternalMemory]


def rival(name: str) -> Any:
    unset = VARIABLES[name] not in os.environ
    reason = f"{VARIABLES[name]} is unset"
    return pytest.param(name, marks=pytest.mark.skipif(unset, reason=reason))


mem0 = pytest.mark.parametrize("method", [rival("mem0_2")])
graphiti = pytest.mark.parametrize("method", [rival("graphiti_new")])
langmem = pytest.mark.parametrize("method", [rival("langmem")])
lightrag = pytest.mark.parametrize("method", [rival("lightrag")])
mempalace = pytest.mark.parametrize("method", [rival("mempalace")])
simplemem = pytest.mark.parametrize("method", [rival("simplemem")])
every = pytest.mark.parametrize("method", [rival(name) for name in VARIABLES])
ASKING = [name for name in VARIABLES if name != "mempalace"]
"""Those that ask a language model."""
asking = pytest.mark.parametrize("method", [rival(name) for name in ASKING])


class Listener:
    """The stub as an endpoint that records all requests; `spoil` and `cut_after` make it fail.

    `replies` maps a text to the scripted reply for requests that contain this text.
    """

    def __init__(
        self,
        *,
        cut_after: int | None = None,
        spoil: Callable[[ChatRequest], bool] = lambda request: False,
        replies: Mapping[str, ChatReply] | None = None,
    ) -> None:
        self._stub = StubEndpoint(size="plain", max_output_tokens=4096)
        self._lock = threading.Lock()
        self._spoil = spoil
        self._replies = replies or {}
        self.cut_after = cut_after
        self.sent: list[ChatRequest] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stub, name)

    def send(self, request: ChatRequest) -> EndpointReply:
        with self._lock:
            if self.cut_after is not None and len(self.sent) >= self.cut_after:
                raise EndpointError("the connection was cut", retryable=True)
            self.sent.append(request)
        if self._spoil(request):
            return EndpointReply(ChatReply('{"cut', (), False, Usage(1, 1, 1)), 0.0)
        asked = "".join(message.content for message in request.messages)
        scripted = [reply for mark, reply in self._replies.items() if mark in asked]
        return EndpointReply(scripted[-1], 0.0) if scripted else self._stub.send(request)


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Return a function that makes a memory on the test's call store, like a restart of a run."""

    def making(method: str, endpoint: Any) -> ExternalMemory:
        build = run_config(compose_config([f"method={method}", "llm=loopback-stub"])).resolved[
            "method"
        ]["build"]
        parts = {
            "chat_model": StoredChatModel(
                endpoint=endpoint,
                store=str(tmp_path / "calls.sqlite"),
                attempts=1,
                repeat=0,
                budget_dollars=None,
                prices="2026-11-21",
            ),
            "embedder": HashingEmbedder(dimension=2048),
            "gateway": Gateway,
        }
        told = {key: value for key, value in build.items() if not key.startswith("_")}
        return ExternalMemory(**(told | parts))

    return making


def session(number: int, *texts: str) -> Episode:
    time, date = TimePoint(2023, 5, number, 600), f"{number} May 2023"
    messages = (
        Message(f"D{number}:{at}", ("Ann", "Bob")[at % 2], text, time, date)
        for at, text in enumerate(texts)
    )
    return Episode(f"session_{number}", tuple(messages))


CHAT = History(
    "a chat, with a name / that is long",
    (
        session(1, "Claire Miller bought my old boat yesterday.", "Great news for Emma Stone!"),
        session(2, "Claire Miller sold the boat to Dave Brown.", "Dave Brown lives in Oslo."),
    ),
)
QUERY = Query("q", CHAT.id, 0, "Who bought the boat, Claire Miller?")


def indexed(memory: ExternalMemory, history: History = CHAT) -> Evidence:
    memory.index(history)
    return memory.recall(QUERY)


@mem0
def test_mem0_gets_messages_in_order_each_with_the_day_it_was_said(make: Make, method: str) -> None:
    evidence = indexed(memory := make(method, listener := Listener()))
    asked = [request.messages[-1].content for request in listener.sent]
    said = list(CHAT.messages())
    assert len(asked) == len(said) == 4
    for prompt, message in zip(asked, said, strict=True):
        new = prompt.partition("## New Messages\n")[2]
        assert f"{message.speaker}: {message.text}" in new
        assert f"## Observation Date\n2023-05-0{message.id[1]}\n" in new
        assert f"## Current Date\n2023-05-0{message.id[1]}\n" in new
    last = asked[-1].partition("## Last k Messages\n")[2].partition("##")[0]
    assert [last.index(message.text) for message in said[:3]] == sorted(
        last.index(message.text) for message in said[:3]
    )
    found = {passage.text: passage.source for passage in evidence.passages}
    text = "1 May 2023: Ann: Claire Miller bought my old boat yesterday."
    assert found[text] == ("D1:0",)
    assert evidence.passages[0].time == TimePoint(2023, 5, int(evidence.passages[0].text[0]), 600)
    assert memory.index_counts == {"facts": 4, "ADD": 4}
    assert memory.index_health == IndexHealth(4, 4, 10)
    assert memory.index_usage.calls == 4
    assert evidence.usage.calls == 0


@graphiti
def test_graphiti_gets_sessions_in_order_each_with_the_time_it_was_held(
    make: Make, method: str
) -> None:
    evidence = indexed(memory := make(method, listener := Listener()))
    prompts = [request.messages[-1].content for request in listener.sent]
    first = next(at for at, one in enumerate(prompts) if "Dave Brown" in one)
    assert all("2023-05-02" not in prompt for prompt in prompts[:first])
    assert any("2023-05-01" in prompt for prompt in prompts[:first])
    assert any("2023-05-02" in prompt for prompt in prompts[first:])
    assert {passage.source for passage in evidence.passages} == {
        ("D1:0", "D1:1"),
        ("D2:0", "D2:1"),
    }
    assert memory.index_counts["sessions"] == 2
    edges = memory.index_counts["edges"]  # none comes twice here
    assert memory.index_health == IndexHealth(edges, edges, 10)
    assert len({passage.id for passage in evidence.passages}) <= edges
    assert memory.failures == ()


@langmem
def test_langmem_gets_sessions_in_order_each_below_its_date(make: Make, method: str) -> None:
    evidence = indexed(memory := make(method, listener := Listener()))
    first, second = (request.messages for request in listener.sent)
    assert "\n\nDate: 1 May 2023\nAnn: Claire Miller bought my old boat" in first[-1].content
    assert "<existing>" not in first[0].content
    assert "\n\nDate: 2 May 2023\nAnn: Claire Miller sold the boat" in second[-1].content
    assert second[0].content.count("<instance id=") == 2
    best = evidence.passages[0]
    assert best.text == "1 May 2023: Ann: Claire Miller bought my old boat yesterday."
    assert (best.source, best.time) == (("D1:0", "D1:1"), TimePoint(2023, 5, 1, 600))
    assert memory.index_health == IndexHealth(4, 4, 10)
    assert memory.index_usage.calls == 2
    assert +memory.index_counts == {"sessions": 2, "replies": 2, "inserted": 4}


def calling(*calls: tuple[str, object], cut: bool = False) -> ChatReply:
    native = tuple(
        NativeCall(name, said if isinstance(said, str) else json.dumps(said), f"call_{at}")
        for at, (name, said) in enumerate(calls)
    )
    return ChatReply("", native, cut, Usage(1, 1, 1))


SECOND = "Date: 2 May 2023"


@langmem
def test_what_langmem_overwrites_and_drops_is_counted(
    make: Make, tmp_path: Path, method: str
) -> None:
    make(method, listener := Listener()).index(CHAT)
    shown = listener.sent[-1].messages[0].content
    boat = re.findall(r"<instance id=(\w+) [^<]*old boat", shown)[0]
    (tmp_path / "calls.sqlite").unlink()
    patch = {"op": "replace", "path": "/content", "value": "Dave Brown has the boat."}
    told = {"planned_edits": "the boat was sold", "patches": [patch]}
    reply = calling(
        ("PatchDoc", {"json_doc_id": boat, **told}),
        ("PatchDoc", {"json_doc_id": "0" * 32, **told}),
        ("Memory", '{"content": "Dave Brown lives'),
        cut=True,
    )
    memory = make(method, Listener(replies={SECOND: reply}))
    passage, other = indexed(memory).passages
    assert passage.text == "2 May 2023: Dave Brown has the boat."
    assert passage.source == ("D1:0", "D1:1", "D2:0", "D2:1")
    assert "old boat" not in other.text
    assert memory.index_health == IndexHealth(2, 2, 10)
    counts = +memory.index_counts
    changes = {"inserted": 2, "updated": 1}
    losses = {"cut_replies": 1, "unreadable_calls": 1, "calls_without_effect": 2}
    assert counts == {"sessions": 2, "replies": 2, **changes, **losses}
    ((session, reason),) = memory.failures
    assert (session, "Could not find existing schema" in reason) == ("session_2", True)
    cut = calling(("Memory", '{"content": "Dave Brown lives'), cut=True)
    memory = make(method, Listener(replies={SECOND: cut}))
    indexed(memory)
    ((session, reason),) = memory.failures
    assert (session, "are not JSON" in reason) == ("session_2", True)


@lightrag
def test_lightrag_gets_sessions_in_order_each_below_its_date(make: Make, method: str) -> None:
    evidence = indexed(memory := make(method, listener := Listener()))
    asked = [request.messages[-1].content for request in listener.sent]
    told = [prompt.partition("---Input Text---\n```\n")[2][:16] for prompt in asked]
    assert told == ["Date: 1 May 2023", "", "Date: 2 May 2023", "", ""]  # each is asked for more
    found = {passage.id: passage for passage in evidence.passages}
    pair = found["relation Claire Miller - Dave Brown"]
    assert (pair.source, pair.time) == (("D2:0", "D2:1"), TimePoint(2023, 5, 2, 600))
    assert pair.text.startswith("2 May 2023: Claire Miller - Dave Brown: ")
    assert found["entity Claire Miller"].source == ("D1:0", "D1:1", "D2:0", "D2:1")
    assert found["doc-0-chunk-000"].source == ("D1:0", "D1:1")
    assert len(found) <= 10
    graph = {"entities": 7, "relations": 6, "chunks": 2}
    merged = {"merged_entities": 3, "merged_relations": 1}
    replies = {"replies": 4, "rows": 17, "replies_without_rows": 2}
    assert +memory.index_counts == {"sessions": 2, **graph, **merged, **replies}
    assert memory.index_health == IndexHealth(15, 15, 10)
    assert (memory.index_usage.calls, evidence.usage.calls) == (4, 1)


@lightrag
def test_what_lightrag_drops_and_merges_is_counted(make: Make, method: str) -> None:
    rows = (
        "entity<|#|>Dave Brown<|#|>Person<|#|>Dave Brown has the boat.",
        "entity<|#|>Oslo<|#|>Location",
        "relation<|#|>Dave Brown<|#|>Oslo<|#|>lives",
        "relation<|#|>Dave Brown<|#|>Claire Miller<|#|>buys<|#|>He bought the boat",
    )
    reply = ChatReply("\n".join(rows), (), True, Usage(1, 1, 1))
    memory = make(method, Listener(replies={SECOND: reply}))
    texts = "\n".join(passage.text for passage in indexed(memory).passages)
    assert "Dave Brown has the boat." in texts
    assert "entity Oslo" not in texts
    assert memory.index_counts["cut_replies"] == 2  # asked for more, it says the same
    assert memory.index_counts["rows"] == 8 + 2 * 4
    assert memory.index_counts["merged_entities"] == 1
    assert {session for session, _ in memory.failures} == {"session_2"}
    reasons = [reason for _, reason in memory.failures]
    assert sum("found 3/4 fields on ENTITY" in reason for reason in reasons) == 2
    assert sum("found 4/5 fields on RELATION" in reason for reason in reasons) == 2


@lightrag
def test_a_reply_without_keywords_is_counted(make: Make, method: str) -> None:
    none = {"low_level_keywords": ChatReply("no idea", (), False, Usage(1, 1, 1))}
    memory = make(method, Listener(replies=none))
    memory.index(CHAT)
    short = memory.recall(QUERY)
    longer = "Who bought the boat of Ann in May, and who sold it again?"
    nothing = memory.recall(Query("q", CHAT.id, 1, longer))
    assert short.passages  # LightRAG searches for the text of a short question
    assert nothing.passages == ()
    assert (short.usage.rejected_replies, nothing.usage.rejected_replies) == (1, 1)
    memory = make(method, Listener())
    memory.index(CHAT)
    found = memory.recall(Query("q", CHAT.id, 2, "Who sold the boat to Dave Brown?"))
    assert found.usage.rejected_replies == 0


@lightrag
def test_a_session_said_twice_is_dropped_by_lightrag_and_counted(make: Make, method: str) -> None:
    said = Message("F:0", "Ann", "Claire Miller bought my old boat.")
    twice = (Episode("one", (said,)), Episode("two", (said,)))
    memory = make(method, Listener())
    memory.index(History("undated", twice))
    assert [session for session, _ in memory.failures if session == "two"]
    assert memory.index_counts["chunks"] == 1


@mempalace
def test_mempalace_keeps_each_message_as_it_was_said_and_asks_no_model(
    make: Make, method: str
) -> None:
    evidence = indexed(memory := make(method, listener := Listener()))
    assert listener.sent == []
    said = {message.id: message for message in CHAT.messages()}
    assert len(evidence.passages) == len(said)
    for passage in evidence.passages:
        (message,) = (said[id_] for id_ in passage.source)
        assert passage.text == f"[{message.date}] {message.speaker}: {message.text}"
        assert passage.time == message.time
    assert evidence.passages[0].source == ("D1:0",)  # it shares most words with the question
    assert memory.index_counts == {"messages": 4, "drawers": 4, "undated_drawers": 0}
    assert memory.index_health == IndexHealth(4, 4, 10)


@mempalace
def test_what_mempalace_does_not_file_and_what_it_finds_once_is_known(
    make: Make, method: str
) -> None:
    words = "Claire Miller bought my old boat and sailed it around the island until the sun set. "
    twice = [Message(f"F:{at}", "Ann", words * 2) for at in range(2)]
    memory = make(method, Listener())
    memory.index(History(CHAT.id, (Episode("one", (*twice, Message("F:2", "", " \n"))),)))
    (passage,) = memory.recall(QUERY).passages
    assert sorted(passage.source) == ["F:0", "F:1"]
    assert passage.text == f"Ann: {words}{words}".strip()
    assert memory.index_counts == {"messages": 3, "drawers": 2, "undated_drawers": 2}
    assert memory.failures == (("F:2", "MemPalace stores no empty text"),)


WINDOW = "[2023-05-02T10:00] Ann: Claire Miller sold the boat"
"""A line of the second window, in no other prompt."""


@simplemem
def test_simplemem_gets_sessions_in_order_each_message_with_its_time(
    make: Make, method: str
) -> None:
    evidence = indexed(memory := make(method, listener := Listener()))
    first, second, *asked = (request.messages[-1].content for request in listener.sent)
    assert "[2023-05-01T10:00] Ann: Claire Miller bought my old boat" in first
    assert "[2023-05-01T10:00] Bob: Great news" in first
    assert WINDOW in second
    assert "- Ann: Claire Miller bought my old boat yesterday." in second  # it is not told twice
    assert len(asked) == 3  # a plan, its searches, and whether enough was found
    best = evidence.passages[0]
    assert best.text == "[2023-05-01T10:00] Ann: Claire Miller bought my old boat yesterday."
    assert (best.source, best.time) == (("D1:0", "D1:1"), TimePoint(2023, 5, 1, 600))
    assert (memory.index_usage.calls, evidence.usage.calls) == (2, 3)
    assert memory.index_health == IndexHealth(4, 4, 10)
    counts = {"sessions": 2, "windows": 2, "messages": 4, "entries": 4, "replies": 2}
    assert +memory.index_counts == counts


@simplemem
def test_what_simplemem_drops_repeats_and_leaves_undated_is_counted(
    make: Make, method: str
) -> None:
    def told(*entries: dict[str, object], cut: bool = False) -> dict[str, ChatReply]:
        return {WINDOW: ChatReply(json.dumps(entries), (), cut, Usage(1, 1, 1))}

    known = {"lossless_restatement": "Ann: Claire Miller bought my old boat yesterday."}
    new = {"lossless_restatement": "Dave Brown has the boat.", "timestamp": "last May"}
    memory = make(method, Listener(replies=told(known, new, cut=True)))
    texts = [passage.text for passage in indexed(memory).passages]
    assert "[last May] Dave Brown has the boat." in texts
    assert texts.count(known["lossless_restatement"]) == 1  # the first has its time before it
    counts = +memory.index_counts
    assert (counts["entries"], counts["repeated_entries"]) == (4, 1)
    assert (counts["entries_without_time"], counts["cut_replies"]) == (1, 1)
    assert memory.failures == ()


@simplemem
def test_one_entry_that_simplemem_cannot_read_loses_its_whole_window(
    make: Make, method: str
) -> None:
    fine = {"lossless_restatement": "Dave Brown has the boat."}
    unreadable = fine | {"persons": None}
    reply = ChatReply(json.dumps([fine, unreadable]), (), False, Usage(1, 1, 1))
    memory = make(method, listener := Listener(replies={WINDOW: reply}))
    assert all("Dave" not in passage.text for passage in indexed(memory).passages)
    counts = +memory.index_counts
    assert (counts["lost_windows"], counts["lost_messages"], counts["entries"]) == (1, 2, 2)
    assert (counts["replies"], counts["replies_without_entries"]) == (4, 3)
    assert sum(WINDOW in request.messages[-1].content for request in listener.sent) == 1
    assert memory.failures == (("session_2", "no entry was read out of the replies to 2 messages"),)


@simplemem
def test_a_plan_that_simplemem_cannot_read_is_rejected_and_half_a_plan_is_an_error(
    make: Make, method: str
) -> None:
    def planned(text: str, question: str) -> Evidence:
        reply = ChatReply(text, (), False, Usage(1, 1, 1))
        memory = make(method, Listener(replies={'"minimal_queries_needed"': reply}))
        memory.index(CHAT)
        return memory.recall(Query("q", CHAT.id, 0, question))

    rejected = planned("no idea", QUERY.text)
    assert rejected.passages
    assert rejected.usage.rejected_replies == 1
    with pytest.raises(RuntimeError, match="cannot search: KeyError: 'required_info'"):
        planned('{"question_type": "factual"}', "Who sold the boat?")


@simplemem
def test_a_long_session_of_simplemem_has_several_windows(make: Make, method: str) -> None:
    long = session(3, *(f"I painted harbour wall number {number}." for number in range(45)))
    memory = make(method, listener := Listener())
    memory.index(History(CHAT.id, (long,)))
    assert len(listener.sent) == 2
    assert +memory.index_counts == {
        **{"sessions": 1, "windows": 2, "messages": 45, "entries": 45, "replies": 2}
    }


@every
def test_a_second_run_sends_nothing_and_recalls_the_same(make: Make, method: str) -> None:
    expected = indexed(make(method, Listener()))
    again = indexed(make(method, silent := Listener()))
    assert again == expected
    assert silent.sent == []


@asking
@pytest.mark.parametrize("same", [True, False])
def test_an_outage_loses_nothing_and_adds_nothing_twice(
    make: Make, tmp_path: Path, method: str, same: bool
) -> None:
    expected = indexed(whole := make(method, listener := Listener()))
    calls = len(listener.sent)
    (tmp_path / "calls.sqlite").unlink()
    memory = make(method, listener := Listener(cut_after=whole.index_usage.calls - 1))
    with pytest.raises(ModelUnavailableError, match="the connection was cut"):
        memory.index(CHAT)
    memory = memory if same else make(method, listener)
    listener.cut_after = None
    assert indexed(memory) == expected
    assert (memory.index_counts, memory.failures) == (whole.index_counts, ())
    assert len(listener.sent) == calls


@asking
def test_a_reply_of_no_use_is_lost_as_the_rival_loses_it_and_counted(
    make: Make, method: str
) -> None:
    def first_of_two(request: ChatRequest) -> bool:
        return "Dave Brown" not in "".join(message.content for message in request.messages)

    memory = make(method, Listener(spoil=first_of_two))
    assert indexed(memory).passages != ()
    lost = ["D1:0", "D1:1"] if method == "mem0_2" else ["session_1"]
    assert list(dict.fromkeys(id_ for id_, _ in memory.failures)) == lost
    if method == "lightrag":  # it stores the text of a session without its entities
        return
    with pytest.raises(StopRunError, match=r"nothing of history .* was stored"):
        make(method, Listener(spoil=lambda request: True)).index(
            History("other", (session(3, "Nothing of this is kept, says Zoe."),))
        )


AUDIT = """
import sys
def heard(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
        where = arguments[1:] if event == "socket.connect" else arguments
        with open({log!r}, "a") as log:
            log.write(f"{{event}} {{where}}\\n")
sys.addaudithook(heard)
"""


@every
def test_it_speaks_to_the_gateway_alone(
    make: Make, method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, hook = tmp_path / "connections", tmp_path / "hook"
    hook.mkdir()
    (hook / "sitecustomize.py").write_text(AUDIT.format(log=str(log)), encoding="utf-8")
    heard = tmp_path / "python"
    real = os.environ[VARIABLES[method]]
    heard.write_text(f'#!/bin/sh\nPYTHONPATH="{hook}" exec "{real}" "$@"\n', encoding="utf-8")
    heard.chmod(0o755)
    monkeypatch.setenv(VARIABLES[method], str(heard))
    assert indexed(make(method, Listener())).passages != ()
    connections = log.read_text(encoding="utf-8").splitlines()
    assert connections
    assert [connection for connection in connections if "127.0.0.1" not in connection] == []


@every
@pytest.mark.real_data
@pytest.mark.skipif(not DATA, reason="REMEM_DATA is unset")
def test_sessions_of_locomo_are_kept_whole(make: Make, method: str) -> None:
    config = run_config(compose_config(["dataset=locomo", f"paths.data={DATA}"]))
    real = config.build_benchmark().histories()[0]
    memory = make(method, Listener())
    memory.index(History(real.id, real.episodes[:2]))
    assert memory.failures == ()
    asked = "When did they first talk about a support group?"
    found = memory.recall(Query("q", real.id, 0, asked)).passages
    assert 5 < len(found) <= 10
    own = {message.id for episode in real.episodes[:2] for message in episode.messages}
    assert {id_ for passage in found for id_ in passage.source} <= own
