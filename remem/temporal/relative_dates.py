"""Find relative time expressions in a message and resolve them against its date.

Vague expressions ("a few days ago", "recently", "the other day") stay unresolved. A weekday next to
a date is a part of the date, even if the date was another weekday: "on Monday, 3 June 2019" has no
relative expression, and "on Monday, 3 June" is the nearest 3 June.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta

from remem.temporal import scopes as spans
from remem.temporal.dates import (
    MONTH_PATTERN,
    WEEKDAY_AFTER,
    WEEKDAY_BEFORE,
    WEEKDAY_PATTERN,
    WEEKDAYS,
    find_dates,
    month_number,
)
from remem.time_scope import TimePoint, TimeScope


@dataclass(frozen=True, slots=True)
class Resolved:
    """A relative expression at text[start:end], its time scope and its absolute wording."""

    start: int
    end: int
    expression: str
    scope: TimeScope
    phrase: str


_DAYS = {
    "yesterday": -1,
    "last night": -1,
    "the day before yesterday": -2,
    "tomorrow": 1,
    "the day after tomorrow": 2,
}
_TURNS = {"last": -1, "this past": -1, "this": 0, "next": 1}
_TENS = {
    name: 10 * tens
    for tens, name in enumerate(
        ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"), start=2
    )
}

_TURN = r"(?<!the )(?<!my )\b(?P<turn>last|this past|this|next)\s+"
_COUNT = (
    r"(?<![\w.,-])(?<!half )(?<!or )(?<!to )"
    r"(?P<count>\d{1,3}|(?:a\s+)?couple(?:\s+of)?|an?|"
    rf"(?:(?:{'|'.join(_TENS)})[ -])?(?:{'|'.join(reversed(spans.ONES))})|{'|'.join(_TENS)})\s+"
)
_WEEKDAY = rf"(?P<weekday>{WEEKDAY_PATTERN})(?!\s+(?:night|morning|afternoon|evening)s\b)"
_MONTH = rf"(?P<month>{MONTH_PATTERN})(?!\w)(?!,?\s+\d)"
_NO_YEAR = r"(?!\w)(?!,?\s+\d{4})"
YEARLESS_DATES = tuple(
    WEEKDAY_BEFORE + date + _NO_YEAR + WEEKDAY_AFTER
    for date in (
        rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<month>{MONTH_PATTERN})",
        rf"(?P<month>{MONTH_PATTERN})\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?",
    )
)
"""Patterns of a day and a month without a year; compile them with re.IGNORECASE."""
_SENTENCE_END = r"[.!?\n]"
_TO_COME = re.compile(
    r"\b(?:will|won['\u2019]t|might|maybe|should|gonna|plan(?:s|ning)?|upcoming|can['\u2019]t wait|"
    r"looking forward)\b|['\u2019]ll\b|(?:\bam|\bare|['\u2019]m|['\u2019]re)\s+\w+ing\b",
    re.IGNORECASE,
)


def resolve_relative(text: str, said_at: TimePoint | None) -> tuple[Resolved, ...]:
    """Resolve the relative expressions of a message sent at `said_at`, in the order of the text.

    Nothing is resolved when the day on which it was said is not known.

    >>> [found.phrase for found in resolve_relative("I ran last Friday", TimePoint(2023, 7, 15))]
    ['the Friday before 15 July 2023']
    """
    if said_at is None or said_at.month is None or said_at.day is None:
        return ()
    day = date(said_at.year, said_at.month, said_at.day)
    references: list[Resolved] = []
    for pattern, meaning in _RULES:
        for match in pattern.finditer(text):
            if any(match.start() < other.end and other.start < match.end() for other in references):
                continue
            try:
                scope, phrase = meaning(match, day)
            except (ValueError, OverflowError):  # no such day in the calendar
                continue
            references.append(Resolved(match.start(), match.end(), match[0], scope, phrase))
    dates = find_dates(text) if references else ()  # with their weekdays
    apart = [
        resolved
        for resolved in references
        if all(resolved.end <= start or resolved.start >= end for start, end, _ in dates)
    ]
    return tuple(sorted(apart, key=lambda resolved: resolved.start))


def _named_day(match: re.Match[str], day: date) -> spans.Span:
    return spans.on_day(day + timedelta(days=_DAYS.get(_words(match["day"]), 0)))


def _counted(match: re.Match[str], day: date) -> spans.Span:
    """Return the span "N units ago", or "in N units" if the expression does not end in "ago"."""
    unit = match["unit"].lower()
    shift = _number(match["count"]) * (-1 if match[0].lower().endswith("ago") else 1)
    if unit == "day":
        return spans.on_day(day + timedelta(days=shift))
    return _shifted(unit, day, shift)


def _turned(match: re.Match[str], day: date) -> spans.Span:
    return _shifted(match["unit"].lower(), day, _turn(match))


def _shifted(unit: str, day: date, shift: int) -> spans.Span:
    if unit == "week":
        return spans.in_week(day, shift)
    if unit == "weekend":
        return spans.on_weekend(day, shift)
    return spans.in_month(day, shift) if unit == "month" else spans.in_year(day.year + shift)


def _weekday_with_date(match: re.Match[str], day: date) -> spans.Span:
    return spans.on_nearest_date(day, month_number(match["month"]), int(match["day"]))


def _turned_weekday(match: re.Match[str], day: date) -> spans.Span:
    return spans.on_weekday(day, _weekday_index(match), _turn(match))


def _bare_weekday(match: re.Match[str], day: date) -> spans.Span:
    return spans.on_weekday(day, _weekday_index(match), 1 if _is_to_come(match) else -1)


def _turned_month(match: re.Match[str], day: date) -> spans.Span:
    turn, ahead = _turn(match), month_number(match["month"]) - day.month
    wraps = (turn < 0 <= ahead) or (turn > 0 >= ahead)
    return spans.in_month(day, ahead + 12 * turn * wraps)


def _bare_month(match: re.Match[str], day: date) -> spans.Span:
    ahead = month_number(match["month"]) - day.month
    return spans.in_month(day, ahead % 12 if _is_to_come(match) else -(-ahead % 12))


def _last_season(match: re.Match[str], day: date) -> spans.Span:
    return spans.in_last_season(day, match["season"].lower())


def _words(expression: str) -> str:
    return " ".join(expression.lower().split())


def _turn(match: re.Match[str]) -> int:
    return _TURNS[_words(match["turn"])]


def _number(expression: str) -> int:
    if expression.isdigit():
        return int(expression)
    words = re.split(r"[\s-]+", expression.lower())
    if "couple" in words:
        return 2
    ones = {word: value for value, word in enumerate(spans.ONES, 1)} | {"a": 1, "an": 1}
    return sum(_TENS.get(word) or ones[word] for word in words)


def _weekday_index(match: re.Match[str]) -> int:
    short = match["weekday"][:3].capitalize()
    return next(i for i, name in enumerate(WEEKDAYS) if name.startswith(short))


def _is_to_come(match: re.Match[str]) -> bool:
    return is_to_come(match.string[: match.start()], match.string[match.end() :])


def is_to_come(before: str, after: str) -> bool:
    """Return True if the sentence around an expression speaks about the future.

    Args:
        before: The text before the expression.
        after: The text after it.
    """
    sentence = f"{re.split(_SENTENCE_END, before)[-1]} {re.split(_SENTENCE_END, after)[0]}"
    return _TO_COME.search(sentence) is not None


def _pattern(expression: str) -> re.Pattern[str]:
    return re.compile(expression, re.IGNORECASE | re.ASCII)


_RULES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], date], spans.Span]], ...] = (
    (
        _pattern(
            r"\b(?P<day>the\s+day\s+before\s+yesterday|the\s+day\s+after\s+tomorrow|last\s+night|"
            r"this\s+(?:morning|afternoon|evening)|today|tonight|yesterday|tomorrow)\b"
        ),
        _named_day,
    ),
    (_pattern(_COUNT + r"(?P<unit>day|weekend|week|month|year)s?\s+ago\b"), _counted),
    (_pattern(_COUNT + r"(?P<unit>day|week|month|year)s?\s+from\s+(?:now|today)\b"), _counted),
    (
        _pattern(
            rf"(?<!time )\bin\s+(?!an?\s+(?!couple)){_COUNT}(?P<unit>day|week|month|year)s?\b"
        ),
        _counted,
    ),
    (_pattern(_TURN + r"(?P<unit>weekend|week|month|year)\b(?!\s+of\b)"), _turned),
    *(
        (_pattern(rf"(?:{_TURN}|\bon\s+)(?={WEEKDAY_PATTERN}){date}"), _weekday_with_date)
        for date in YEARLESS_DATES
    ),
    (_pattern(_TURN + _WEEKDAY), _turned_weekday),
    (_pattern(r"\bon\s+" + _WEEKDAY), _bare_weekday),
    (_pattern(_TURN + _MONTH), _turned_month),
    (_pattern(r"\b(?:back\s+)?in\s+" + _MONTH), _bare_month),
    (_pattern(r"(?<!the )\blast\s+(?P<season>spring|summer|fall|autumn)\b"), _last_season),
)
