"""Code shared by LoCoMo and REALTALK: sessions under `session_<n>` keys, and their dates."""

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Literal, get_args

from remem.benchmarks.json_files import field
from remem.time_scope import TimePoint

# Match whole keys, because there are also session_1_date_time, session_1_summary and others.
SESSION_KEY = re.compile(r"session_([0-9]{1,9})")


def numbered_sessions(chat: Mapping[str, Any], where: str) -> Iterator[tuple[str, list[Any]]]:
    """Yield the key and the raw messages of each session, in order of session number.

    Keys of dates are ignored, because some dates in the file have no session.
    """
    keys = [match for key in chat if (match := SESSION_KEY.fullmatch(key))]
    for match in sorted(keys, key=lambda match: int(match[1])):
        yield match[0], field(chat, match[0], list, where)


def parse_time(text: str, layout: str, where: str) -> TimePoint:
    """Parse a date, to the minute; raise ValueError if it does not fit the `strptime` layout."""
    try:
        return TimePoint.from_datetime(datetime.strptime(text, layout))
    except ValueError as error:
        raise ValueError(f"{where} is dated {text!r}, expected the form {layout!r}") from error


GapRule = Literal["released", "counted"]
"""How "several months" is read: as no time at all, which the released code does, or as three."""

_UNITS = {"week": 7, "month": 30, "year": 365}
_WORDS = "one two three four five six seven eight nine ten eleven twelve"
_NUMBERS = {word: count for count, word in enumerate(_WORDS.split(), start=1)}
_RELEASED = _NUMBERS | {"a": 1, "an": 1}
_COUNTED = _RELEASED | {"a couple of": 2, "a few": 3, "several": 3}
MOST_DIGITS = 4


def gap_days(text: str, rule: GapRule) -> int:
    """Return a time gap in days; 0 if the text gives no number of weeks, months or years.

    Words such as "several" count as numbers only with the rule "counted".

    >>> gap_days("about six weeks later", "released"), gap_days("a year after", "released")
    (42, 365)
    >>> gap_days("several months later", "released"), gap_days("several months later", "counted")
    (0, 90)
    """
    words = _RELEASED if rule == "released" else _COUNTED
    counts = "|".join(sorted(words, key=len, reverse=True))
    match = re.search(
        rf"\b(?:([0-9]{{1,{MOST_DIGITS}}})|({counts}))\b\s*({'|'.join(_UNITS)})s?\b", text.lower()
    )
    if match is None:
        return 0
    return (int(match[1]) if match[1] else words[match[2]]) * _UNITS[match[3]]


def checked_gap_rule(name: str) -> GapRule:
    """Return `name` unchanged if a rule for time gaps has this name.

    Raises:
        ValueError: No rule has this name.
    """
    known: tuple[GapRule, ...] = get_args(GapRule)
    for rule in known:
        if rule == name:
            return rule
    raise ValueError(f"gap_rule is {name!r}, expected {' or '.join(map(repr, known))}")
