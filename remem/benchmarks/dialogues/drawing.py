"""Draw the events of a generated dialogue, and the messages in which each detail is told.

An event is told in an opening message and usually a follow-up; one detail may be told in a later
session.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

import numpy as np

from remem.benchmarks.dialogues.cast import Cast
from remem.benchmarks.dialogues.events import (
    AlikeEvents,
    Event,
    Recall,
    group_by_kind,
    known_of,
    single_out,
)
from remem.benchmarks.dialogues.relative_telling import past_tellings, planned_tellings
from remem.benchmarks.dialogues.vocabulary import Activity, chance, names, pick, sample

CHANCE_OF: Mapping[str, float] = {"companion": 0.75, "place": 0.7, "quantity": 0.4, "feeling": 0.5}
"""Probability that a detail is told; those in `NEEDED` are always told."""

CHANCE_AT_ONCE: Mapping[str, float] = {
    **{"object": 0.85, "time": 0.85, "companion": 0.6, "place": 0.6},
    **{"quantity": 0.4, "feeling": 0.4},
}
"""Probability that a told detail is in the opening message."""

NEEDED = ("object", "time")
OF_A_PLAN = (*NEEDED, "companion", "place")
QUANTITIES = {"hours": (2, 9), "minutes": (20, 90), "attempts": (2, 12), "euros": (5, 60)}

CHANCE_OF_PLAN = 0.15
CHANCE_OF_LATER = 0.5
LONGEST_WAIT = 4
FOLLOW_UP_SIZE = 2


def draw_events(
    rng: np.random.Generator, cast: Cast, starts: Sequence[datetime], per_session: int
) -> list[Event]:
    """Draw the events of all sessions in the order of telling; the speakers alternate."""
    events: list[Event] = []
    for session, start in enumerate(starts):
        first = int(rng.integers(2))
        orders = [sample(rng, person.activities, len(person.activities)) for person in cast.people]
        for number in range(per_session):
            speaker = (first + number) % 2
            activity = orders[speaker][number // 2 % len(orders[speaker])]
            event = _draw_event(rng, cast, start, speaker, activity)
            events.append(replace(event, index=len(events), session=session))
    return _with_recalls(rng, events, len(starts))


def _draw_event(
    rng: np.random.Generator, cast: Cast, start: datetime, speaker: int, activity: Activity
) -> Event:
    planned = chance(rng, CHANCE_OF_PLAN)
    telling = pick(rng, planned_tellings(start) if planned else past_tellings(start))
    values = _draw_values(rng, cast, speaker, activity, planned) | {"time": telling.answer}
    opening = tuple(slot for slot in values if chance(rng, CHANCE_AT_ONCE[slot]))
    late = [slot for slot in sample(rng, tuple(values), len(values)) if slot not in opening]
    late.sort(key=lambda slot: slot not in NEEDED)
    recall = None
    if late and late[-1] not in NEEDED and not planned and chance(rng, CHANCE_OF_LATER):
        slot = late.pop()
        recall = Recall(slot, values[slot], session=0)
    follow_up = tuple(late[:FOLLOW_UP_SIZE])
    return Event(
        index=0,
        session=0,
        speaker=speaker,
        activity=activity,
        planned=planned,
        telling=telling,
        details={slot: values[slot] for slot in (*opening, *follow_up)},
        opening=opening,
        follow_up=follow_up,
        recall=recall,
    )


def _draw_values(
    rng: np.random.Generator, cast: Cast, speaker: int, activity: Activity, planned: bool
) -> dict[str, str]:
    person = cast.people[speaker]
    disliked = activity.name in person.disliked
    moods = names().bad_moods if disliked else names().good_moods
    values = {
        "object": pick(rng, cast.objects[activity.name]),
        "companion": pick(rng, tuple(person.companions)),
        "place": pick(rng, cast.places[activity.setting]),
        "quantity": str(int(rng.integers(*QUANTITIES[activity.unit]))),
        "feeling": pick(rng, moods),
    }
    return {
        slot: value
        for slot, value in values.items()
        if chance(rng, CHANCE_OF.get(slot, 1.0)) and (slot in OF_A_PLAN or not planned)
    }


def _with_recalls(rng: np.random.Generator, events: list[Event], sessions: int) -> list[Event]:
    """Choose when the late details are told, and which details identify their events."""
    groups = {kind: AlikeEvents(alike) for kind, alike in group_by_kind(events).items()}
    return [
        event
        if event.recall is None
        else _with_recall(rng, event, event.recall, groups[event.kind], sessions)
        for event in events
    ]


def _with_recall(
    rng: np.random.Generator,
    event: Event,
    recall: Recall,
    alike: AlikeEvents,
    sessions: int,
) -> Event:
    session = event.session + int(rng.integers(1, LONGEST_WAIT + 1))
    known = known_of(event)
    known.pop("month", None)
    by = single_out(rng, alike, known)
    if by is None or session >= sessions:
        return replace(event, recall=None)
    slots = tuple(slot for slot in event.details if slot in by)
    return replace(
        event,
        details={**event.details, recall.slot: recall.value},
        recall=replace(recall, session=session, by=slots),
    )
