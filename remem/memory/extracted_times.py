"""The time of the event in a gist or fact, from the dates that a model wrote.

The time when something was said (the prefix of a gist, the record_time of a fact) is not the time
of the event. A gist that names no other date gets this time; a fact stores it in a separate field.
"""

import re
from collections.abc import Callable

from remem.memory.extraction_replies import StatedFact
from remem.temporal.dates import find_dates, parse_point
from remem.temporal.periods import OPEN_ENDS, parse_period
from remem.time_scope import TimePoint, TimeScope

_TO_A_YEAR = re.compile(r" to ([12]\d{3})(?![\w/-])", re.ASCII)
_RESOLVED_YEARS = re.compile(r"\((?=[12]\d{3}(?: to [12]\d{3})?\))", re.ASCII)
_PREFIX = re.compile(r"\s*\[([^\]]*)\]")


class UnreadableDateError(ValueError):
    """A date cannot be parsed; the fact is kept without a date and counted."""


def gist_scope(text: str, said: TimePoint | None) -> TimeScope | None:
    """Return the only date or "A to B" in a gist, else its prefix, else the time when it was said.

    >>> str(gist_scope("[14 June 2022] Ines rowed last Sunday (12 June 2022).", None))
    '2022-06-12'
    """
    prefix = _PREFIX.match(text)
    named = _named_scopes(text[prefix.end() :] if prefix else text)
    if len(named) == 1:
        return named.pop()
    said = (parse_point(prefix[1]) if prefix else None) or said
    return TimeScope(said) if said else None


def fact_scope(fact: StatedFact) -> TimeScope | None:
    """Return when a fact holds; a point_in_time takes precedence over an interval.

    A period as a start_time stands for its start, and as an end_time for its end.

    Raises:
        UnreadableDateError: A date cannot be parsed, or the end is before the start.
    """
    if fact.point_in_time:
        named = _named_scopes(fact.point_in_time) if " to " in fact.point_in_time else set()
        return named.pop() if len(named) == 1 else _read(fact.point_in_time)
    start = _read_end(fact.start_time, lambda scope: scope.start)
    still = (fact.end_time or "").lower() in OPEN_ENDS
    end = None if still else _read_end(fact.end_time, lambda scope: scope.end)
    if start and end and start.first_minute > end.last_minute:
        raise UnreadableDateError(f"{start} to {end}")
    return TimeScope(start_time=start, end_time=end) if start or end else None


def fact_said(fact: StatedFact, said: TimePoint | None) -> TimePoint | None:
    """Return when a fact was said: its reference_time, else its record_time, else `said`.

    The order is that of the filter in the released code (base_tool).
    """
    stated = (fact.reference_time, fact.record_time)
    return next((point for time in stated if (point := parse_point(time or ""))), said)


def _read(text: str) -> TimeScope:
    scope = parse_period(text)
    if scope is None:
        raise UnreadableDateError(text)
    return scope


def _read_end(text: str | None, end: Callable[[TimeScope], TimePoint | None]) -> TimePoint | None:
    """Read one end of an interval; raise an error if the text has none, as "before 2021"."""
    if not text:
        return None
    point = end(_read(text))
    if point is None:
        raise UnreadableDateError(text)
    return point


def _named_scopes(text: str) -> set[TimeScope]:
    """Return the distinct dates and "A to B" spans in a text."""
    text = _RESOLVED_YEARS.sub("(in ", text)  # "(1905)" is a year, while other bare numbers are not
    scopes: list[TimeScope] = []
    last_end = None
    for start, end, point in find_dates(text):
        if last_end is not None and text[last_end:start] == " to ":
            scopes[-1] = TimeScope(start_time=scopes[-1].start, end_time=point)
        elif year := _TO_A_YEAR.match(text, end):  # a bare year is a date only after " to "
            scopes.append(TimeScope(start_time=point, end_time=TimePoint(int(year[1]))))
        else:
            scopes.append(TimeScope(point))
        last_end = end
    return set(scopes)
