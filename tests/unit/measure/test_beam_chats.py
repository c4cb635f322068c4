"""What the chats of BEAM cost, measured on two generated chats."""

from itertools import pairwise

import pytest
from measure import beam_chats

from remem.config.run_config import configure

DATA = (
    "dataset=generated_dialogues",
    "dataset.build.conversations=2",
    "dataset.build.sessions=20",
)


def test_every_chat_is_indexed_asked_and_appended_to():
    found = beam_chats.measured(("method=remem_s", *DATA))
    questions = sum(
        len(list(configure(*DATA).build_benchmark().questions(history.id)))
        for history in configure(*DATA).build_benchmark().histories()
    )
    assert len(found.indexed) == 2
    assert len(found.recalled_ms) == questions
    assert {name: len(took) for name, took in found.appended.items()} == {
        "append 9%": 2,
        "append 1%": 2,
    }
    assert [*found.tools_ms] == ["semantic_retrieve", "lexical_retrieve", "find_gist_contexts"]
    assert 0 < found.before_gb <= found.peak_gb


def test_the_parts_are_all_sessions_in_order_and_each_has_its_share_of_the_time():
    history = configure(*DATA).build_benchmark().histories()[0]
    cuts = [0, *(beam_chats._until(history, per_cent) for per_cent in (90, 99, 100))]
    assert cuts == [0, 18, 19, 20]
    parts = [beam_chats._part(history, *pair) for pair in pairwise(cuts)]
    assert [session for part in parts for session in part.episodes] == list(history.episodes)
    found = beam_chats.Measured(indexed=[8.0])
    memory = configure("method=bm25_messages", *DATA).memory_factory()()
    query = next(iter(configure(*DATA).build_benchmark().questions(history.id))).query
    beam_chats._append(memory, history, query, found)
    whole = beam_chats._messages(history)
    assert found.in_proportion == {
        "append 9%": [8.0 * beam_chats._messages(parts[1]) / whole],
        "append 1%": [8.0 * beam_chats._messages(parts[2]) / whole],
    }


def test_the_goals_are_those_of_a_search_and_of_an_append():
    found = beam_chats.Measured(
        indexed=[2.0, 4.0],
        recalled_ms=[19.0, 21.0, 30.0],
        appended={"append 9%": [0.5, 0.3]},
        in_proportion={"append 9%": [0.2, 0.3]},
        peak_gb=1.5,
    )
    lines = {line.name: line for line in beam_chats._lines("BEAM, x", "3 chats", found)}
    assert lines["BEAM, x: index a chat"].ours.median == 3.0
    assert lines["BEAM, x: recall"].holds is False
    assert lines["BEAM, x: append 9%, then ask"].ratio == pytest.approx(1.6)
    assert lines["BEAM, x: append 9%, then ask"].holds is False
    assert lines["BEAM, x: peak memory"].ours.median == 1.5


def test_without_data_the_line_says_how_to_get_them(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("REMEM_DATA", raising=False)
    [line] = beam_chats.measure(quick=True)
    assert line.note == "not measured: REMEM_DATA=<folder> remem fetch beam"
