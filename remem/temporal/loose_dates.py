"""Dates as people write them in chats: without a year ("14 June") or a preposition ("Friday at 7").

For showing when something was, not for measuring: the graph takes `relative_dates` alone, as these
readings are less certain. A weekday next to a date is a part of it ("Friday, 14 June").
"""

import re
from datetime import date, timedelta

from remem.temporal import scopes as spans
from remem.temporal.dates import WEEKDAYS, find_dates, format_point, month_number
from remem.temporal.relative_dates import (
    YEARLESS_DATES,
    Resolved,
    is_to_come,
    resolve_relative,
)
from remem.time_scope import TimePoint, TimeScope

_YEARLESS = tuple(re.compile(rf"(?<![\w/.-]){date}", re.IGNORECASE) for date in YEARLESS_DATES)
_WEEKDAY = re.compile(
    rf"(?:\bon\s+)?\b(?<!every )(?<!each )(?<!most )(?P<weekday>{'|'.join(WEEKDAYS)})\b"
    r"(?!\s+(?:night|morning|afternoon|evening)s\b)",
    re.IGNORECASE,
)
_NEAR = 200
"""Characters before and after a weekday that say whether it is to come."""
_ON_A_WEEKDAY = re.compile(rf"on\s+(?:{'|'.join(WEEKDAYS)})", re.IGNORECASE)
_IS = re.compile(
    r"\b(?:is|are|starts?|begins?|comes?|arrives?|leaves?|meets?|until|till)\b[^.!?]*$",
    re.IGNORECASE,
)
_AN_APPOINTMENT = re.compile(r"\s+(?:at|from|around|@)\s*\d|[^.!]*\?")


def resolve_dates(text: str, said_at: TimePoint | None) -> tuple[Resolved, ...]:
    """Find every date of a text, absolute, relative to the day it was said, or without a year.

    >>> [found.phrase for found in resolve_dates("On 14 June we sail", TimePoint(2023, 5, 8))]
    ['14 June 2023']
    """
    absolute = (
        Resolved(start, end, text[start:end], TimeScope(point), format_point(point))
        for start, end, point in find_dates(text)
    )
    relative = (
        item
        for item in resolve_relative(text, said_at)
        if not _ON_A_WEEKDAY.fullmatch(item.expression)
    )
    dates: list[Resolved] = []
    for item in (*absolute, *_yearless(text, said_at), *relative, *_weekdays(text, said_at)):
        if all(item.end <= other.start or item.start >= other.end for other in dates):
            dates.append(item)
    return tuple(sorted(dates, key=lambda resolved: resolved.start))


def _yearless(text: str, said_at: TimePoint | None) -> list[Resolved]:
    """Resolve "14 June" to the next one, or to the last one if that is far nearer."""
    day = _day(said_at)
    if day is None:
        return []
    resolved = []
    for form in _YEARLESS:
        for match in form.finditer(text):
            try:
                scope, phrase = spans.on_nearest_date(
                    day, month_number(match["month"]), int(match["day"])
                )
            except ValueError:
                continue
            resolved.append(Resolved(match.start(), match.end(), match[0], scope, phrase))
    return resolved


def _weekdays(text: str, said_at: TimePoint | None) -> list[Resolved]:
    day = _day(said_at)
    if day is None:
        return []
    resolved = []
    for match in _WEEKDAY.finditer(text):
        before = text[max(0, match.start() - _NEAR) : match.start()]
        after = text[match.end() : match.end() + _NEAR]
        appointed = _AN_APPOINTMENT.match(after) or _IS.search(before)
        ahead = is_to_come(before, after) or appointed is not None
        index = WEEKDAYS.index(match["weekday"].capitalize())
        shift = (index - day.weekday()) % 7 or 7
        near = _shifted(day, shift if ahead else shift - 7 or -7)
        if near is not None:
            resolved.append(_resolved(match, near))
    return resolved


def _resolved(match: re.Match[str], day: date) -> Resolved:
    point = TimePoint(day.year, day.month, day.day)
    return Resolved(match.start(), match.end(), match[0], TimeScope(point), format_point(point))


def _day(said_at: TimePoint | None) -> date | None:
    if said_at is None or said_at.month is None or said_at.day is None:
        return None
    return date(said_at.year, said_at.month, said_at.day)


def _shifted(day: date, days: int) -> date | None:
    try:
        return day + timedelta(days=days)
    except OverflowError:
        return None
