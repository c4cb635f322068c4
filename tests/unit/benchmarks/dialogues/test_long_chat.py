"""The load generator: any number of events, one history, unique ids, made as it is read."""

from itertools import islice

import pytest

from remem.benchmarks.dialogues import long_chat as module
from remem.benchmarks.dialogues.long_chat import long_chat


def test_ids_are_unique_over_the_whole_history():
    episodes = list(long_chat(seed=3, events=300))
    messages = [message.id for episode in episodes for message in episode.messages]
    assert len({episode.id for episode in episodes}) == len(episodes)
    assert len(set(messages)) == len(messages) > 300


def test_sessions_are_in_order_of_time_over_the_whole_history():
    minutes = [episode.messages[0].time.first_minute for episode in long_chat(seed=3, events=400)]
    assert minutes == sorted(set(minutes))


def test_it_ends_once_the_events_are_told():
    few, more = (sum(1 for _ in long_chat(seed=3, events=events)) for events in (80, 400))
    assert few == 20  # one conversation: 20 sessions of 4 events
    assert 4 * few <= more <= 6 * few


def test_of_a_million_events_only_what_is_read_is_made(monkeypatch: pytest.MonkeyPatch):
    planned = []
    plan = module.plan_dialogue
    monkeypatch.setattr(
        module,
        "plan_dialogue",
        lambda *given, **sizes: planned.append(given[1]) or plan(*given, **sizes),
    )
    assert len(list(islice(long_chat(seed=3, events=1_000_000), 25))) == 25
    assert planned == ["c1", "c2"]


def test_the_same_seed_gives_the_same_history():
    first, again = (list(long_chat(seed=5, events=100)) for _ in range(2))
    assert first == again
    assert first != list(long_chat(seed=6, events=100))
