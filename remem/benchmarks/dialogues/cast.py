"""Draw the two speakers of a dialogue, their pastimes and friends, and the days of their talks.

Both speakers draw from the same few pastimes, objects, places and companions. An event that recurs
with
other details, or for the other speaker, is then a distraction from the event in the question.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np

from remem.benchmarks.dialogues.vocabulary import Activity, chance, names, pastimes, pick, sample

ACTIVITIES = 13
SHARED_ACTIVITIES = 7
OWN_COMPANIONS = 4
PLACES_PER_SETTING = 4
OBJECTS_PER_ACTIVITY = 4
CHANCE_OF_DISLIKE = 0.25


@dataclass(frozen=True, slots=True)
class Person:
    """A speaker: their companions (name to relation) and pastimes, some of them disliked."""

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
