"""The sessions of a haystack of LongMemEval, in the order of time, and what is left out of them."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from remem.benchmarks.chat_sessions import parse_time
from remem.benchmarks.json_fields import checked, field, strings
from remem.time_scope import TimePoint
from remem.types import Episode, Message

DATE_LAYOUT = "%Y/%m/%d (%a) %H:%M"

EMPTY = "empty sessions, left out"
LATER = "sessions later than the question, left out"
REPEATED = "sessions with the id of an earlier one in the haystack, given a number"
UNSORTED = "haystacks that are not in the order of time, sorted"
BLANK = "turns without text, left out"

Flaws = Counter[str]
"""The count of each flaw, by what it is."""


@dataclass(frozen=True, slots=True)
class DatedSession:
    """A session, its time, and the ids of the messages that have the answer."""

    episode: Episode
    time: TimePoint
    answering: tuple[str, ...]


def read_sessions(raw: Any, name: str, asked: TimePoint, flaws: Flaws) -> list[DatedSession]:
    """Return the sessions of a haystack up to the minute of the question, in the order of time.

    Args:
        raw: The question as the file has it.
        name: The id of the question.
        asked: The time of the question.
        flaws: Counts what is left out or changed.
    """
    sessions = [
        session for session in _sessions(raw, name, flaws) if _is_kept(session, asked, flaws)
    ]
    ordered = sorted(sessions, key=lambda session: session.time.first_minute)
    flaws[UNSORTED] += ordered != sessions
    return ordered


def _sessions(raw: Any, name: str, flaws: Flaws) -> Iterator[DatedSession]:
    ids = strings(raw, "haystack_session_ids", name)
    dates = strings(raw, "haystack_dates", name)
    contents = field(raw, "haystack_sessions", list, name)
    if not len(ids) == len(dates) == len(contents):
        raise ValueError(
            f"{name} has {len(ids)} haystack_session_ids, {len(dates)} haystack_dates and "
            f"{len(contents)} haystack_sessions, expected equally many"
        )
    seen: Counter[str] = Counter()
    for session_id, date, turns in zip(ids, dates, contents, strict=True):
        seen[session_id] += 1
        again = seen[session_id] > 1
        flaws[REPEATED] += again
        unique = f"{session_id}~{seen[session_id]}" if again else session_id
        where = f"session {unique} of {name}"
        yield _session(unique, date, checked(turns, list, where), where, flaws)


def _is_kept(session: DatedSession, asked: TimePoint, flaws: Flaws) -> bool:
    is_later = session.time.first_minute > asked.first_minute
    is_empty = not session.episode.messages
    flaws[LATER] += is_later
    flaws[EMPTY] += is_empty and not is_later
    return not is_later and not is_empty


def _session(
    session_id: str, date: str, turns: list[Any], where: str, flaws: Flaws
) -> DatedSession:
    time = parse_time(date, DATE_LAYOUT, where)
    messages, answering = [], []
    for number, raw in enumerate(turns, 1):
        turn = f"turn {number} of {where}"
        text = field(raw, "content", str, turn)
        if not text.strip():
            flaws[BLANK] += 1
            continue
        message_id = f"{session_id}_{number}"
        messages.append(Message(message_id, field(raw, "role", str, turn), text, time, date))
        if raw.get("has_answer") is True:
            answering.append(message_id)
    return DatedSession(Episode(session_id, tuple(messages)), time, tuple(answering))
