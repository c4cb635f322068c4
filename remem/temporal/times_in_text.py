"""Find the times in a text, and what each means on the day it was said.

The extractors, the readers and the preview of a log use this module to find times in running text.
Dates that are written out are found first. If a time depends on the clause ("on Friday", "in
March"), the last or the next occurrence is meant. A time that cannot be read is returned without a
span, and is never replaced by the day when it was said. Habits ("every Friday") and durations ("in
3 months I learned") are not times.
"""

from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from remem.temporal import spans
from remem.temporal.clauses import Direction, direction_of
from remem.temporal.recurring import Recurring
from remem.temporal.spans import Span
from remem.temporal.time_grammar import Grammar
from remem.temporal.time_values import NO_TIME, UNREAD, Bounded, Coming, Range, Value
from remem.time_scope import TimePoint, TimeScope


@dataclass(frozen=True, slots=True)
class TimeInText:
    """A time at text[start:end]; `span` is None if it could not be read.

    `is_stated` is True if the words name the date without regard to the day they were said on.
    """

    start: int
    end: int
    expression: str
    span: Span | None
    is_stated: bool

    @property
    def scope(self) -> TimeScope | None:
        """Return the scope of the time; None if the time could not be read."""
        return self.span.scope if self.span else None


_OF_ONE = frozenset({"past", "ahead"})


@lru_cache(maxsize=1 << 14)
def times_in(text: str, said_at: TimePoint | None) -> tuple[TimeInText, ...]:
    """Return the times of a text in order, including those that could not be read.

    >>> [str(time.span.scope) for time in times_in("I ran on 14 June", TimePoint(2023, 7, 8))]
    ['2023-06-14']
    """
    day = _day(said_at)
    grammar = Grammar(text, day)
    times: list[TimeInText] = []
    at = 0
    while at < len(grammar.tokens):
        read = grammar.time(at) if grammar.has_core(at) else None
        if read is None:
            at += 1
            continue
        start, end = grammar.tokens[at].start, grammar.tokens[read.end - 1].end
        meaning = _meaning(read.value, text, start, end, day)
        if meaning != NO_TIME:
            span = meaning if isinstance(meaning, Span) else None
            expression = text[start:end]
            stated = span is not None and whole_time(expression, None) == span
            times.append(TimeInText(start, end, expression, span, stated))
        at = read.end
    return tuple(times)


def annotated(text: str, said_at: TimePoint | None) -> str:
    """Return the text with a date in parentheses after each relative time.

    >>> annotated("I ran yesterday.", TimePoint(2023, 5, 8))
    'I ran yesterday (7 May 2023).'
    """
    for time in reversed(times_in(text, said_at)):
        if time.span and not time.is_stated:
            text = f"{text[: time.end]} ({time.span.phrase}){text[time.end :]}"
    return text


def _meaning(value: Value, text: str, start: int, end: int, day: date | None) -> Span | str:
    """Return the span of a value, or "unread" or "no time"."""
    if isinstance(value, Span | str):
        return value
    try:
        if (written := _written(value)) is not None:
            return written
        if day is None:
            return UNREAD
        return _in_clause(value, direction_of(text, start, end), day) or UNREAD
    except (ValueError, OverflowError):
        return UNREAD


def _written(value: Value) -> Span | None:
    """Return the span of a range or bound if its last time has its year, else None."""
    if isinstance(value, Bounded) and isinstance(value.value, Span):
        return spans.bounded(value.bound, value.value)
    if not (isinstance(value, Range) and isinstance(value.last, Span)):
        return None
    first, last = value.first, value.last  # "May to July 2023"
    return spans.between(first if isinstance(first, Span) else first.until(last.last_day), last)


def _in_clause(value: Value, direction: Direction, day: date) -> Span | str | None:
    if isinstance(value, Coming):
        return value.span if direction == "ahead" else NO_TIME
    if direction == "habit" and not isinstance(value, Bounded):
        return NO_TIME
    if isinstance(value, Recurring) and value.kind == "every" and direction not in _OF_ONE:
        return NO_TIME
    if isinstance(value, Recurring):
        return value.meant(day, direction)
    if isinstance(value, Bounded) and isinstance(value.value, Recurring):
        since = "past" if value.bound == "since" else direction
        meant = value.value.meant(day, since)
        return spans.bounded(value.bound, meant) if meant else None
    return _range(value, direction, day) if isinstance(value, Range) else None


def _range(value: Range, direction: Direction, day: date) -> Span | str | None:
    first, last = value.first, value.last
    if _is_working_week(value, day) and direction != "ahead":
        return NO_TIME
    if isinstance(first, Span) and isinstance(last, Recurring):
        return spans.between(first, last.from_(first.first_day))
    if not (isinstance(first, Recurring) and isinstance(last, Recurring)):
        return None
    if direction == "past":
        end = last.until(day)
        return spans.between(first.until(end.first_day), end)
    start = first.meant(day, direction)
    return spans.between(start, last.from_(start.first_day)) if start else None


def _is_working_week(value: Range, day: date) -> bool:
    """Return whether a range is "Monday to Friday", which usually means a weekly habit."""
    ends = (value.first, value.last)
    if not all(isinstance(end, Recurring) and end.kind == "weekday" for end in ends):
        return False
    names = [end.following(day).first_day.weekday() for end in ends if isinstance(end, Recurring)]
    return names == [0, 4]


def whole_time(text: str, said_at: TimePoint | None) -> Span | None:
    """Return the span if the text is one time that does not depend on a clause, else None."""
    grammar = Grammar(text, _day(said_at))
    read = grammar.alone()
    if read is None or read.end != len(grammar.tokens):
        return None
    with suppress(ValueError, OverflowError):
        return read.value if isinstance(read.value, Span) else _written(read.value)
    return None


def _day(said_at: TimePoint | None) -> date | None:
    return spans.day_of(said_at.first_minute) if said_at and said_at.day else None
