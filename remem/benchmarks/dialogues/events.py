"""The planted events of a generated dialogue, and functions that match events with known details.

A detail that no message tells matches every value. For example, an event whose place is not told
could have been anywhere.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import TypeVar

import numpy as np

from remem.benchmarks.dialogues.relative_telling import Telling
from remem.files.yaml_text import read_texts

T = TypeVar("T")

TEXTS = Path(__file__).parent / "texts"


@dataclass(frozen=True, slots=True)
class Names:
    """The names, places and moods in dialogues; `places` lists the places of each setting."""

    speakers: tuple[str, ...]
    companions: tuple[str, ...]
    relations: tuple[str, ...]
    mutual_relation: str
    places: Mapping[str, tuple[str, ...]]
    good_moods: tuple[str, ...]
    bad_moods: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Activity:
    """A pastime; `{object}` in its texts stands for a thing that a speaker uses, visits or sees.

    The speakers use `told`, `planned` and, if they do not name the object, `bare`. The questions
    use `asked`, `asked_bare` (without the object) and `what` (to ask for the object). Speakers and
    questions share few words, so the words of a question alone do not lead to its evidence.
    """

    name: str
    told: tuple[str, ...]
    bare: str
    planned: str
    asked: tuple[str, ...]
    asked_bare: str
    what: str
    unit: str
    setting: str
    objects: tuple[str, ...]


@cache
def names() -> Names:
    """Return all names, places and moods."""
    return read_texts(TEXTS / "names.yaml", Names)


@cache
def pastimes() -> tuple[Activity, ...]:
    """Return all pastimes."""
    return read_texts(TEXTS / "pastimes.yaml", tuple[Activity, ...])


def pick(rng: np.random.Generator, choices: Sequence[T]) -> T:
    """Draw one of the choices."""
    return choices[int(rng.integers(len(choices)))]


def sample(rng: np.random.Generator, choices: Sequence[T], size: int) -> tuple[T, ...]:
    """Draw `size` different choices, or all choices in random order if there are fewer."""
    return tuple(choices[i] for i in rng.permutation(len(choices))[:size])


def chance(rng: np.random.Generator, probability: float) -> bool:
    """Return True with this probability."""
    return bool(rng.random() < probability)


Known = Mapping[str, str]
"""Known details of an event: the values of some slots, or its `month`."""


@dataclass(frozen=True, slots=True)
class Recall:
    """A detail that a later session adds to an event.

    `by` names the details that identify the event.
    """

    slot: str
    value: str
    session: int
    by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Event:
    """An event that a speaker (0 or 1) did or plans; `details` has all that the dialogue tells.

    The slots are object, time, companion, place, quantity and feeling. `opening` and `follow_up`
    name the slots that the first and the second message tell.
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
    """The events of one speaker and one pastime, indexed by month."""

    def __init__(self, events: Sequence[Event]) -> None:
        self._events = events
        self._in_month: dict[str, list[Event]] = defaultdict(list)
        for event in events:
            for month in event.telling.months():
                self._in_month[month].append(event)
        self._counts: dict[frozenset[tuple[str, str]], int] = {}

    def count_meant(self, known: Known) -> int:
        """Return the number of events that match the known details.

        Counts are cached unless `known` has a month, because the other details have few values.
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
    """Return True if an event fits the known details; a detail that is not told fits any value."""
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
    """Return a few known details that together fit only one event; None if there are none."""
    chosen: dict[str, str] = {}
    for slot in sample(rng, tuple(known), len(known)):
        chosen[slot] = known[slot]
        if alike.count_meant(chosen) == 1:
            return chosen
    return None


def group_by_speaker_and_pastime(events: Sequence[Event]) -> dict[tuple[int, str], list[Event]]:
    """Group events by speaker and pastime."""
    groups: dict[tuple[int, str], list[Event]] = defaultdict(list)
    for event in events:
        groups[event.kind].append(event)
    return groups


ACTIVITIES = 13
SHARED_ACTIVITIES = 7
OWN_COMPANIONS = 4
PLACES_PER_SETTING = 4
OBJECTS_PER_ACTIVITY = 4
CHANCE_OF_DISLIKE = 0.25


@dataclass(frozen=True, slots=True)
class Person:
    """A speaker with their companions (relation by name), pastimes, and disliked pastimes."""

    name: str
    companions: Mapping[str, str]
    activities: tuple[Activity, ...]
    disliked: frozenset[str]


@dataclass(frozen=True, slots=True)
class Cast:
    """The two speakers, the places by setting and the objects by pastime."""

    people: tuple[Person, Person]
    places: Mapping[str, tuple[str, ...]]
    objects: Mapping[str, tuple[str, ...]]


def draw_cast(rng: np.random.Generator) -> Cast:
    """Draw two speakers who share most pastimes, all places and one friend."""
    known = names()
    speakers = sample(rng, known.speakers, 2)
    mutual, *friends = sample(rng, known.companions, 1 + 2 * OWN_COMPANIONS)
    activities = sample(rng, pastimes(), ACTIVITIES)
    own = (ACTIVITIES + SHARED_ACTIVITIES) // 2
    return Cast(
        people=(
            _draw_person(rng, speakers[0], mutual, friends[:OWN_COMPANIONS], activities[:own]),
            _draw_person(rng, speakers[1], mutual, friends[OWN_COMPANIONS:], activities[-own:]),
        ),
        places={
            setting: sample(rng, places, PLACES_PER_SETTING)
            for setting, places in known.places.items()
        },
        objects={a.name: sample(rng, a.objects, OBJECTS_PER_ACTIVITY) for a in activities},
    )


def draw_starts(rng: np.random.Generator, sessions: int) -> tuple[datetime, ...]:
    """Draw the start times of the sessions: days or weeks apart, between 8 am and 10 pm."""
    day = datetime(int(rng.integers(2021, 2024)), 1, 1) + timedelta(days=int(rng.integers(120)))
    starts = []
    for _ in range(sessions):
        starts.append(day + timedelta(minutes=int(rng.integers(8 * 60, 22 * 60))))
        shortest, longest = pick(rng, ((1, 5), (5, 15), (5, 15), (15, 36)))
        try:
            day += timedelta(days=int(rng.integers(shortest, longest)))
        except OverflowError as error:
            raise ValueError(
                f"{sessions} sessions would end after the year 9999, expected at most about "
                f"200,000; use more events_per_session or more conversations instead"
            ) from error
    return tuple(starts)


def _draw_person(
    rng: np.random.Generator,
    name: str,
    mutual: str,
    friends: list[str],
    activities: tuple[Activity, ...],
) -> Person:
    relations = sample(rng, names().relations, len(friends))
    return Person(
        name=name,
        companions={mutual: names().mutual_relation} | dict(zip(friends, relations, strict=True)),
        activities=activities,
        disliked=frozenset(a.name for a in activities if chance(rng, CHANCE_OF_DISLIKE)),
    )
