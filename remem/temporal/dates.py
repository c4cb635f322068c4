"""Absolute dates as data sets and models write them, parsed to a `TimePoint` and formatted.

Only the forms listed in docs/time.md are parsed. An ambiguous or vague date ("03/04/2023",
"mid-2021") is not parsed: "mid-2021" never becomes 1 January 2021. If two dates in a text share one
year ("8 to 10 May 2023"), the result covers both. In dates with dots the day comes first, as in
REALTALK. A weekday next to a date is a part of the date and is not checked: "Tuesday, 3 June 2019"
is 3 June 2019, although that was a Monday.
"""

import calendar
import re
from collections.abc import Mapping, Sequence

from remem.time_scope import TimePoint

MONTHS = tuple(calendar.month_name[1:])
WEEKDAYS = tuple(calendar.day_name)
MONTH_PATTERN = "|".join(
    [*MONTHS, r"Sept\.?", *(rf"{name[:3]}\.?" for name in MONTHS if name != "May")]
)
"""Pattern of a month name, long or short; compile it with re.IGNORECASE."""
WEEKDAY_PATTERN = rf"(?:{'|'.join(WEEKDAYS)}|(?-i:Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun))\b"
"""Pattern of a weekday; compile it with re.IGNORECASE, which leaves out "sat" and "sun"."""

_YEAR = r"[12]\d{3}"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_DAY_OF = rf"{_DAY}\s*(?:of\s+)?"
WEEKDAY_BEFORE = (
    rf"(?:{WEEKDAY_PATTERN}(?:(?<!day)\.)?(?:\s+(?:morning|afternoon|evening|night))?"
    r"(?:(?:,\s*|\s+)(?:the\s+)?|\s+(?P<bracket>\()))?"
)
WEEKDAY_AFTER = (
    rf"(?(bracket)\)?)(?:\s*\((?:(?:on|a|last|this|next)\s+)?{WEEKDAY_PATTERN}\)|"
    rf"(?:,\s*|\s+)(?:a\s+)?{WEEKDAY_PATTERN}"  # unless the next date follows
    rf"(?!\W+(?:the\s+)?(?:{_DAY_OF})?(?:{MONTH_PATTERN})\b|\W+\d+[-./]\d))?"
)
"""Patterns of the weekday before and after a date, if there is one; both must be used together."""

_CLOCK = r"\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:\s?(?:[ap]m\b|[ap]\.m\.))?"
_UTC = r"(?:\s?(?:Z|UTC|GMT|[+-]00:?00)\b)?"
_NO_OTHER_CLOCK = (  # of a time in another zone or a range, only the day is parsed
    r"(?!\s?[+-]\d|\s?(?-i:[A-Z]{1,4}T)\b|\s?[ap]\.?m\b|"
    r"\s(?:in the|at night|midnight|o['\u2019]clock)|\s?(?:to|until|till|[-\u2013\u2014])\s?\d)"
)
_DATES = tuple(
    WEEKDAY_BEFORE + date + WEEKDAY_AFTER
    for date in (
        rf"(?P<year>{_YEAR})[-/](?P<month>\d\d?)[-/](?P<day>\d\d?)",
        rf"(?P<day>\d\d?)\.(?P<month>\d\d?)\.(?P<year>{_YEAR})",
        rf"(?P<day>{_DAY})\s*(?:of\s+)?(?P<name>{MONTH_PATTERN}),?\s*(?P<year>{_YEAR})",
        rf"(?P<name>{MONTH_PATTERN})\s*(?P<day>{_DAY}),?\s+(?P<year>{_YEAR})",
    )
)
_FORMS = (
    *(rf"(?<!to )(?P<clock>{_CLOCK}){_UTC}\s+on\s+{date}" for date in _DATES),
    *(
        rf"{date}(?:(?:T|,?\s+(?:at\s+)?)(?P<clock>{_CLOCK}){_UTC}{_NO_OTHER_CLOCK})?"
        for date in _DATES
    ),
    rf"(?P<name>{MONTH_PATTERN}),?\s+(?P<year>{_YEAR})",
)
_ISO_MONTH = rf"(?P<year>{_YEAR})-(?P<month>\d\d)"

_JOIN = r"\s*(?:[-\u2013\u2014/&]|\b(?:to|and|or|until|till|through)\b)\s*"
_SPANS_IN_TEXT = (  # both dates of "8 to 10 May 2023", "May 8-10, 2023", "May to July 2023"
    rf"{_DAY}{_JOIN}{_DAY_OF}(?P<name>{MONTH_PATTERN}),?\s*(?P<year>{_YEAR})",
    rf"(?P<name>{MONTH_PATTERN})\s*{_DAY}{_JOIN}{_DAY},?\s+(?P<year>{_YEAR})",
    rf"(?:{_DAY_OF})?(?P<first>{MONTH_PATTERN})(?:\s*{_DAY})?{_JOIN}"
    rf"(?:{_DAY_OF})?(?P<last>{MONTH_PATTERN})(?:\s*{_DAY})?,?\s+(?P<year>{_YEAR})",
)
_TWO_YEARS = "|".join(rf"\d\d{year:02}-{year + 1:02}" for year in range(12))
_IN_A_FACT = "|".join(  # as Fact.text writes it
    rf"(?<=\| {before})"
    for before in (
        *("", "said ", "from ", r"from \.\. to ", r"from \d{4} to ", r"from \d{4}-\d\d to "),
        r"from \d{4}-\d\d-\d\d to ",
    )
)
_MONTH_IN_TEXT = rf"(?:(?!(?:{_TWO_YEARS})\b)|{_IN_A_FACT}){_ISO_MONTH}"  # no "2011-12 season"

