"""LongMemEval: 500 questions, each with its own haystack of chat sessions (Wu et al. 2025).

The files S, M and oracle have the same format. A history is the haystack of one question, and its
episodes are the sessions. As in the authors' retrieval code, a message id is "<session id>_<turn>",
with turns counted from 1.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from remem.benchmarks.chat_sessions import parse_time
from remem.benchmarks.json_files import checked, field, gold_text, read_bytes, strings
from remem.benchmarks.loaded import BenchmarkOnLoaded, LoadedBenchmark
from remem.files.json_text import json_elements
from remem.intake import Account, Intake
from remem.metrics.benchmark_scores import session_of
from remem.protocols import DataFile
from remem.time_scope import TimePoint
from remem.types import REFUSAL_PHRASE, Episode, Gold, History, Message, Query, Question

DATE_LAYOUT = "%Y/%m/%d (%a) %H:%M"

EMPTY = "empty sessions"
LATER = "sessions later than the question"
REPEATED = "sessions with the id of an earlier one in the haystack, given a number"
UNSORTED = "haystacks that are not in the order of time, sorted"
BLANK = "turns without text"
LEFT_OUT = ", left out"
"""The ending of the names of flaws that are left out."""


class Haystacks:
    """Counts the haystacks, sessions and turns while they are read, and the flaws in the data."""

    def __init__(self) -> None:
        self.haystacks: Intake[str] = Intake("haystacks")
        self.sessions: Intake[str] = Intake("sessions")
        self.turns: Intake[str] = Intake("turns")
        self.arrived: Counter[str] = Counter()
        self.other_flaws: Counter[str] = Counter()

    def accounts(self) -> tuple[Account, ...]:
        """Return how many haystacks, sessions and turns were kept, left out or changed."""
        intakes = (self.haystacks, self.sessions, self.turns)
        return tuple(intake.account(arrived=self.arrived[intake.units]) for intake in intakes)

    def flaws(self) -> Mapping[str, int]:
        """Return the count of each flaw, by its description."""
        counts = Counter(self.other_flaws)
        for account in self.accounts():
            counts.update({f"{each.what}{LEFT_OUT}": each.count for each in account.left_out})
            counts.update({each.what: each.count for each in account.repaired})
        return {flaw: counts[flaw] for flaw in FLAWS}


@dataclass(frozen=True, slots=True)
class DatedSession:
    """A session, its time, and the ids of the messages that have the answer."""

    episode: Episode
    time: TimePoint
    answering: tuple[str, ...]


def read_sessions(
    raw: Any, name: str, asked_at: TimePoint, intake: Haystacks
) -> list[DatedSession]:
    """Return the sessions of a haystack that are not later than the question, in order of time.

    Args:
        raw: The question as the file has it.
        name: The id of the question.
        asked_at: The time of the question.
        intake: Records what is kept, left out or changed.
    """
    sessions = [
        session
        for session in _sessions(raw, name, intake)
        if _is_kept(session, asked_at, f"{session.episode.id} of {name}", intake.sessions)
    ]
    ordered = sorted(sessions, key=lambda session: session.time.first_minute)
    intake.arrived["haystacks"] += 1
    intake.haystacks.keep(name)
    if ordered != sessions:
        intake.haystacks.repair(name, UNSORTED)
    return ordered


def _sessions(raw: Any, name: str, intake: Haystacks) -> Iterator[DatedSession]:
    ids = strings(raw, "haystack_session_ids", name)
    dates = strings(raw, "haystack_dates", name)
    contents = field(raw, "haystack_sessions", list, name)
    if not len(ids) == len(dates) == len(contents):
        raise ValueError(
            f"{name} has {len(ids)} haystack_session_ids, {len(dates)} haystack_dates and "
            f"{len(contents)} haystack_sessions, expected the same number of each"
        )
    intake.arrived["sessions"] += len(contents)
    seen: Counter[str] = Counter()
    for session_id, date, turns in zip(ids, dates, contents, strict=True):
        seen[session_id] += 1
        again = seen[session_id] > 1
        unique = f"{session_id}~{seen[session_id]}" if again else session_id
        where = f"session {unique} of {name}"
        if again:
            intake.sessions.repair(where, REPEATED)
        yield _session(unique, date, checked(turns, list, where), where, intake)


def _is_kept(session: DatedSession, asked_at: TimePoint, where: str, intake: Intake[str]) -> bool:
    if session.time.first_minute > asked_at.first_minute:
        intake.leave_out(where, LATER)
    elif not session.episode.messages:
        intake.leave_out(where, EMPTY)
    else:
        intake.keep(where)
        return True
    return False


def _session(
    session_id: str, date: str, turns: list[Any], where: str, intake: Haystacks
) -> DatedSession:
    time = parse_time(date, DATE_LAYOUT, where)
    intake.arrived["turns"] += len(turns)
    messages, answering = [], []
    for number, raw in enumerate(turns, 1):
        turn = f"turn {number} of {where}"
        text = field(raw, "content", str, turn)
        if not text.strip():
            intake.turns.leave_out(turn, BLANK)
            continue
        message_id = f"{session_id}_{number}"
        intake.turns.keep(message_id)
        messages.append(Message(message_id, field(raw, "role", str, turn), text, time, date))
        if raw.get("has_answer") is True:
            answering.append(message_id)
    return DatedSession(Episode(session_id, tuple(messages)), time, tuple(answering))


ABSTENTION = "_abs"
"""Ending of the id of a question that its haystack does not answer."""
MAX_BYTES = 4 * 2**30
"""Maximum size of a file: M has 2.7 GB."""

ABSTAINING = "questions to refuse, with an id that ends in _abs"
ABSTAINING_WITHOUT = "of these without an answering turn"
WITHOUT = "other questions without an answering turn"
OTHER_SESSIONS = "questions whose answering turns are in other sessions than the answer sessions"
NUMBERS = "answers that are whole numbers"
FLAWS = (
    *(ABSTAINING, ABSTAINING_WITHOUT, WITHOUT, OTHER_SESSIONS, NUMBERS),
    *(f"{what}{LEFT_OUT}" for what in (LATER, EMPTY, BLANK)),
    *(REPEATED, UNSORTED),
)


class LongMemEval(BenchmarkOnLoaded):
    """The published benchmark: M or S (longmemeval_s_cleaned.json or longmemeval_s.json).

    Args:
        data: The folder of the data.
        file: The name of the file.
    """

    def __init__(self, *, data: str, file: str) -> None:
        content, source = read_bytes(Path(data), "longmemeval", file, most=MAX_BYTES)
        self._loaded, self._flaws = from_json(json_elements(content, source.name), (source,))

    def flaws(self) -> Mapping[str, int]:
        """Return how often each flaw of the data occurs."""
        return self._flaws


def from_json(
    instances: Iterable[Any], files: Sequence[DataFile]
) -> tuple[LoadedBenchmark, Mapping[str, int]]:
    """Build the benchmark from parsed JSON; return it with the count of each flaw.

    Args:
        instances: The questions with their haystacks, as in the file.
        files: The files that the data came from.
    """
    intake = Haystacks()
    questions_of_history = [
        _read_instance(raw, place, intake) for place, raw in enumerate(instances)
    ]
    return LoadedBenchmark(questions_of_history, files, intake.accounts()), intake.flaws()


def _read_instance(raw: Any, place: int, intake: Haystacks) -> tuple[History, Sequence[Question]]:
    """Return a haystack and its question; count their flaws."""
    name = field(raw, "question_id", str, f"question {place}")
    date = field(raw, "question_date", str, name)
    asked_at = parse_time(date, DATE_LAYOUT, f"question {name}")
    sessions = read_sessions(raw, name, asked_at, intake)
    answering = [message_id for session in sessions for message_id in session.answering]
    gold = _gold(raw, name, answering, intake.other_flaws)
    text = field(raw, "question", str, name).strip()
    episodes = tuple(session.episode for session in sessions)
    return History(name, episodes), (Question(Query(name, name, 0, text, asked=date), gold),)


def _gold(raw: Any, name: str, answering: list[str], flaws: Counter[str]) -> Gold:
    """Return the gold, without evidence if the question has no answer, as in the authors' code."""
    answerable = not name.endswith(ABSTENTION)
    sessions = set(strings(raw, "answer_session_ids", name))
    flaws[ABSTAINING] += not answerable
    flaws[WITHOUT if answerable else ABSTAINING_WITHOUT] += not answering
    flaws[OTHER_SESSIONS] += bool(answering) and set(map(session_of, answering)) != sessions
    return Gold(
        answers=(_answer(raw, name, flaws) if answerable else REFUSAL_PHRASE,),
        category=field(raw, "question_type", str, name),
        answerable=answerable,
        items=() if answerable else _explanation(raw),
        evidence=tuple(answering) if answerable else (),
        group=name,
        separator="semicolons",
    )


def _explanation(raw: Any) -> tuple[str, ...]:
    """Return why a question has no answer; only the judge with the authors' prompts uses this."""
    answer = raw.get("answer")
    return (str(answer),) if isinstance(answer, str | int) else ()


def _answer(raw: Any, name: str, flaws: Counter[str]) -> str:
    """Return the answer as text; some are whole numbers."""
    answer = raw.get("answer")
    flaws[NUMBERS] += isinstance(answer, int)
    return gold_text(answer, name)
