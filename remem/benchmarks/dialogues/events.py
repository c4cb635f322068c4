"""The planted events of a generated dialogue, and which of them match known details.

A detail that is never told is unknown: an event without a told place may have been anywhere.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from remem.benchmarks.dialogues.relative_telling import Telling
from remem.benchmarks.dialogues.vocabulary import Activity, sample

Known = Mapping[str, str]
"""Known details of an event: the values of some slots, or its `month`."""


@dataclass(frozen=True, slots=True)
class Recall:
    """A detail told in a later session, where the `by` details identify the event."""

    slot: str
    value: str
    session: int
    by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Event:
    """An event that a speaker (0 or 1) did or plans; `details` has all that the dialogue tells.

    The slots are object, time, companion, place, quantity and feeling. `opening` and `follow_up`
    name those of the first and of the second message.
    """

    index: int
    session: int
    speaker: int
    activity: Activity
    planned: bool
    telling: Telling
    details: Mapping[str, str]
    opening: tuple[str, ...]
    follow_up: tuple[str, ...]
    recall: Recall | None

    @property
    def kind(self) -> tuple[int, str]:
        """Return the speaker and the pastime."""
        return self.speaker, self.activity.name


class AlikeEvents:
    """The events of one kind, indexed by month."""

    def __init__(self, events: Sequence[Event]) -> None:
        self._events = events
        self._in_month: dict[str, list[Event]] = defaultdict(list)
        for event in events:
            for month in event.telling.months():
                self._in_month[month].append(event)
        self._counts: dict[frozenset[tuple[str, str]], int] = {}

    def count_meant(self, known: Known) -> int:
        """Return the number of events that match the known details.

        There are few objects, companions and places, so counts without a month are cached.
        """
        if "month" in known:
            return _count_meant(self._in_month.get(known["month"], ()), known)
        items = frozenset(known.items())
        if items not in self._counts:
            self._counts[items] = _count_meant(self._events, known)
        return self._counts[items]


def _count_meant(events: Sequence[Event], known: Known) -> int:
    return sum(may_be_meant(event, known) for event in events)


def may_be_meant(event: Event, known: Known) -> bool:
    """Return True if an event matches: no told detail contradicts the known details."""
    for slot in event.details:
        if slot in known and known[slot] != event.details[slot]:
            return False
    return "month" not in known or known["month"] in event.telling.months()


def known_of(event: Event) -> dict[str, str]:
    """Return the details that can identify an event: object, companion, place and month."""
    known: dict[str, str] = {
        slot: event.details[slot]
        for slot in ("object", "companion", "place")
        if slot in event.details
    }
    months = event.telling.months()
    return known | ({"month": months[0]} if len(months) == 1 else {})


def single_out(rng: np.random.Generator, alike: AlikeEvents, known: Known) -> dict[str, str] | None:
    """Choose known details of an event that no other event of its kind matches, or None."""
    chosen: dict[str, str] = {}
    for slot in sample(rng, tuple(known), len(known)):
        chosen[slot] = known[slot]
        if alike.count_meant(chosen) == 1:
            return chosen
    return None


def group_by_kind(events: Sequence[Event]) -> dict[tuple[int, str], list[Event]]:
    """Group events by speaker and pastime."""
    groups: dict[tuple[int, str], list[Event]] = defaultdict(list)
    for event in events:
        groups[event.kind].append(event)
    return groups
