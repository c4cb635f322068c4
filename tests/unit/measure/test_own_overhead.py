"""The comparison of own overheads, on a conversation of two sessions."""

import sys
from dataclasses import replace
from importlib.metadata import version
from types import SimpleNamespace

import pytest
from measure import own_overhead
from measure.left_out import CallCount, LeftOut, peak_mib
from measure.line import Goal
from measure.metered_stub import MeteredStub
from measure.overhead_side import SpentOverhead, spend, workload

GOAL = Goal(">=", 10.0)
GRAPHITI = next(peer for peer in own_overhead.PEERS if peer.system == "graphiti")


def test_remem_is_driven_through_its_model_and_its_agent(monkeypatch):
    monkeypatch.delenv("REMEM_DATA", raising=False)
    name, history, questions = workload(2, 3)
    assert name.startswith("generated dialogues")
    assert (len(history.episodes), len(questions)) == (2, 3)
    spent = spend("remem", history, questions)
    assert (len(spent.recalls), len(spent.by_agent)) == (3, 3)
    assert spent.index > 0
    assert spent.index_calls == 4  # gists and facts of two sessions


def test_a_peer_has_lines_with_a_goal_each_for_indexing_and_recall():
    ours, theirs = (
        SpentOverhead(1.0, 4, (0.001,), (0.003,), 50.0),
        SpentOverhead(10.0, 20, (0.009,), (), 100.0),
    )
    lines = list(own_overhead._lines(own_overhead.PEERS[0], [ours], [theirs], "two sessions", GOAL))
    assert [line.ratio for line in lines] == pytest.approx([10, 2, 9, 2])
    assert [line.holds for line in lines] == [True, None, False, None]
    assert "per model call (ours: 4 calls), compared with Mem0 1.0.11 (20 calls)" in lines[1].beside


def test_without_its_package_a_peer_has_lines_that_tell_how_to_get_it():
    ours = SpentOverhead(1.0, 4, (0.001,), (0.003,), 50.0)
    for line in own_overhead._lines(GRAPHITI, [ours], [], "two sessions", GOAL):
        assert line.peer is None
        assert line.holds is None
        assert "pip install 'graphiti-core[kuzu]==0.20.4'" in line.note


@pytest.mark.app("rivals")
def test_a_peer_of_another_environment_is_found_there_or_not_at_all(monkeypatch, tmp_path):
    newer = next(peer for peer in own_overhead.PEERS if peer.system == "graphiti-new")
    monkeypatch.setenv("REMEM_GRAPHITI_NEW_PYTHON", str(tmp_path / "python"))
    assert newer.python == ""
    monkeypatch.setenv("REMEM_GRAPHITI_NEW_PYTHON", sys.executable)
    assert newer.python == ""  # this Python has no Graphiti of that release
    known = f"numpy=={version('numpy')}"
    assert replace(newer, packages=(known,)).python == sys.executable
    assert replace(newer, packages=(known, "numpy==0.0.1")).python == ""


def test_the_stub_calls_the_tools_that_it_is_offered():
    stub = MeteredStub(LeftOut(), CallCount())
    entities = {"type": "array", "items": {"properties": {"entity_type": {"type": "string"}}}}
    function = {"name": "extract_entities", "parameters": {"properties": {"entities": entities}}}
    said = stub.reply([{"role": "user", "content": "Ann met Bob."}], tools=[{"function": function}])
    assert [name for name, _ in said.calls] == ["extract_entities"]
    assert "Bob" in said.calls[0][1]
    assert stub.asked.number == 1


def test_what_a_stub_takes_is_left_out(monkeypatch):
    now = [0.0]
    clock = SimpleNamespace(thread_time=lambda: now[0], process_time=lambda: now[0])
    monkeypatch.setattr("measure.left_out.time", clock)
    left_out = LeftOut()

    def work():
        now[0] += 0.25
        with left_out.stub():
            now[0] += 0.5
        return "done"

    assert left_out.spent(work) == (0.25, "done")
    assert left_out.seconds == 0.5
    assert peak_mib() >= 0
