"""What every memory promises, for each file of conf/method; new files are included."""

import os
import sys
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from remem.config.conf_files import conf_choices
from remem.config.instantiation import SharedInstance
from remem.config.run_config import RunConfig, compose_config, run_config
from remem.errors import ModelUnavailableError
from remem.llm.chat_model import StoredChatModel
from remem.llm.endpoint import EndpointError, EndpointReply
from remem.protocols import (
    AccountsForIndex,
    ChatRequest,
    Memory,
    PersistentMemory,
    SeesGold,
    TellsHealth,
)
from remem.run.memory_checks import check_memory
from remem.serve.stub.endpoint import StubEndpoint
from remem.time_scope import TimePoint
from remem.types import Episode, Evidence, Gold, History, Message, Query, Question
from tests.parts.memories.http_server import started_server

PROGRAMS = Path(__file__).parents[1] / "parts" / "memories"
METHODS = {path.stem: (f"method={path.stem}",) for path in conf_choices("method")}
VARIANTS = {
    "full_context_chronological": (
        "method=full_context",
        "convention.run.full_context_order=chronological",
    ),
    "remem_i_rules": ("method=remem_i", "extractor=rules"),
    "remem_i_llm": ("method=remem_i", "planner=llm"),
    "remem_i_llm_tools": ("method=remem_i", "planner=llm_tools"),
    "remem_s_rules": ("method=remem_s", "extractor=rules"),
    "remem_s_lexical": (
        "method=remem_s",
        "extractor=rules",
        "convention.run.single_step_tool=lexical_retrieve",
    ),
    "hipporag2_messages": ("method=hipporag2", "method.build.unit=message"),
    "command": (
        "method=command",
        f"method.build.command=[{sys.executable},{PROGRAMS}/program.py,none,unused]",
    ),
    "mcp": (
        "method=mcp",
        f"method.build.command=[{sys.executable},{PROGRAMS}/mcp_server.py,none,unused]",
        "method.build.store_tool=remember",
        'method.build.store_arguments={id: "{id}", text: "{text}", time: "{time}"}',
        "method.build.search_tool=search",
        'method.build.search_arguments={query: "{query}", limit: "{top_k}"}',
        *("method.build.found_list=results", "method.build.found_text=text"),
        *("method.build.found_id=id", "method.build.found_time=time"),
    ),
    "http": (
        "method=http",
        f"method.build.address={started_server()}",
        "method.build.store_route='POST /add'",
        'method.build.store_arguments={user: "{namespace}", id: "{id}", text: "{text}", '
        'time: "{time}"}',
        "method.build.search_route='POST /search'",
        'method.build.search_arguments={user: "{namespace}", query: "{query}"}',
        *("method.build.found_list=hits", "method.build.found_text=text"),
        *("method.build.found_id=id", "method.build.found_time=time"),
    ),
}
OF_AN_APP = {"command", "mcp", "http"} - METHODS.keys()
"""Variants whose app is removed."""
MEMORIES = {
    name: chosen for name, chosen in sorted((METHODS | VARIANTS).items()) if name not in OF_AN_APP
}
"""How each is chosen; where nothing is said of it, the model is the stub and extracts."""
PACKAGES = {
    "mem0": ["mem0"],
    "mem0_graph": ["mem0", "kuzu"],
    "graphiti": ["graphiti_core"],
    "mcp": ["mcp"],
}
ENVIRONMENTS = {
    name: f"REMEM_{name.upper()}_PYTHON"
    for name in ("mem0_2", "graphiti_new", "langmem", "lightrag", "mempalace", "simplemem")
}
SILENT = {
    ("no_memory", "chat"),
    ("no_memory", "facts"),
    ("graphiti", "facts"),
    ("graphiti_new", "facts"),
}
"""What recalls nothing: by design, or as the stub sees no entity of Graphiti's in an E7."""
FAILED_CHECKS = {
    "no_memory": {"finds", "dates"},
    "oracle_gist": {"answers"},
    "oracle_message": {"answers"},
}
"""What a memory does not do by design: the oracles know only questions of the benchmark."""


def session(number: int, *texts: str) -> Episode:
    time = TimePoint(2023, 5, number, 600)
    messages = (
        Message(f"D{number}:{at}", ("Ann", "Bob")[at % 2], text, time, f"{number} May 2023")
        for at, text in enumerate(texts)
    )
    return Episode(f"session_{number}", tuple(messages))


