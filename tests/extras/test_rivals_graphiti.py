"""The real Graphiti on a scripted endpoint: what it stores, loses and asks again."""

import importlib
import os
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from baselines.graphiti_graph import new_driver
from baselines.graphiti_memory import GraphitiMemory
from remem.config.run_config import compose_config, run_config
from remem.embed.hashing import HashingEmbedder
from remem.errors import BudgetReachedError, ModelUnavailableError, StopRunError
from remem.llm.chat_model import StoredChatModel
from remem.protocols import ChatRequest
from remem.time_scope import TimePoint
from remem.types import Episode, Evidence, History, Message, Query

pytestmark = pytest.mark.extra
pytest.importorskip("httpx", reason="httpx is not installed")
pytest.importorskip("graphiti_core", reason="graphiti-core is not installed")

DATA = os.environ.get("REMEM_DATA")
Make = Callable[..., GraphitiMemory]


def session(number: int, *texts: str) -> Episode:
    time, date = TimePoint(2023, 5, number, 600), f"{number} May 2023"
    messages = (
        Message(f"D{number}:{at}", ("Ann", "Bob")[at % 2], text, time, date)
        for at, text in enumerate(texts)
    )
    return Episode(f"session_{number}", tuple(messages))


CHAT = History(
    "a chat, with a name that Graphiti refuses",
    (
        session(1, "Claire bought my boat.", "Great!"),
        session(2, "Claire no longer has the boat.", "Dave has it, says Emma."),
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
        endpoint: Any,
        *,
        top_k: int = 10,
        min_similarity: float = 0.6,
        budget_dollars: float | None = None,
    ) -> GraphitiMemory:
        model = StoredChatModel(
            endpoint=endpoint,
            store=str(tmp_path / "calls.sqlite"),
            attempts=2,
            repeat=0,
            budget_dollars=budget_dollars,
            prices="2026-11-21",
        )
        return GraphitiMemory(
            chat_model=model,
            embedder=HashingEmbedder(dimension=2048),
            top_k=top_k,
            min_similarity=min_similarity,
            parallel_calls=3,
        )

    return make


def indexed(memory: GraphitiMemory, history: History = CHAT) -> Evidence:
    memory.index(history)
    return memory.recall(QUERY)


def asks_for_edges(request: ChatRequest) -> bool:
    return "expert fact extractor" in request.messages[0].content


def test_sessions_are_added_in_order_each_with_the_time_it_was_held(
    speaker: ModuleType, memory: Make
) -> None:
    endpoint = speaker.Speaker()
    indexed(memory(endpoint))
    first, second = (item.messages[-1].content for item in endpoint.sent if asks_for_edges(item))
    assert "<REFERENCE_TIME>\n2023-05-01 10:00:00+00:00 " in first
    assert "Ann: Claire bought my boat.\nBob: Great!" in first
    assert "<PREVIOUS_MESSAGES>\n[]" in first
    assert "<REFERENCE_TIME>\n2023-05-02 10:00:00+00:00 " in second
    assert '"Ann: Claire bought my boat.\\nBob: Great!"' in second
    assert {request.stage for request in endpoint.sent} == {"index"}


def test_edges_are_recalled_with_their_validity_and_the_messages_of_their_sessions(
    speaker: ModuleType, memory: Make
) -> None:
    graphiti = memory(speaker.Speaker())
    evidence = indexed(graphiti)
    found = {passage.text: passage.source for passage in evidence.passages}
    first, second = ("D1:0", "D1:1"), ("D2:0", "D2:1")
    sold = "Ann: Claire bought my boat. (valid from 2023-05-01T10:00 to 2023-05-02T10:00)"
    assert found[sold] == first  # the second session contradicts it
    assert found["Ann: Claire no longer has the boat. (valid from 2023-05-02T10:00 to now)"] == (
        second
    )
    assert graphiti.failures == ()
    assert graphiti.index_counts["sessions"] == 2
    assert evidence.usage.calls == 0


def test_the_least_similarity_is_the_configured_one_and_words_find_edges_all_the_same(
    speaker: ModuleType, memory: Make
) -> None:
    query = Query("q", "chat", 0, "boatyard")  # no word of the chat, but similar letters
    strict, open_ = (memory(speaker.Speaker(), min_similarity=least) for least in (0.99, 0.0))
    for graphiti in (strict, open_):
        graphiti.index(CHAT)
    assert strict.recall(query).passages == ()
    assert open_.recall(query).passages != ()
    assert strict.recall(QUERY).passages != ()
    assert len(open_.recall(QUERY).passages) > 1
    assert len(indexed(memory(speaker.Speaker(), min_similarity=0.0, top_k=1)).passages) == 1


@pytest.mark.parametrize(
    ("spoiled", "asked", "reason"),
    [('{"edges": [', 3, "JSONDecodeError"), ('{"edges": [{"fact": 1}]}', 1, "ValidationError")],
)
def test_a_session_whose_reply_is_of_no_use_is_lost_whole_and_counted(
    speaker: ModuleType, memory: Make, spoiled: str, asked: int, reason: str
) -> None:
    def spoil(request: ChatRequest) -> str | None:
        first = "Claire bought" in request.messages[1].content.rpartition("<CURRENT_MESSAGE>")[2]
        return spoiled if asks_for_edges(request) and first else None

    endpoint = speaker.Speaker(spoil=spoil)
    graphiti = memory(endpoint)
    expected = indexed(graphiti)
    ((session_id, told),) = graphiti.failures
    assert session_id == "session_1"
    assert told.startswith(reason)
    assert (graphiti.index_counts["sessions"], graphiti.index_counts["lost"]) == (1, 1)
    spoilt = [item for item in endpoint.sent if spoil(item) is not None]
    assert len(spoilt) == asked  # Graphiti itself asks again where it is no JSON
    again = speaker.Speaker(spoil=spoil)
    assert indexed(memory(again)) == expected
    assert again.sent == []


def test_a_history_of_which_nothing_is_kept_stops_the_run(
    speaker: ModuleType, memory: Make
) -> None:
    with pytest.raises(
        StopRunError, match=r"no session .* was stored .lost: 2.; the first reason: JSONDecodeError"
    ):
        memory(speaker.Speaker(spoil=lambda request: "Sorry!")).index(CHAT)


def test_a_second_run_sends_nothing_and_recalls_the_same(speaker: ModuleType, memory: Make) -> None:
    first, second = speaker.Speaker(), speaker.Speaker()
    expected = indexed(memory(first))
    again = memory(second)
    assert indexed(again) == expected
    assert first.sent
    assert second.sent == []
    assert again.index_usage.calls == len(first.sent)


def test_an_outage_stops_the_history_and_a_resume_loses_and_repeats_nothing(
    speaker: ModuleType, memory: Make, tmp_path: Path
) -> None:
    whole = speaker.Speaker()
    reference = memory(whole)
    expected = indexed(reference)
    for cut_after in range(0, len(whole.sent), 4):  # about half a second each
        (tmp_path / "calls.sqlite").unlink()
        cut, healthy = speaker.Speaker(cut_after=cut_after), speaker.Speaker()
        with pytest.raises(ModelUnavailableError, match="the connection was cut"):
            memory(cut).index(CHAT)
        resumed = memory(healthy)
        assert indexed(resumed) == expected
        assert (resumed.index_counts, resumed.failures) == (reference.index_counts, ())
        assert len(cut.sent) + len(healthy.sent) == len(whole.sent)


def test_an_index_that_a_failure_ended_is_refused_and_not_told_twice(
    speaker: ModuleType, memory: Make
) -> None:
    half = memory(speaker.Speaker(cut_after=3))
    with pytest.raises(ModelUnavailableError, match="the connection was cut"):
        half.index(CHAT)
    with pytest.raises(RuntimeError, match="half indexed: create a new memory"):
        half.index(CHAT)


def test_a_budget_that_is_reached_is_no_lost_session(speaker: ModuleType, memory: Make) -> None:
    with pytest.raises(BudgetReachedError):
        memory(speaker.Speaker(), budget_dollars=0.0).index(CHAT)


@pytest.mark.slow
def test_more_graphs_than_kuzu_has_room_for_by_itself_live_side_by_side() -> None:
    assert len([new_driver() for _ in range(17)]) == 17


def test_nothing_is_recalled_before_and_a_history_in_parts_is_recalled_as_the_whole(
    speaker: ModuleType, memory: Make
) -> None:
    expected = indexed(memory(speaker.Speaker()))
    graphiti = memory(speaker.Speaker())
    assert graphiti.recall(QUERY) == Evidence()
    for episode in CHAT.episodes:
        graphiti.index(History(CHAT.id, (episode,)))
        graphiti.recall(QUERY)
    assert graphiti.recall(QUERY) == expected


@pytest.mark.real_data
@pytest.mark.skipif(not DATA, reason="REMEM_DATA is unset")
def test_sessions_of_locomo_are_kept_whole(speaker: ModuleType, memory: Make) -> None:
    config = run_config(compose_config(["dataset=locomo", f"paths.data={DATA}"]))
    real = config.build_benchmark().histories()[0]
    graphiti = memory(speaker.Speaker())
    graphiti.index(History(real.id, real.episodes[:3]))
    assert (graphiti.index_counts["sessions"], graphiti.failures) == (3, ())
    assert graphiti.recall(Query("q", real.id, 0, "support group")).passages != ()


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
