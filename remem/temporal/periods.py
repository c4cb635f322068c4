"""Parse the time of a fact as a model writes it: one date, period or span without other text.

The forms are those of `times_in_text`, and a few that only occur without other text: "2019",
"2019/2021", "2021 to present", "around 2019". A form that EDTF (ISO 8601-2) defines has its EDTF
meaning. docs/time.md lists all choices, such as the hemisphere of the seasons.
"""

import re

from remem.temporal import spans
from remem.temporal.dates import parse_point
from remem.temporal.spans import Span
from remem.temporal.times_in_text import whole_time
from remem.time_scope import TimePoint, TimeScope

OPEN_ENDS = frozenset({"present", "now", "today", "ongoing"})
"""Words that models write as the end of something that still holds."""

_LONGEST = 100
"""Longer texts are not parsed, which bounds the time that a hostile text takes."""
_PLAIN = str.maketrans({"\u2010": "-", "\u2011": "-", "\u2019": "'"})
_DASH = r"[-\u2013\u2014/]"
_FLAGS = re.IGNORECASE | re.ASCII
_LEAD = re.compile(
    r"(?:(?:sometime )?(?:in|on|at|during) )?"
    r"(?:(?:around|about|circa|approximately|roughly|ca?\.?) |ca?\.|~ ?)?",
    _FLAGS,
)
"""Words before a period that do not change it; EDTF's "~" marks a date and keeps its value too."""
_BOUNDED = re.compile(
    r"(?P<bound>before|prior to|until|till|up to|by|after|since|from) (?P<period>.+)", _FLAGS
)
_BOUNDS = {"prior to": "before", "till": "until", "up to": "until", "by": "until"}
_ENDS = tuple(
    re.compile(form, _FLAGS)
    for form in (
        r"(?P<first>[12]\d{3}(?:-\d\d){0,2}|\.\.)/(?P<last>[12]\d{3}(?:-\d\d){0,2}|\.\.)",
        rf"(?P<first>[12]\d{{3}}){_DASH}(?P<last>[12]\d{{3}})",
        rf"(?:from )?(?P<first>.+)(?: to | until | till | through |{_DASH})(?P<last>[a-z]+|\.\.)",
        r"(?:sometime )?between (?P<first>.+) and (?P<last>.+)",
        rf"(?:from )?(?P<first>.+) (?:to|until|till|through|{_DASH}) (?P<last>.+)",
        rf"(?P<first>.+\d){_DASH}(?P<last>[a-z].+)",
    )
)


def parse_period(text: str, said_at: TimePoint | None = None) -> TimeScope | None:
    """Parse a text that is one date, period or span; return None for any other text.

    >>> str(parse_period("winter 2022/23")), str(parse_period("before 2021"))
    ('2022-12/2023-02', '../2020-12-31')
    """
    if point := parse_point(text):
        return TimeScope(point)
    text = " ".join(text.split()).translate(_PLAIN)
    if len(text) > _LONGEST:
        return None
    try:
        deadline = _bounded(text, said_at) if text[:3].lower() == "by " else None
        span = deadline or _period(text, said_at) or _bounded(text, said_at)
        span = span or _between(text, said_at)
        return span.scope if span else None
    except ValueError:  # the end is before the start
        return None


def _period(text: str, said_at: TimePoint | None) -> Span | None:
    lead = _LEAD.match(text)
    text = text[lead.end() :] if lead else text
    point = parse_point(text)
    return spans.at(point) if point else whole_time(text, said_at)


def _bounded(text: str, said_at: TimePoint | None) -> Span | None:
    """Parse "before A", "since A" and the like; only "before" and "after" exclude A."""
    match = _BOUNDED.fullmatch(text)
    span = _period(match["period"], said_at) if match else None
    if match is None or span is None:
        return None
    bound = match["bound"].lower()
    return spans.bounded(_BOUNDS.get(bound, bound), span)


def _between(text: str, said_at: TimePoint | None) -> Span | None:
    """Parse "A to B", from the start of A to the end of B."""
    for form in _ENDS:
        if match := form.fullmatch(text):
            first, last = (_period(match[end], said_at) for end in ("first", "last"))
            if first and last:
                return spans.between(first, last)
            if first and match["last"].lower() in {"..", *OPEN_ENDS}:
                return spans.bounded("from", first)
            if last and match["first"] == "..":
                return spans.bounded("until", last)
    return None
