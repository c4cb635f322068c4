"""How many events a description can mean, counted without comparing all pairs of events."""

from itertools import product

import numpy as np
import pytest

from remem.benchmarks.dialogues import events as dialogue_events
from remem.benchmarks.dialogues.events import AlikeEvents, draw_cast, draw_starts, may_be_meant
from remem.benchmarks.dialogues.plan import draw_events


@pytest.fixture(scope="module")
def events():
    rng = np.random.default_rng(5)
    return draw_events(rng, draw_cast(rng), draw_starts(rng, 40), 4)


def known_combinations(events):
    """Return combinations of known details: for each detail, none or one of two values."""
    values = [
        [{}, *({slot: value} for value in sorted({e.details.get(slot, "") for e in events})[1:3])]
        for slot in ("object", "companion", "place")
    ]
    months = [{}, *({"month": month} for e in events[:40:20] for month in e.telling.months())]
    return [a | b | c | d for a, b, c, d in product(*values, months)]


def test_the_count_is_that_of_all_events_that_nothing_contradicts(events):
    alike = AlikeEvents(events)
    counts = [alike.count_meant(known) for known in known_combinations(events)]
    assert counts == [
        sum(may_be_meant(event, known) for event in events) for known in known_combinations(events)
    ]
    assert len(set(counts)) > 5


def test_a_month_of_which_nothing_is_told_leaves_no_event(events):
    assert AlikeEvents(events).count_meant({"month": "May 1990"}) == 0


def test_the_events_are_compared_once_and_for_a_month_only_its_own(events, monkeypatch):
    compared = []
    monkeypatch.setattr(
        dialogue_events, "may_be_meant", lambda event, known: bool(compared.append(event))
    )
    alike = AlikeEvents(events)
    for _ in range(3):
        alike.count_meant({"place": "Pike Island"})
    assert compared == events
    compared.clear()
    month = events[0].telling.months()[0]
    alike.count_meant({"month": month})
    assert compared == [event for event in events if month in event.telling.months()]
    assert 0 < len(compared) < len(events) / 2
