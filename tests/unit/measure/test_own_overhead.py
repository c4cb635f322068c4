"""The comparison of own overheads, on a conversation of two sessions."""

from types import SimpleNamespace

import pytest
from measure import own_overhead
from measure.left_out import LeftOut, peak_mib
from measure.line import Goal
from measure.overhead_side import Spent, spend, workload

GOAL = Goal(">=", 10.0)


def test_remem_is_driven_through_its_model_and_its_agent(monkeypatch):
    monkeypatch.delenv("REMEM_DATA", raising=False)
    name, history, questions = workload(2, 3)
    assert name == "a generated conversation"
    assert (len(history.episodes), len(questions)) == (2, 3)
    spent = spend("remem", history, questions)
    assert (len(spent.recalls), len(spent.by_agent)) == (3, 3)
    assert spent.index > 0
    assert spent.index_calls == 4  # gists and facts of two sessions


def test_a_peer_has_lines_with_a_goal_each_for_indexing_and_recall():
    ours, theirs = Spent(1.0, 4, (0.001,), (0.003,), 50.0), Spent(10.0, 20, (0.009,), (), 100.0)
    lines = list(own_overhead._lines(own_overhead.PEERS[0], [ours], [theirs], "two sessions", GOAL))
    assert [line.ratio for line in lines] == pytest.approx([10, 2, 9, 2])
    assert [line.holds for line in lines] == [True, None, False, None]
    assert "per model call (ours: 4 calls), beside Mem0 1.0.11 (20 calls)" in lines[1].beside


def test_without_its_package_a_peer_has_lines_that_tell_how_to_get_it():
    ours = Spent(1.0, 4, (0.001,), (0.003,), 50.0)
    for line in own_overhead._lines(own_overhead.PEERS[1], [ours], [], "two sessions", GOAL):
        assert line.peer is None
        assert line.holds is None
        assert "pip install 'graphiti-core[kuzu]==0.20.4'" in line.note


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