_YEARS_IN_TEXT = (  # a bare number is a year only after a word such as "in" or "since"
    rf"\b(?:in|since|during|until|till|by|year|from|between)\s+(?P<year>{_YEAR})",
    rf"\b(?:in|during|from|between)\s+{_YEAR}(?:\s?[-\u2013\u2014]\s?|\s+(?:to|and|or|until)\s+|"
    rf",\s+(?={_YEAR}(?:,|\s+(?:and|or)\s)))(?P<year>{_YEAR})",
)
_UNITS = (
    r"(?:kilo|centi|milli)?met(?:er|re)s|miles|k?m|feet|kg|kilos|pounds|dollars|euros|votes|points|"
    r"words|pages|copies|steps|times|years|months|weeks|days|hours|minutes|seconds|calories|degrees"
)
_BEFORE = r"(?<![\w/:-])(?<!\d\.)"
_AFTER = r"(?![\w/-])(?![.:]\d)"
_AFTER_YEAR = (
    r"(?![\w/])(?![.:]\d)(?!-\D)(?!\s?[-\u2013\u2014]\s?\d(?!\d{3}\b))(?!['\u2019]s\b)"
    rf"(?!\s*(?:%|B\.?C|(?:{_UNITS})\b))"
)
_FLAGS = re.IGNORECASE | re.ASCII
_WHOLE = tuple(re.compile(form, _FLAGS) for form in (*_FORMS, _ISO_MONTH, rf"(?P<year>{_YEAR})"))
_IN_TEXT = tuple(
    re.compile(_BEFORE + form + _AFTER, _FLAGS)
    for form in (*_SPANS_IN_TEXT, *_FORMS, _MONTH_IN_TEXT)
)
_EXACT_IN_TEXT = _IN_TEXT[len(_SPANS_IN_TEXT) :]
_YEAR_IN_TEXT = tuple(re.compile(form + _AFTER_YEAR, _FLAGS) for form in _YEARS_IN_TEXT)


def parse_point(text: str) -> TimePoint | None:
    """Parse a text that is one date, and keep its granularity; return None for any other text."""
    for form in _WHOLE:
        match = form.fullmatch(text.strip())
        if match:
            return _point(match)
    return None


def find_dates(text: str) -> tuple[tuple[int, int, TimePoint], ...]:
    """Find the absolute dates in a text, as (start, end, point) in order and without overlaps.

    >>> [str(point) for _, _, point in find_dates("We met on 8 May 2023, and again in 2024.")]
    ['2023-05-08', '2024']
    """
    return _find(text, (*_IN_TEXT, *_YEAR_IN_TEXT))


def find_exact_dates(text: str) -> tuple[tuple[int, int, TimePoint], ...]:
    """Find dates like `find_dates`, but leave out ranges such as "8 to 10 May 2023"."""
    return _find(text, (*_EXACT_IN_TEXT, *_YEAR_IN_TEXT))


def _find(text: str, forms: Sequence[re.Pattern[str]]) -> tuple[tuple[int, int, TimePoint], ...]:
    dates: list[tuple[int, int, TimePoint | None]] = []
    for form in forms:
        for match in form.finditer(text):
            start = match.start("year") if form in _YEAR_IN_TEXT else match.start()
            if all(match.end() <= other[0] or start >= other[1] for other in dates):
                dates.append((start, match.end(), _point(match)))
    dates.sort(key=lambda item: item[0])
    return tuple((start, end, point) for start, end, point in dates if point is not None)


def format_point(point: TimePoint) -> str:
    """Return a point in plain English.

    >>> format_point(TimePoint(2023, 5, 8, 13 * 60 + 56))
    '8 May 2023, 1:56 pm'
    """
    if point.month is None:
        return str(point.year)
    text = f"{MONTHS[point.month - 1]} {point.year}"
    if point.day is None:
        return text
    text = f"{point.day} {text}"
    if point.minute is None:
        return text
    hour, minute = divmod(point.minute, 60)
    return f"{text}, {hour % 12 or 12}:{minute:02d} {'am' if hour < 12 else 'pm'}"


def month_number(name: str) -> int:
    """Return the number of a month from its long or short English name."""
    return next(n for n, month in enumerate(MONTHS, 1) if month[:3] == name[:3].capitalize())


def _point(match: re.Match[str]) -> TimePoint | None:
    """Return the matched point, or None if no such date or time exists."""
    parts = match.groupdict()
    month = month_number(parts["name"]) if parts.get("name") else _number(parts.get("month"))
    day = _number(parts.get("day"))
    if 0 in (month, day) or _turns_the_year(parts):
        return None
    try:
        minute = _minute_of_day(parts["clock"]) if parts.get("clock") else None
        return TimePoint(int(parts["year"]), month, day, minute)
    except ValueError:  # such as 30 February or 13:56 pm
        return None


def _turns_the_year(parts: Mapping[str, str | None]) -> bool:
    """Return whether the last month precedes the first, so that the range spans two years."""
    first, last = parts.get("first"), parts.get("last")
    return bool(first and last and month_number(first) > month_number(last))


def _number(digits: str | None) -> int | None:
    return int(re.sub(r"\D", "", digits)) if digits else None


def _minute_of_day(clock: str) -> int:
    half = re.search(r"([ap])\.?m", clock, re.IGNORECASE)
    hour, minute = (int(part) for part in re.findall(r"\d+", clock)[:2])
    if minute > 59 or not (1 <= hour <= 12 if half else hour <= 23):
        raise ValueError(f"not a time of day: {clock!r}")
    if half:
        hour = hour % 12 + (12 if half[1].lower() == "p" else 0)
    return hour * 60 + minute
