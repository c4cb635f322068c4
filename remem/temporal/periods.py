"""Periods as models write them in the time of a fact, parsed to a `TimeScope`.

Only a text that is one period is parsed, never running text: "summer 2023", "early 2021", "the
1990s", "Q2 2023", "first week of June 2023", "before 27 June 2023", "2019-2021". The meanings are
those of EDTF (ISO 8601-2) where it has one; docs/time.md lists all choices, such as the hemisphere.
"""

import re
from calendar import monthrange
from collections.abc import Callable
from datetime import date

from remem.temporal import scopes as spans
from remem.temporal.dates import MONTH_PATTERN, WEEKDAYS, month_number, parse_point
from remem.time_scope import MINUTES_PER_DAY, TimePoint, TimeScope

OPEN_ENDS = frozenset({"present", "now", "today", "ongoing"})
"""Words that models write as the end of something that still holds."""

Ends = tuple[TimePoint, TimePoint]

_LONGEST = 100
"""Longer texts are not parsed, which bounds the time that a hostile text takes."""
_WINTER = 12
_SEASONS = {**spans.SEASON_STARTS, "winter": _WINTER}
_THIRDS = {"early": 0, "start": 0, "beginning": 0, "mid": 1, "middle": 1, "late": 2, "end": 2}
_SIDES = {"before": -1, "of": 0, "after": 1}
_COUNTED = {"first": 1, "second": 2, "third": 3, "fourth": 4}
_MONTHS_OF = {"q": 3, "quarter": 3, "h": 6, "half": 6}
_HOLIDAYS = {
    "christmas": (12, 25),
    "christmas day": (12, 25),
    "christmas eve": (12, 24),
    "halloween": (10, 31),
    "new year's day": (1, 1),
    "new year's eve": (12, 31),
    "valentine's day": (2, 14),
}

_PLAIN = str.maketrans({"\u2010": "-", "\u2011": "-", "\u2019": "'"})
_DASH = r"[-\u2013\u2014/]"
_YEAR = r"(?P<year>[12]\d{3})"
_OF_YEAR = rf"(?: of |, | ){_YEAR}"
_OF_MONTH = rf"(?P<name>{MONTH_PATTERN}){_OF_YEAR}"
_PART = r"(?P<part>early|mid|late|(?:start|beginning|middle|end) of)(?:-| in | )(?:the )?(?:year )?"
_COUNT = rf"(?P<count>{'|'.join(_COUNTED)}|last|1st|2nd|3rd|4th)"
_FLAGS = re.IGNORECASE | re.ASCII

_LEAD = re.compile(
    r"(?:(?:sometime )?(?:in|on|at|during) )?"
    r"(?:(?:around|about|circa|approximately|roughly|ca?\.?) |ca?\.|~ ?)?(?:the )?(?:year )?",
    _FLAGS,
)
"""Words before a period that do not change it; EDTF's "~" marks a date and keeps its value too."""
_BOUNDED = re.compile(
    r"(?P<bound>before|prior to|until|till|up to|by|after|since|from) (?P<period>.+)", _FLAGS
)
_SPANS = tuple(
    re.compile(form, _FLAGS)
    for form in (
        r"(?P<first>[12]\d{3}(?:-\d\d){0,2}|\.\.)/(?P<last>[12]\d{3}(?:-\d\d){0,2}|\.\.)",
        rf"(?P<first>[12]\d{{3}}){_DASH}(?P<last>[12]\d{{3}})",
        r"(?:sometime )?between (?P<first>.+) and (?P<last>.+)",
        rf"(?:from )?(?P<first>.+) (?:to|until|till|through|{_DASH}) (?P<last>.+)",
        rf"(?P<first>.+\d){_DASH}(?P<last>[a-z].+)",
    )
)


def parse_period(text: str) -> TimeScope | None:
    """Parse a text that is one date, period or span; return None for any other text.

    >>> str(parse_period("winter 2022/23")), str(parse_period("before 2021"))
    ('2022-12/2023-02', '../2020-12-31')
    """
    if point := parse_point(text):
        return TimeScope(point)
    text = " ".join(text.split()).translate(_PLAIN)
    if len(text) > _LONGEST:
        return None
    if ends := _period(text):
        return _scope(*ends)
    return _span(text) or _bounded(text)


def _scope(first: TimePoint, last: TimePoint) -> TimeScope | None:
    """Return the scope between two ends, or None if the last one is before the first."""
    if first.first_minute > last.last_minute:
        return None
    return TimeScope(first) if first == last else TimeScope(start_time=first, end_time=last)


def _span(text: str) -> TimeScope | None:
    """Parse "A to B", from the start of A to the end of B."""
    for form in _SPANS:
        if match := form.fullmatch(text):
            first, last = _period(match["first"]), _period(match["last"])
            if first and last:
                return _scope(first[0], last[1])
            if first and match["last"].lower() in {"..", *OPEN_ENDS}:
                return TimeScope(start_time=first[0])
            if last and match["first"] == "..":
                return TimeScope(end_time=last[1])
    return None


def _bounded(text: str) -> TimeScope | None:
    """Parse "before A" and the like; before and after exclude A, the others include it."""
    match = _BOUNDED.fullmatch(text)
    ends = _period(match["period"]) if match else None
    if match is None or ends is None:
        return None
    match match["bound"].lower():
        case "before" | "prior to":
            return TimeScope(end_time=_day_at(ends[0].first_minute - 1))
        case "after":
            return TimeScope(start_time=_day_at(ends[1].last_minute + 1))
        case "since" | "from":
            return TimeScope(start_time=ends[0])
    return TimeScope(end_time=ends[1])


