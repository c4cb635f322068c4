"""The real Mem0 on a scripted endpoint: what it stores, loses and asks again."""

import importlib
import os
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from baselines.mem0_calls import _tool_calls
from baselines.mem0_memory import Mem0Memory, new_store
from remem.config.run_config import compose_config, run_config
from remem.embed.hashing import HashingEmbedder
from remem.errors import BudgetReachedError, ModelUnavailableError, StopRunError
from remem.llm.chat_model import StoredChatModel
from remem.protocols import ChatReply, ChatRequest, NativeCall
from remem.time_scope import TimePoint
from remem.types import Episode, Evidence, History, Message, Query, Usage

pytestmark = pytest.mark.extra
if find_spec("mem0") is None:  # an import would start its telemetry
    pytest.skip("mem0ai is not installed", allow_module_level=True)
pytest.importorskip("kuzu", reason="kuzu is not installed")

DATA = os.environ.get("REMEM_DATA")
Make = Callable[..., Mem0Memory]


def session(number: int, *texts: str) -> Episode:
    time, date = TimePoint(2023, 5, number, 600), f"{number} May 2023"
    messages = (
        Message(f"D{number}:{at}", ("Ann", "Bob")[at % 2], text, time, date)
        for at, text in enumerate(texts)
    )
    return Episode(f"session_{number}", tuple(messages))


CHAT = History(
    "chat",
    (
        session(1, "I sold my boat yesterday. Claire bought it.", "Great!"),
        session(2, "Now Dave owns the boat.", "Forget Paris."),
    ),
)
QUERY = Query("q", "chat", 0, "Who bought the boat, Claire?")


