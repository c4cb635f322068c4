"""Which questions are asked after which sessions of a history (`run.stream=session`).

A question is answerable once the session with its last evidence is indexed. Asking every question
after every session would multiply the cost of a run, so a rule chooses the checkpoints
(docs/streaming.md).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Literal

from remem.time_scope import MINUTES_PER_DAY
from remem.types import Episode, Gold, History, Question

Rule = Literal["doubling", "all"]
"""Doubling: one checkpoint early, then 0, 1, 2, 4, 8, ... checkpoints after the last evidence."""

Answerable = Literal["yes", "not yet", "never", "unknown"]
"""Never: the dataset calls the question unanswerable. Unknown: its evidence is not known."""


@dataclass(frozen=True, slots=True)
class CheckpointMark:
    """A question at a checkpoint: how old the memory and the evidence are.

    `days` are the days between the first and the last message. `evidence_sessions` and
    `evidence_days` are the age of the last evidence, None if unknown. The age is negative if the
    session with this evidence is still to come. `outdated` has the former gold answers that
    changes in the sessions so far have made wrong.
    """

    query_id: str
    history_id: str
    checkpoint: int
    is_last: bool
    answerable: Answerable
    sessions: int
    messages: int
    days: float | None
    evidence_sessions: int | None = None
    evidence_days: float | None = None
    outdated: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DueQuestion:
    """A question that is asked at a checkpoint."""

    question: Question
    mark: CheckpointMark


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A point after a session of a history at which questions are asked; `number` starts at 1."""

    number: int
    is_last: bool
    history: History
    begin: int
    end: int
    due: tuple[DueQuestion, ...]

    def sessions(self, since: int) -> History:
        """Return the sessions up to this checkpoint without the first `since` sessions."""
        return History(self.history.id, self.history.episodes[since : self.end])


FormerGolds = Callable[[str], Sequence[Gold]]
"""Returns the gold answers of a question from before its fact changed, oldest first."""


def _no_changes(query_id: str) -> Sequence[Gold]:
    return ()


def checkpoints(
    history: History,
    questions: Sequence[Question],
    *,
    every: int,
    rule: Rule,
    former: FormerGolds = _no_changes,
) -> tuple[Checkpoint, ...]:
    """Return the checkpoints of a history: after every `every` sessions, and after the last.

    Args:
        history: The history; each of its episodes counts as a session.
        questions: The questions about it, in the order in which they are asked at a checkpoint.
        every: The number of sessions between two checkpoints.
        rule: Chooses the checkpoints at which a question is asked.
        former: Returns the former gold answers of a question. If the answer changes, the question
            is asked again after each change, with the gold answer that is then right.
    """
    ends = [*range(every, len(history.episodes), every), len(history.episodes)]
    places = _Places.of(history)
    stages = {
        question.query.id: tuple(
            replace(question, gold=gold) for gold in (*former(question.query.id), question.gold)
        )
        for question in questions
    }
    asked = {
        query_id: frozenset().union(
            *(
                _asked_at(places.settled(stage), ends, rule, is_first=not at)
                for at, stage in enumerate(some)
            )
        )
        for query_id, some in stages.items()
    }
    planned = []
    for position, end in enumerate(ends):
        is_last = position == len(ends) - 1
        due = tuple(
            places.due(stages[question.query.id], position + 1, end, is_last=is_last)
            for question in questions
            if position in asked[question.query.id]
        )
        begin = ends[position - 1] if position else 0
        planned.append(Checkpoint(position + 1, is_last, history, begin, end, due))
    return tuple(planned)


def _asked_at(
    settled: int | None, ends: Sequence[int], rule: Rule, *, is_first: bool
) -> frozenset[int]:
    """Return the positions of the checkpoints that ask a question."""
    last = len(ends) - 1
    if settled is None:
        return frozenset({last})
    if rule == "all":
        return frozenset(range(len(ends)))
    first = next(position for position, end in enumerate(ends) if end >= settled)
    ages = takewhile(lambda age: first + age <= last, (0, *(2**power for power in range(64))))
    before = {first - 1} if first and is_first else set()
    return frozenset({*before, *(first + age for age in ages), last})


@dataclass(frozen=True, slots=True)
class _Places:
    """The session of each message, counted from 1, and the last time of each session."""

    sessions: dict[str, int]
    last_times: tuple[int | None, ...]
    sizes: tuple[int, ...]
    first_time: int | None

    @classmethod
    def of(cls, history: History) -> "_Places":
        episodes = history.episodes
        firsts = [message.time.first_minute for message in history.messages() if message.time]
        return cls(
            {
                message.id: number
                for number, episode in enumerate(episodes, start=1)
                for message in episode.messages
            },
            tuple(map(_last_time, episodes)),
            tuple(len(episode.messages) for episode in episodes),
            min(firsts, default=None),
        )

    def settled(self, question: Question) -> int | None:
        """Return the session with the last evidence; None if any of the evidence is unknown."""
        gold = question.gold
        known = [self.sessions.get(message_id) for message_id in gold.evidence]
        numbers = [number for number in known if number is not None]
        whole = bool(numbers) and len(numbers) == len(known) and not gold.unresolved
        return max(numbers) if whole else None

    def due(
        self, stages: Sequence[Question], number: int, end: int, *, is_last: bool
    ) -> DueQuestion:
        """Return the question with the gold answer that is right at this checkpoint.

        `stages` has a copy of the question for each of its successive gold answers, oldest first.
        """
        known = [(self.settled(stage), stage) for stage in stages]
        past = [stage for settled, stage in known if settled is not None and settled <= end]
        question = past[-1] if past else stages[0]
        mark = self._mark(question, number, end, is_last=is_last)
        right = question.gold.answers
        outdated = (answer for stage in past[:-1] for answer in stage.gold.answers)
        old = tuple(dict.fromkeys(answer for answer in outdated if answer not in right))
        return DueQuestion(question, replace(mark, outdated=old))

    def _mark(self, question: Question, number: int, end: int, *, is_last: bool) -> CheckpointMark:
        settled = self.settled(question)
        now = self._time(end)
        return CheckpointMark(
            query_id=question.query.id,
            history_id=question.query.history_id,
            checkpoint=number,
            is_last=is_last,
            answerable=_answerable(question, settled, end),
            sessions=end,
            messages=sum(self.sizes[:end]),
            days=_days(self.first_time, now),
            evidence_sessions=None if settled is None else end - settled,
            evidence_days=None if settled is None else _days(self._time(settled), now),
        )

    def _time(self, sessions: int) -> int | None:
        """Return the latest time in the first `sessions` sessions, in minutes."""
        return max((time for time in self.last_times[:sessions] if time is not None), default=None)


def _answerable(question: Question, settled: int | None, end: int) -> Answerable:
    if not question.gold.answerable:
        return "never"
    if settled is None:
        return "unknown"
    return "yes" if end >= settled else "not yet"


def _last_time(episode: Episode) -> int | None:
    times = [message.time.first_minute for message in episode.messages if message.time]
    return max(times, default=None)


def _days(since: int | None, until: int | None) -> float | None:
    if since is None or until is None:
        return None
    return round((until - since) / MINUTES_PER_DAY, 3)
