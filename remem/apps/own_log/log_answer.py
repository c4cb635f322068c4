"""An answer from your own log: a sentence, its date, and its place in the log."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from remem.readers.exchanges import LOOK_BACK
from remem.readers.quoting import Quote
from remem.readers.ranked_sentences import terms
from remem.temporal.dates import format_point
from remem.time_scope import TimePoint, TimeScope
from remem.types import Evidence, Fact, Gist, Message, Passage, Usage

_OPENING = re.compile(r"\W*(?:and|but|so|then|what about|how about)\b", re.IGNORECASE)
_PRONOUN = re.compile(
    r"\b(?:he|she|it|they|him|her|them|his|its|their|there|that|this|those)\b", re.IGNORECASE
)
_NAME = re.compile(r"(?<=[\w,] )[A-Z][a-z]+")


def is_follow_up(question: str) -> bool:
    """Tell whether a question can only be understood with the previous one.

    >>> [is_follow_up(text) for text in ("And when?", "Where did she go?", "Where is Ann?")]
    [True, True, False]
    """
    if _OPENING.match(question) or not terms(question):
        return True
    return _PRONOUN.search(question) is not None and _NAME.search(question) is None


@dataclass(frozen=True, slots=True)
class LogAnswer:
    """An answer with its source.

    `text` is a sentence from the log or, with a model, the model's sentence; it is "" if the log
    does not answer the question. `quote` is the sentence of the log that the answer is based on; if
    there is no answer and no model, `quote` is the closest sentence. It can be None. `place` is the
    file and line of `quote`, such as "diary.txt:5". `messages` maps ids to all messages of the log,
    so that the evidence can be shown.
    """

    text: str
    quote: Quote | None
    place: str
    evidence: Evidence
    usage: Usage
    messages: dict[str, Message]

    @property
    def when(self) -> str:
        """Return the date of the quoted event and how it is known; "" if there is no quote."""
        if self.quote is None:
            return ""
        day, sent = self.quote.date, self.quote.message.time
        if day is not None:
            words = f'"{" ".join(day.expression.split())}"'
            return f"{spoken(day.scope)} ({words})" if day.scope else _unread(words, sent)
        return f"{_day(sent)} (the day it was said)" if sent else "not dated"

    @property
    def source(self) -> str:
        """Return the file and line, the speaker and the day of the quote; "" without a quote."""
        if self.quote is None:
            return ""
        message = self.quote.message
        day = _day(message.time) if message.time else "undated"
        return ", ".join(part for part in (self.place, message.speaker, day) if part)


def spoken(scope: TimeScope) -> str:
    """Write a time scope in plain English.

    >>> spoken(TimeScope(start_time=TimePoint(2023, 5, 1), end_time=TimePoint(2023, 5, 7)))
    '1 May 2023 to 7 May 2023'
    """
    if scope.point_in_time is not None:
        return format_point(scope.point_in_time)
    ends = [format_point(point) for point in (scope.start_time, scope.end_time) if point]
    if len(ends) == 2:
        return " to ".join(ends)
    return f"from {ends[0]} on" if scope.start_time else f"until {ends[0]}"


def sources_of(evidence: Evidence) -> Iterator[str]:
    """Yield the ids of the messages behind the evidence, best first, each id once."""
    items: tuple[Gist | Fact | Passage, ...] = (
        *evidence.gists,
        *evidence.facts,
        *evidence.passages,
    )
    yield from dict.fromkeys(source for item in items for source in item.source)


def with_neighbours(ids: Sequence[str], messages: Sequence[Message]) -> list[Message]:
    """Return the messages with these ids and those next to them, which often have the answer."""
    places = {message.id: place for place, message in enumerate(messages)}
    own = [places[item_id] for item_id in ids if item_id in places]
    wanted = {place + step for place in own for step in range(-1, LOOK_BACK + 1)}
    return [messages[place] for place in sorted(wanted) if 0 <= place < len(messages)]


def _unread(words: str, sent: TimePoint | None) -> str:
    """Return a note on a time that could not be read, with the day on which it was said."""
    return f"not read ({words}{f', said on {_day(sent)}' if sent else ''})"


def _day(point: TimePoint) -> str:
    return format_point(TimePoint(point.year, point.month, point.day))
