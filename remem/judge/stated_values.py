"""Detect answers that state another date or number than the gold."""

import re

from remem.temporal.calendar_spans import ONES
from remem.temporal.dates import find_dates, parse_point
from remem.time_scope import TimePoint

MINUTES_PER_DAY = 24 * 60
WEEK = 7

_WORDS = {"once": 1, "twice": 2} | {word: value for value, word in enumerate(ONES, 1)}
_NUMBER = rf"(?P<digits>\d[\d,]*(?:\.\d+)?)|\b(?P<word>{'|'.join(reversed(_WORDS))})\b"
_ANY_NUMBER = re.compile(rf"(?<![\w.])(?:{_NUMBER})", re.IGNORECASE)
_ONLY_NUMBER = re.compile(
    rf"\W*(?:(?:about|around|over|almost|nearly)\s+)?(?:{_NUMBER})(?!\w)(?:\s+[^\W\d]+){{0,3}}\W*",
    re.IGNORECASE,
)
_FIRST_CLAUSE = re.compile(r"[;(]|\.(?!\d)")
_LIST_MARK = re.compile(r"^\s*\d+[.)]\s", re.MULTILINE)
_SHIFT = re.compile(
    r"(?P<two>\b(?:two|2)\b[^.]*)?\b(?:(?P<before>before)|(?P<after>after)|week(?:end)?\s+of)\s*$",
    re.IGNORECASE,
)


def contradicts(gold: str, answer: str) -> bool:
    """Return whether the gold is a date or a number and the answer states another date or number.

    Dates contradict if no date of the answer overlaps that of the gold. Phrases such as "the week
    before 9 June" cover all days that they may mean. A number only contradicts if it is the only
    number in the answer; any of several could be the answer.

    >>> contradicts("7 May 2023", "It was in June 2023."), contradicts("7 May 2023", "May 2023")
    (True, False)
    >>> contradicts("3", "You have two."), contradicts("3", "You have two cats and a dog, 3 pets.")
    (True, False)
    """
    spans = _day_spans(gold)
    if spans:
        first, last = spans[0]
        answered = _day_spans(answer)
        met = any(begin <= last and first <= end for begin, end in answered)
        return bool(answered) and not met
    value = _only_number(gold)
    stated = _numbers(answer)
    return value is not None and len(stated) == 1 and value not in stated


def _day_spans(text: str) -> list[tuple[int, int]]:
    """Return the first and last day of each date, as LoCoMo words them ("the week before ...")."""
    whole = parse_point(text)  # which also reads a bare year
    spans = [] if whole is None else [_days(whole)]
    for start, _, point in find_dates(text):
        first, last = _days(point)
        shift = _SHIFT.search(text[:start]) if point.day is not None else None
        if shift is None:
            spans.append((first, last))
        elif shift["before"]:
            spans.append((first - (2 * WEEK if shift["two"] else WEEK + 1), last - 1))
        elif shift["after"]:
            spans.append((first + 1, last + WEEK + 1))
        else:
            spans.append((first - WEEK + 1, last + WEEK - 1))
    return spans


def _days(point: TimePoint) -> tuple[int, int]:
    return point.first_minute // MINUTES_PER_DAY, point.last_minute // MINUTES_PER_DAY


def _only_number(gold: str) -> float | None:
    """Return the number that a gold is, with a unit of up to three words; None for other golds."""
    found = _ONLY_NUMBER.fullmatch(_FIRST_CLAUSE.split(gold.strip(), maxsplit=1)[0])
    return None if found is None else _value(found)


def _numbers(answer: str) -> set[float]:
    """Return the numbers of an answer that count neither days nor the items of a list."""
    text = _LIST_MARK.sub(" ", answer)
    for start, end, _ in reversed(find_dates(text)):
        text = f"{text[:start]} {text[end:]}"
    return {_value(found) for found in _ANY_NUMBER.finditer(text)}


def _value(found: re.Match[str]) -> float:
    digits = found["digits"]
    return float(digits.replace(",", "")) if digits else float(_WORDS[found["word"].lower()])
