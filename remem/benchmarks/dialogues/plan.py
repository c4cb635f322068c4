"""One generated dialogue: its planted events, messages and questions, and its JSON.

The JSON has the schema of locomo10.json; the parts that no loader needs are empty.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import numpy as np

from remem.benchmarks.dialogues.chat import ChatLine, SessionWriter
from remem.benchmarks.dialogues.events import (
    Activity,
    AlikeEvents,
    Cast,
    Event,
    Recall,
    chance,
    group_by_speaker_and_pastime,
    known_of,
    names,
    pick,
    sample,
    single_out,
)
from remem.benchmarks.dialogues.overviews import OverviewQuestions
from remem.benchmarks.dialogues.questions import (
    MULTI_HOP,
    OPEN_DOMAIN,
    SINGLE_HOP,
    UNANSWERABLE,
    WHEN,
    DetailMessages,
    DialogueQuestion,
    EventQuestions,
)
from remem.benchmarks.dialogues.relative_telling import (
    past_tellings,
    plan_expressions,
    session_date,
)

PERCENT = {MULTI_HOP: 14, WHEN: 16, OPEN_DOMAIN: 5, SINGLE_HOP: 42, UNANSWERABLE: 23}
"""The share of each category, as in LoCoMo."""


@dataclass(frozen=True, slots=True)
class Dialogue:
    """A conversation with its planted events and its questions."""

    sample_id: str
    cast: Cast
    starts: tuple[datetime, ...]
    sessions: tuple[tuple[ChatLine, ...], ...]
    events: tuple[Event, ...]
    questions: tuple[DialogueQuestion, ...]


def plan_dialogue(
    rng: np.random.Generator,
    sample_id: str,
    cast: Cast,
    starts: Sequence[datetime],
    *,
    events_per_session: int,
    questions_per_session: int,
) -> Dialogue:
    """Draw the events of a conversation, write one session per start time, and draw questions."""
    events = draw_events(rng, cast, starts, events_per_session)
    written = write_sessions(rng, cast, events, len(starts))
    detail_messages = locate(written)
    asked = [
        *EventQuestions(rng, cast, events, detail_messages).ask_all(),
        *OverviewQuestions(rng, cast, events, detail_messages).ask_all(),
    ]
    questions = choose_questions(rng, asked, questions_per_session * len(starts))
    return Dialogue(sample_id, cast, tuple(starts), written, tuple(events), questions)


def write_sessions(
    rng: np.random.Generator, cast: Cast, events: Sequence[Event], sessions: int
) -> tuple[tuple[ChatLine, ...], ...]:
    """Write all sessions of a conversation."""
    new_events: dict[int, list[Event]] = defaultdict(list)
    recalled: dict[int, list[Event]] = defaultdict(list)
    for event in events:
        new_events[event.session].append(event)
        if event.recall is not None:
            recalled[event.recall.session].append(event)
    return tuple(
        tuple(SessionWriter(rng, cast).write(new_events[number], recalled[number]))
        for number in range(sessions)
    )


def numbered(sessions: Sequence[Sequence[ChatLine]]) -> Iterator[tuple[str, ChatLine]]:
    """Yield each message with its id, D<session>:<number>, both counted from 1."""
    for session, lines in enumerate(sessions, 1):
        for number, line in enumerate(lines, 1):
            yield f"D{session}:{number}", line


def locate(sessions: Sequence[Sequence[ChatLine]]) -> DetailMessages:
    """Return which message tells each detail, and which details each message has."""
    ids: dict[tuple[int, str], str] = {}
    mentions: dict[str, frozenset[str]] = {}
    for message, line in numbered(sessions):
        if line.event is not None:
            ids |= {(line.event, slot): message for slot in line.tells}
            mentions[message] = frozenset((*line.tells, *line.mentions))
    return DetailMessages(ids, mentions)


def choose_questions(
    rng: np.random.Generator, questions: Sequence[DialogueQuestion], size: int
) -> tuple[DialogueQuestion, ...]:
    """Draw up to `size` questions with different texts; each category has a fixed share."""
    left = {category: size * percent // 100 for category, percent in PERCENT.items()}
    left[SINGLE_HOP] += size - sum(left.values())
    chosen: dict[str, DialogueQuestion] = {}
    for question in sample(rng, questions, len(questions)):
        if left[question.category] > 0 and question.text not in chosen:
            chosen[question.text] = question
            left[question.category] -= 1
    return tuple(chosen.values())


def to_json(dialogue: Dialogue) -> dict[str, Any]:
    """Return a conversation in the schema of locomo10.json."""
    names = [person.name for person in dialogue.cast.people]
    conversation: dict[str, Any] = {"speaker_a": names[0], "speaker_b": names[1]}
    for number, start in enumerate(dialogue.starts, 1):
        conversation[f"session_{number}_date_time"] = session_date(start)
        conversation[f"session_{number}"] = []
    for message, line in numbered(dialogue.sessions):
        session = message[1:].split(":")[0]
        conversation[f"session_{session}"].append(
            {"speaker": names[line.speaker], "dia_id": message, "text": line.text}
        )
    return {
        "qa": [question_to_json(question) for question in dialogue.questions],
        "conversation": conversation,
        "event_summary": {},
        "observation": {},
        "session_summary": {},
        "sample_id": dialogue.sample_id,
    }


def question_to_json(question: DialogueQuestion) -> dict[str, Any]:
    """Return a question in the schema of locomo10.json."""
    key = "adversarial_answer" if question.category == UNANSWERABLE else "answer"
    return {
        "question": question.text,
        key: question.answer,
        "evidence": list(question.evidence),
        "category": question.category,
    }


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
    """Draw the events of all sessions, in order; within a session, the speakers take turns."""
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
    telling = pick(rng, plan_expressions(start) if planned else past_tellings(start))
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
    groups = {
        kind: AlikeEvents(alike) for kind, alike in group_by_speaker_and_pastime(events).items()
    }
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