def statement(number: int, text: str) -> Episode:
    return Episode(f"e{number}", (Message(f"F{number}", "", text, TimePoint(1990)),))


CHAT = History(
    "chat",
    (
        session(1, "I sold my boat yesterday", "To whom?", "Bob Miller bought the boat"),
        session(2, "The support group meets on Monday", "I will come to the support group"),
        session(3, "Look at this sunset", "Nice colours", "The boat is in it"),
    ),
)
FACTS = History(
    "facts",
    tuple(
        statement(at, f"E{at} was the R{at % 3} of E{at + 1} from {1960 + at} to {1965 + at}.")
        for at in range(12)
    ),
)
QUESTIONS = {
    "chat": [
        Question(
            Query("chat/0", "chat", 0, "Who bought the boat?"),
            Gold(("Bob Miller",), "1", evidence=("D1:2",)),
        ),
        Question(
            Query("chat/1", "chat", 1, "When does the support group meet?"),
            Gold(("Monday",), "2", evidence=("D2:0", "D2:1")),
        ),
    ],
    "facts": [
        Question(
            Query(
                "facts/0",
                "facts",
                0,
                "Which entity was the R1 of E5 in 1965?",
                order=tuple(f"F{at}" for at in (5, 3, 4, 0, 1, 2, 6, 7, 11, 10, 9, 8)),
            ),
            Gold(("E4",), "ET", evidence=("F4",)),
        )
    ],
}
HISTORIES = {"chat": CHAT, "facts": FACTS}


def parameter(name: str) -> object:
    """Return the parameter of a memory; it is skipped if its package or environment is missing."""
    if variable := ENVIRONMENTS.get(name):
        unset = pytest.mark.skipif(variable not in os.environ, reason=f"{variable} is unset")
        return pytest.param(name, marks=[pytest.mark.extra, unset])
    if name not in PACKAGES:
        return name
    missing = [package for package in PACKAGES[name] if find_spec(package) is None]
    reason = f"{', '.join(missing)} is not installed"
    return pytest.param(
        name, marks=[pytest.mark.extra, pytest.mark.skipif(bool(missing), reason=reason)]
    )


every_memory = pytest.mark.parametrize("name", [parameter(name) for name in MEMORIES])
every_history = pytest.mark.parametrize("history", HISTORIES.values(), ids=list(HISTORIES))


class Stub:
    """The stub endpoint of these memories; it fails after `cut_after` calls."""

    def __init__(self, cut_after: int | None = None) -> None:
        self.sent: list[ChatRequest] = []
        self._stub = StubEndpoint(size="plain", max_output_tokens=4096)
        self._cut_after = cut_after
        self._lock = threading.Lock()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stub, name)

    def send(self, request: ChatRequest) -> EndpointReply:
        with self._lock:
            if self._cut_after is not None and len(self.sent) >= self._cut_after:
                raise EndpointError("the connection was cut", retryable=True)
            self.sent.append(request)
        return self._stub.send(request)


@cache
def configured(name: str) -> RunConfig:
    return run_config(compose_config(["llm=loopback-stub", "extractor=llm", *MEMORIES[name]]))


def made(name: str, endpoint: Stub, store: Path) -> Memory:
    """Build a memory as it is configured, except for the endpoint and the call store's folder."""
    config = configured(name)
    build = config.resolved["llm"]["build"]
    model = StoredChatModel(
        endpoint=endpoint,
        store=str(store / "calls.sqlite"),
        **{key: build[key] for key in ("attempts", "repeat", "budget_dollars", "prices")},
    )
    return replace(config, chat_model=SharedInstance(build, [model])).memory_factory()()


def told(name: str, history: History) -> Memory:
    """Make a memory that has not seen the history; it gets the gold if it may see it."""
    memory = made(name, Stub(), Path(tempfile.mkdtemp()))
    tell_gold(memory, history)
    return memory


def tell_gold(memory: Memory, history: History) -> None:
    if isinstance(memory, SeesGold):
        memory.see_gold(QUESTIONS[history.id])


