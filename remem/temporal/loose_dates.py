"""Dates as people write them in chats: without a year ("14 June") or a preposition ("Friday at 7").

For showing when something was, not for measuring: the graph takes `relative_dates` alone, as these
readings are less certain.
"""

import re
from datetime import date, timedelta

from remem.temporal import calendar_spans as spans
from remem.temporal.dates import MONTH_PATTERN, find_dates, format_point, month_number
from remem.temporal.relative_dates import Resolved, is_to_come, resolve_relative
from remem.time_scope import TimePoint, TimeScope

_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_MONTH = rf"(?P<month>{MONTH_PATTERN})"
_YEARLESS = tuple(
    re.compile(rf"(?<![\w/.-]){form}(?!\w)(?!,?\s+\d{{4}})", re.IGNORECASE)
    for form in (rf"{_DAY}\s+(?:of\s+)?{_MONTH}", rf"{_MONTH}\s+{_DAY}")
)
_WEEKDAY = re.compile(
    rf"(?:\bon\s+)?\b(?<!every )(?<!each )(?<!most )(?P<weekday>{'|'.join(spans.WEEKDAYS)})\b"
    r"(?!\s+(?:night|morning|afternoon|evening)s\b)",
    re.IGNORECASE,
)
_NEAR = 200
"""Characters before and after a weekday that say whether it is to come."""
_DAYS_BACK = 60
"""People name the day and month of what is less than two months ago, else of what is to come."""
_ON_A_WEEKDAY = re.compile(rf"on\s+(?:{'|'.join(spans.WEEKDAYS)})", re.IGNORECASE)
_IS = re.compile(
    r"\b(?:is|are|starts?|begins?|comes?|arrives?|leaves?|meets?|until|till)\b[^.!?]*$",
    re.IGNORECASE,
)
_AN_APPOINTMENT = re.compile(r"\s+(?:at|from|around|@)\s*\d|[^.!]*\?")


def resolve_dates(text: str, said: TimePoint | None) -> tuple[Resolved, ...]:
    """Find every date of a text, absolute, relative to the day it was said, or without a year.

    >>> [found.phrase for found in resolve_dates("On 14 June we sail", TimePoint(2023, 5, 8))]
    ['14 June 2023']
    """
    exact = _yearless(text, said)
    found = [
        item
        for item in resolve_relative(text, said)
        if not _ON_A_WEEKDAY.fullmatch(item.expression) and not _is_before(item, exact, text)
    ]
    absolute = (
        Resolved(start, end, text[start:end], TimeScope(point), format_point(point))
        for start, end, point in find_dates(text)
    )
    weekdays = [item for item in _weekdays(text, said) if not _is_before(item, exact, text)]
    for other in (*absolute, *exact, *weekdays):
        if all(other.end <= known.start or other.start >= known.end for known in found):
            found.append(other)
    return tuple(sorted(found, key=lambda resolved: resolved.start))


def _is_before(item: Resolved, exact: list[Resolved], text: str) -> bool:
    """Tell whether a weekday is a part of the date after it: "on Saturday, 14 October"."""
    return any(
        item.end <= date.start and not text[item.end : date.start].strip(" ,\t") for date in exact
    )


def _yearless(text: str, said: TimePoint | None) -> list[Resolved]:
    """Resolve "14 June" to the next one, or to the last one if that is far nearer."""
    day = _day(said)
    if day is None:
        return []
    found = []
    for form in _YEARLESS:
        for match in form.finditer(text):
            near = _nearest(day, month_number(match["month"]), int(match["day"]))
            if near is not None:
                found.append(_resolved(match, near))
    return found


def _weekdays(text: str, said: TimePoint | None) -> list[Resolved]:
    day = _day(said)
    if day is None:
        return []
    found = []
    for match in _WEEKDAY.finditer(text):
        before = text[max(0, match.start() - _NEAR) : match.start()]
        after = text[match.end() : match.end() + _NEAR]
        appointed = _AN_APPOINTMENT.match(after) or _IS.search(before)
        ahead = is_to_come(before, after) or appointed is not None
        index = spans.WEEKDAYS.index(match["weekday"].capitalize())
        shift = (index - day.weekday()) % 7 or 7
        near = _shifted(day, shift if ahead else shift - 7 or -7)
        if near is not None:
            found.append(_resolved(match, near))
    return found


def _resolved(match: re.Match[str], day: date) -> Resolved:
    point = TimePoint(day.year, day.month, day.day)
    return Resolved(match.start(), match.end(), match[0], TimeScope(point), format_point(point))


def _day(said: TimePoint | None) -> date | None:
    if said is None or said.month is None or said.day is None:
        return None
    return date(said.year, said.month, said.day)


def _nearest(day: date, month: int, number: int) -> date | None:
    years = range(day.year - 8, day.year + 9)  # 29 February is missing from up to seven of them
    dates = [found for year in years if (found := _date(year, month, number))]
    past = max((found for found in dates if found <= day), default=None)
    ahead = min((found for found in dates if found > day), default=None)
    return past if past and (day - past).days <= _DAYS_BACK else ahead


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _shifted(day: date, days: int) -> date | None:
    try:
        return day + timedelta(days=days)
    except OverflowError:
        return None