def _period(text: str) -> Ends | None:
    lead = _LEAD.match(text)
    text = text[lead.end() :] if lead else text
    if point := parse_point(text):
        return point, point
    for form, meaning in _FORMS:
        if match := form.fullmatch(text):
            return meaning(match)
    return None


def _season(match: re.Match[str]) -> Ends | None:
    """Return the months of a season; winter begins in December of the year that is named first."""
    first, year = _SEASONS[match["season"].lower()], int(match["year"])
    second = str(year + 1)
    if match["next"] and (first != _WINTER or match["next"] not in {second, second[2:]}):
        return None
    return _months(year, first, 3, match["part"])


def _part_of_year(match: re.Match[str]) -> Ends:
    return _months(int(match["year"]), 1, 12, match["part"])


def _counted_part_of_year(match: re.Match[str]) -> Ends | None:
    size = _MONTHS_OF[match["unit"].lower()]
    last = 12 // size
    count = _count(match["count"], last)
    return _months(int(match["year"]), size * (count - 1) + 1, size) if count <= last else None


def _part_of_month(match: re.Match[str]) -> Ends:
    if not match["part"]:
        return _months(int(match["year"]), month_number(match["name"]), 1)
    third = _third(match["part"])
    last = 10 * third + 10 if third < 2 else _last_day(match)
    return _days(match, 10 * third + 1, last)


def _week_of_month(match: re.Match[str]) -> Ends:
    """Return the days 1 to 7, 8 to 14, 15 to 21 or 22 to 28, or the last seven days."""
    if match["count"].lower() == "last":
        return _days(match, _last_day(match) - 6, _last_day(match))
    last = 7 * _count(match["count"], 4)
    return _days(match, last - 6, last)


def _decade(match: re.Match[str]) -> Ends:
    """Return the ten years of a decade, or 3, 4 or 3 of them."""
    year = int(match["decade"])
    first, last = ((0, 2), (3, 6), (7, 9))[_third(match["part"])] if match["part"] else (0, 9)
    return TimePoint(year + first), TimePoint(year + last)


def _holiday(match: re.Match[str]) -> Ends:
    day = TimePoint(int(match["year"]), *_HOLIDAYS[match["holiday"].lower()])
    return day, day


def _beside_day(match: re.Match[str]) -> Ends | None:
    """Return the week, weekend or weekday beside a day, worded as in `calendar_spans`."""
    point = parse_point(match["day"])
    if point is None or point.day is None:
        return None
    day, shift = _date_at(point.first_minute), _SIDES[match["side"].lower()]
    unit = match["unit"].capitalize()
    if unit == "Week":
        scope, _ = spans.in_week(day, shift)
    elif unit == "Weekend":
        scope, _ = spans.on_weekend(day, shift)
    else:
        scope, _ = spans.on_weekday(day, WEEKDAYS.index(unit), shift)
    return (scope.start, scope.end) if scope.start and scope.end else None


def _months(year: int, first: int, count: int, part: str | None = None) -> Ends:
    """Return `count` months from the month `first` of a year, or a third of them."""
    if part:
        count //= 3
        first += count * _third(part)
    return _month(year, first), _month(year, first + count - 1)


def _month(year: int, number: int) -> TimePoint:
    """Return a month; number 13 is January of the next year."""
    return TimePoint(year + (number - 1) // 12, (number - 1) % 12 + 1)


def _days(match: re.Match[str], first: int, last: int) -> Ends:
    year, month = int(match["year"]), month_number(match["name"])
    return TimePoint(year, month, first), TimePoint(year, month, last)


def _last_day(match: re.Match[str]) -> int:
    return monthrange(int(match["year"]), month_number(match["name"]))[1]


def _date_at(minute: int) -> date:
    return date.fromordinal(minute // MINUTES_PER_DAY)


def _day_at(minute: int) -> TimePoint:
    day = _date_at(minute)
    return TimePoint(day.year, day.month, day.day)


def _third(part: str) -> int:
    return _THIRDS[part.split(maxsplit=1)[0].lower()]


def _count(word: str, last: int) -> int:
    return last if word.lower() == "last" else _COUNTED.get(word.lower()) or int(word[0])


_FORMS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Ends | None]], ...] = tuple(
    (re.compile(form, _FLAGS), meaning)
    for form, meaning in (
        (
            rf"(?:{_PART})?(?P<season>{'|'.join(_SEASONS)}){_OF_YEAR}"
            rf"(?:{_DASH}(?P<next>\d\d|\d{{4}}))?",
            _season,
        ),
        (rf"{_PART}{_YEAR}", _part_of_year),
        (rf"(?:{_PART})?{_OF_MONTH}", _part_of_month),
        (rf"(?:{_PART})?(?P<decade>[12]\d[1-9]0|2000)'?s", _decade),
        (rf"(?P<unit>[QH])(?P<count>[1-4]){_OF_YEAR}", _counted_part_of_year),
        (rf"{_YEAR}[ -]?(?P<unit>[QH])(?P<count>[1-4])", _counted_part_of_year),
        (rf"{_COUNT} (?P<unit>quarter|half){_OF_YEAR}", _counted_part_of_year),
        (rf"{_COUNT} week (?:of|in) {_OF_MONTH}", _week_of_month),
        (
            rf"(?P<unit>week|weekend|{'|'.join(WEEKDAYS)}) (?P<side>before|of|after) (?P<day>.+)",
            _beside_day,
        ),
        (rf"(?P<holiday>{'|'.join(_HOLIDAYS)}){_OF_YEAR}", _holiday),
    )
)