@pytest.fixture
def speaker(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(Path(__file__).parent)
    return importlib.import_module("rivals_speaker")


@pytest.fixture
def memory(tmp_path: Path) -> Make:
    """Return a function that makes a memory on the test's call store, like a restart of a run."""

    def make(
        endpoint: Any, *, graph: bool = False, top_k: int = 10, budget_dollars: float | None = None
    ) -> Mem0Memory:
        model = StoredChatModel(
            endpoint=endpoint,
            store=str(tmp_path / "calls.sqlite"),
            attempts=2,
            repeat=0,
            budget_dollars=budget_dollars,
            prices="2026-11-21",
        )
        embedder = HashingEmbedder(dimension=64)
        return Mem0Memory(chat_model=model, embedder=embedder, top_k=top_k, graph=graph)

    return make


def indexed(memory: Mem0Memory, history: History = CHAT) -> Evidence:
    memory.index(history)
    return memory.recall(QUERY)


@pytest.mark.parametrize("arguments", ["", "{", "no JSON", "[" * 100_000])
def test_arguments_that_are_no_json_are_refused_by_a_value_error(arguments: str) -> None:
    new_store(64, graph=False)  # imports Mem0, without its telemetry
    reply = ChatReply("", (NativeCall("add", arguments),), False, Usage(1, 1, 1))
    with pytest.raises(ValueError, match="the arguments of a call are not JSON"):
        _tool_calls(reply)


def test_messages_are_added_in_order_each_with_the_day_it_was_said(
    speaker: ModuleType, memory: Make
) -> None:
    endpoint = speaker.Speaker()
    indexed(memory(endpoint))
    facts = [request for request in endpoint.sent if speaker.is_facts(request)]
    assert [request.messages[-1].content for request in facts] == [
        "Input:\nuser: Ann: I sold my boat yesterday. Claire bought it.\n",
        "Input:\nuser: Bob: Great!\n",
        "Input:\nuser: Ann: Now Dave owns the boat.\n",
        "Input:\nuser: Bob: Forget Paris.\n",
    ]
    days = ["2023-05-01", "2023-05-01", "2023-05-02", "2023-05-02"]
    for request, day in zip(facts, days, strict=True):
        assert request.messages[0].content.count(f"Today's date is {day}.") == 1
    assert {request.stage for request in endpoint.sent} == {"index"}


def test_a_message_without_a_date_does_not_get_the_day_of_the_run(
    speaker: ModuleType, memory: Make
) -> None:
    endpoint = speaker.Speaker()
    undated = History("facts", (Episode("e", (Message("m", "", "Ann met Bob."),)),))
    evidence = indexed(memory(endpoint), undated)
    assert "Today's date is unknown." in endpoint.sent[0].messages[0].content
    assert [passage.text for passage in evidence.passages] == ["Ann met Bob."]


def test_what_mem0_made_of_the_facts_is_counted_and_recalled_with_dates(
    speaker: ModuleType, memory: Make
) -> None:
    mem0 = memory(speaker.Speaker())
    evidence = indexed(mem0)
    # Two facts, one, one that updates the boat, one that deletes what is nearest to Paris.
    assert mem0.index_counts == {
        **{"facts": 5, "ADD": 3, "UPDATE": 1, "DELETE": 1},
        **{"rejected": 0, "unreadable replies": 0},
    }
    assert mem0.failures == ()
    assert mem0.index_usage.calls == 8
    found = {passage.text: passage.source for passage in evidence.passages}
    assert found == {
        "1 May 2023: Claire bought it.": ("D1:0",),
        "2 May 2023: Ann: Now Dave owns the boat.": ("D1:0", "D2:0"),
    }
    assert {passage.id for passage in evidence.passages} == {"memory-0", "memory-1"}
    assert evidence.usage.calls == 0


def test_no_more_than_top_k_memories_are_recalled(speaker: ModuleType, memory: Make) -> None:
    assert len(indexed(memory(speaker.Speaker(), top_k=1)).passages) == 1


@pytest.mark.parametrize("stage", ["facts", "update"])
def test_a_reply_that_is_no_json_is_lost_as_mem0_loses_it_and_counted(
    speaker: ModuleType, memory: Make, stage: str
) -> None:
    def spoil(request: ChatRequest) -> str | None:
        boat = "Now Dave" in request.messages[-1].content
        return '{"cut' if boat and speaker.is_facts(request) is (stage == "facts") else None

    endpoint = speaker.Speaker(spoil=spoil)
    mem0 = memory(endpoint)
    texts = [passage.text for passage in indexed(mem0).passages]
    assert not any("Dave" in text for text in texts)
    ((message_id, reason),) = mem0.failures
    assert message_id == "D2:0"
    assert reason.startswith("Error in new_retrieved_facts" if stage == "facts" else "Invalid JSON")
    assert len(endpoint.sent) == (7 if stage == "facts" else 8)  # and nothing is asked again


def test_an_action_on_a_memory_that_is_not_there_is_counted(
    speaker: ModuleType, memory: Make
) -> None:
    def spoil(request: ChatRequest) -> str | None:
        spoiled = "'Ann: Now Dave" in request.messages[-1].content
        return '{"memory": [{"id": "99", "text": "x", "event": "UPDATE"}]}' if spoiled else None

    mem0 = memory(speaker.Speaker(spoil=spoil))
    indexed(mem0)
    assert [message_id for message_id, _ in mem0.failures] == ["D2:0"]
    assert mem0.index_counts == {
        **{"facts": 5, "ADD": 3, "UPDATE": 0, "DELETE": 1},
        **{"rejected": 1, "unreadable replies": 0},
    }


def test_a_history_of_which_nothing_is_kept_stops_the_run(
    speaker: ModuleType, memory: Make
) -> None:
    with pytest.raises(StopRunError, match=r"lost replies: 4 .the first reason: Error in new_"):
        memory(speaker.Speaker(spoil=lambda request: "Sorry!")).index(CHAT)


@pytest.mark.parametrize("graph", [False, True])
def test_a_second_run_sends_nothing_and_recalls_the_same(
    speaker: ModuleType, memory: Make, graph: bool
) -> None:
    first, second = speaker.Speaker(), speaker.Speaker()
    expected = indexed(memory(first, graph=graph))
    again = memory(second, graph=graph)
    assert indexed(again) == expected
    assert first.sent
    assert second.sent == []
    assert again.index_usage.calls == (20 if graph else 8)


@pytest.mark.parametrize("graph", [False, True])
def test_an_outage_stops_the_history_and_a_resume_loses_and_repeats_nothing(
    speaker: ModuleType, memory: Make, tmp_path: Path, graph: bool
) -> None:
    whole = speaker.Speaker()
    reference = memory(whole, graph=graph)
    expected, counts = indexed(reference), reference.index_counts
    calls = sum(request.stage == "index" for request in whole.sent)
    for cut_after in range(0, calls, 3 if graph else 1):
        (tmp_path / "calls.sqlite").unlink()
        cut, healthy = speaker.Speaker(cut_after=cut_after), speaker.Speaker()
        with pytest.raises(ModelUnavailableError, match="the connection was cut"):
            memory(cut, graph=graph).index(CHAT)
        resumed = memory(healthy, graph=graph)
        assert indexed(resumed) == expected
        assert resumed.index_counts == counts
        assert len(cut.sent) == cut_after
        assert len(cut.sent) + len(healthy.sent) == len(whole.sent)


def test_an_index_that_a_failure_ended_is_refused_and_not_told_twice(
    speaker: ModuleType, memory: Make
) -> None:
    half = memory(speaker.Speaker(cut_after=3))
    with pytest.raises(ModelUnavailableError, match="the connection was cut"):
        half.index(CHAT)
    with pytest.raises(RuntimeError, match="half indexed: create a new memory"):
        half.index(CHAT)


def test_a_budget_that_is_reached_is_no_empty_reply(speaker: ModuleType, memory: Make) -> None:
    with pytest.raises(BudgetReachedError):
        memory(speaker.Speaker(), budget_dollars=0.0).index(CHAT)


def test_the_graph_recalls_relations_and_its_questions_count_as_recall(
    speaker: ModuleType, memory: Make
) -> None:
    endpoint = speaker.Speaker()
    evidence = indexed(memory(endpoint, graph=True))
    assert [fact.text for fact in evidence.facts] == ["ann | told | claire"]
    assert evidence.usage.calls == 1
    assert endpoint.sent[-1].stage == "recall"
    tools = {tuple(tool.name for tool in request.tools) for request in endpoint.sent}
    assert tools == {
        (),
        ("extract_entities", "noop"),
        ("establish_relationships", "noop"),
        ("delete_graph_memory", "noop"),
    }


@pytest.mark.slow
def test_more_graphs_than_kuzu_has_room_for_by_itself_live_side_by_side() -> None:
    assert len([new_store(64, graph=True) for _ in range(17)]) == 17


def test_nothing_is_recalled_before_and_a_history_in_parts_is_recalled_as_the_whole(
    speaker: ModuleType, memory: Make
) -> None:
    expected = indexed(memory(speaker.Speaker()))
    mem0 = memory(speaker.Speaker())
    assert mem0.recall(QUERY) == Evidence()
    for episode in CHAT.episodes:
        mem0.index(History(CHAT.id, (episode,)))
        mem0.recall(QUERY)
    assert mem0.recall(QUERY) == expected


@pytest.mark.real_data
@pytest.mark.skipif(not DATA, reason="REMEM_DATA is unset")
def test_sessions_of_locomo_are_kept_whole(speaker: ModuleType, memory: Make) -> None:
    config = run_config(compose_config(["dataset=locomo", f"paths.data={DATA}"]))
    real = config.build_benchmark().histories()[0]
    history = History(real.id, real.episodes[:2])
    endpoint = speaker.Speaker()
    mem0 = memory(endpoint)
    mem0.index(history)
    asked = [request for request in endpoint.sent if speaker.is_facts(request)]
    assert len(asked) == sum(len(episode.messages) for episode in history.episodes)
    assert mem0.failures == ()
    assert len(mem0.recall(Query("q", real.id, 0, "support group")).passages) == 10


@pytest.mark.real_data
@pytest.mark.slow
@pytest.mark.skipif(not DATA, reason="REMEM_DATA is unset")
def test_a_conversation_survives_an_outage_with_nothing_lost_and_nothing_added_twice(
    speaker: ModuleType, memory: Make, tmp_path: Path
) -> None:
    benchmark = run_config(
        compose_config(["dataset=locomo", f"paths.data={DATA}"])
    ).build_benchmark()
    speaker.outlive_an_outage(memory, benchmark, tmp_path / "calls.sqlite")