def recalled(memory: Memory, history: History) -> list[Evidence]:
    return [memory.recall(question.query) for question in QUESTIONS[history.id]]


def indexed(name: str, parts: Sequence[History]) -> Memory:
    memory = told(name, parts[0])
    for part in parts:
        memory.index(part)
    return memory


def sources(evidence: Evidence) -> set[str]:
    items = (*evidence.gists, *evidence.facts, *evidence.passages)
    return {message_id for item in items for message_id in item.source}


@every_memory
@every_history
def test_recall_gives_dated_evidence_of_its_own_history_and_changes_nothing(
    name: str, history: History
) -> None:
    memory = told(name, history)
    for evidence in recalled(memory, history):
        assert (evidence.gists, evidence.facts, evidence.passages) == ((), (), ())
    memory.index(history)
    first = recalled(memory, history)
    other = next(other for other in HISTORIES.values() if other is not history)
    indexed(name, [other])
    assert recalled(memory, history) == first
    assert recalled(indexed(name, [history]), history) == first
    said = {message.id: message for message in history.messages()}
    for evidence in first:
        found = sources(evidence)
        assert found <= set(said)
        assert bool(found) is ((name, history.id) not in SILENT)
        ids = [passage.id for passage in evidence.passages]
        assert len(ids) == len(set(ids))
        for passage in evidence.passages:
            assert passage.time in {said[id_].time for id_ in passage.source}
        for gist in evidence.gists:  # its time is that of which it tells
            assert gist.time is not None
            assert any(said[id_].date in gist.text for id_ in gist.source)
    if isinstance(memory, TellsHealth):
        assert memory.index_health.dated > 0


@every_memory
@every_history
def test_a_history_in_parts_is_recalled_as_the_whole(
    name: str, history: History, tmp_path: Path
) -> None:
    whole = recalled(indexed(name, [history]), history)
    parts = [History(history.id, (episode,)) for episode in history.episodes]
    memory = told(name, history)
    for part in parts:
        memory.index(part)
        recalled(memory, history)  # recall between two parts changes nothing
    assert recalled(memory, history) == whole
    first = indexed(name, parts[:1])
    if isinstance(first, PersistentMemory):
        first.save(tmp_path)
        resumed = told(name, history)
        assert isinstance(resumed, PersistentMemory)
        resumed.load(tmp_path)
        resumed.index(History(history.id, history.episodes[1:]))
        assert recalled(resumed, history) == whole


@every_memory
def test_a_memory_passes_the_checks_before_the_first_question(name: str, tmp_path: Path) -> None:
    checks = check_memory(lambda: made(name, Stub(), tmp_path))
    failed = {check.name for check in checks if not check.passed}
    assert failed == FAILED_CHECKS.get(name, set())
    for evidence in recalled(indexed(name, [History("chat", ())]), CHAT):
        assert (evidence.gists, evidence.facts, evidence.passages) == ((), (), ())


@every_memory
@every_history
def test_an_outage_in_the_middle_loses_nothing_and_asks_nothing_twice(
    name: str, history: History, tmp_path: Path
) -> None:
    (tmp_path / "whole").mkdir()
    whole = made(name, undisturbed := Stub(), tmp_path / "whole")
    whole.index(history)
    calls = len(undisturbed.sent)
    tell_gold(whole, history)
    expected = recalled(whole, history)
    if not undisturbed.sent:
        pytest.skip("asks no model")
    again = made(name, unasked := Stub(), tmp_path / "whole")
    again.index(history)
    tell_gold(again, history)
    assert recalled(again, history) == expected
    assert unasked.sent == []
    if not calls:
        return
    with pytest.raises(ModelUnavailableError, match="the connection was cut"):
        made(name, cut := Stub(calls // 2), tmp_path).index(history)
    resumed = made(name, healthy := Stub(), tmp_path)
    resumed.index(history)
    assert len(cut.sent) == calls // 2
    sent = [*cut.sent, *healthy.sent]
    assert sorted(map(str, sent)) == sorted(map(str, undisturbed.sent[:calls]))
    tell_gold(resumed, history)
    assert recalled(resumed, history) == expected
    if isinstance(resumed, AccountsForIndex) and isinstance(whole, AccountsForIndex):
        assert (resumed.index_usage, resumed.failures) == (whole.index_usage, whole.failures)
