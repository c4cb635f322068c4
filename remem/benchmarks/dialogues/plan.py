"""One generated dialogue: its planted events, messages and questions, and its JSON.

The JSON has the schema of locomo10.json; the parts that no loader needs are empty.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np

from remem.benchmarks.dialogues.cast import Cast
from remem.benchmarks.dialogues.chat import ChatLine, SessionWriter
from remem.benchmarks.dialogues.drawing import draw_events
from remem.benchmarks.dialogues.events import Event
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
from remem.benchmarks.dialogues.relative_telling import session_date
from remem.benchmarks.dialogues.vocabulary import sample

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
    """Draw the events of a conversation, write a session for each start, and draw questions."""
    events = draw_events(rng, cast, starts, events_per_session)
    written = write_sessions(rng, cast, events, len(starts))
    told = locate(written)
    asked = [
        *EventQuestions(rng, cast, events, told).ask_all(),
        *OverviewQuestions(rng, cast, events, told).ask_all(),
    ]
    questions = choose_questions(rng, asked, questions_per_session * len(starts))
    return Dialogue(sample_id, cast, tuple(starts), written, tuple(events), questions)


def write_sessions(
    rng: np.random.Generator, cast: Cast, events: Sequence[Event], sessions: int
) -> tuple[tuple[ChatLine, ...], ...]:
    """Write all sessions of a conversation."""
    told: dict[int, list[Event]] = defaultdict(list)
    recalled: dict[int, list[Event]] = defaultdict(list)
    for event in events:
        told[event.session].append(event)
        if event.recall is not None:
            recalled[event.recall.session].append(event)
    return tuple(
        tuple(SessionWriter(rng, cast).write(told[number], recalled[number]))
        for number in range(sessions)
    )


def numbered(sessions: Sequence[Sequence[ChatLine]]) -> Iterator[tuple[str, ChatLine]]:
    """Yield each message with its id, D<session>:<number>, both counted from 1."""
    for session, lines in enumerate(sessions, 1):
        for number, line in enumerate(lines, 1):
            yield f"D{session}:{number}", line


def locate(sessions: Sequence[Sequence[ChatLine]]) -> DetailMessages:
    """Return which message tells each detail."""
    ids: dict[tuple[int, str], str] = {}
    mentions: dict[str, frozenset[str]] = {}
    for message, line in numbered(sessions):
        if line.event is not None:
            ids |= {(line.event, slot): message for slot in line.tells}
            mentions[message] = frozenset((*line.tells, *line.mentions))
    return DetailMessages(ids, mentions)


def choose_questions(
    rng: np.random.Generator, asked: Sequence[DialogueQuestion], size: int
) -> tuple[DialogueQuestion, ...]:
    """Choose questions with different texts, by the share of each category, in random order."""
    left = {category: size * percent // 100 for category, percent in PERCENT.items()}
    left[SINGLE_HOP] += size - sum(left.values())
    chosen: dict[str, DialogueQuestion] = {}
    for question in sample(rng, asked, len(asked)):
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
