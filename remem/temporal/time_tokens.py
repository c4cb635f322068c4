"""The tokens of a text, and the numbers, units and years among them."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from remem.temporal import spans
from remem.temporal.dates import find_exact_dates
from remem.temporal.spans import Span
from remem.temporal.time_words import CORES, NUMBERS, TENS, TURNS, UNITS
from remem.time_scope import TimePoint

APOSTROPHES = frozenset({"'", "\u2019", "\u2018"})
LONG, SHORT = 4, 2
"""Digits of a year that is written out, and of one such as '94."""
_TOKEN = re.compile(r"['\u2019]s\b|\d+|[^\W\d_]+|[^\w\s]")
_ANY_DAY = date(2000, 1, 3)
_CENTURY, _YEARS_AHEAD, _TEN = 100, 10, 10
_LONGEST_LEAD = 6
"""Words of a time up to the first that only a time has: "in the first couple of days"."""


@dataclass(frozen=True, slots=True)
class Token:
    """A word, number or mark at text[start:end], or a full date, for which `point` is set.

    `word` is in lower case, and empty for a full date.
    """

    word: str
    start: int
    end: int
    point: TimePoint | None = None


class Tokens:
    """The tokens of a text that was said on `day`; `day` is None if it is not known."""

    def __init__(self, text: str, day: date | None) -> None:
        self.text = text
        self.tokens = tuple(_tokens(text))
        self.needs_day = False
        self._day = day
        self._words = {place: token.word for place, token in enumerate(self.tokens)}
        self._cores = [place for place, token in enumerate(self.tokens) if _is_core(token)]

    @property
    def knows_day(self) -> bool:
        """Return whether the day when the text was said is known."""
        return self._day is not None

    @property
    def today(self) -> date:
        """Set `needs_day`; return the day when the text was said, or a default day if unknown."""
        self.needs_day = True
        return self._day or _ANY_DAY

    def has_core(self, at: int) -> bool:
        """Return whether a date, number or time word is at the token or soon after it."""
        place = bisect_left(self._cores, at)
        return place < len(self._cores) and self._cores[place] < at + _LONGEST_LEAD

    def word(self, at: int) -> str:
        """Return the word of a token in lower case; "" outside of the text and for a full date."""
        return self._words.get(at, "")

    def words(self, at: int, count: int) -> list[str]:
        """Return the words of `count` tokens, each as `word` returns it."""
        return [self.word(place) for place in range(at, at + count)]

    def skip(self, at: int, *words: str) -> int:
        """Return `at + 1` if the token at `at` is one of these words, else `at`."""
        return at + (self.word(at) in words)

    def has_capital(self, at: int) -> bool:
        """Return whether a token begins with a capital letter."""
        return self.text[self.tokens[at].start].isupper()

    def joined(self, at: int, marks: str = "") -> bool:
        """Return whether the next token follows without a space.

        If `marks` is not empty, the next token must also be one of them.
        """
        if not 0 <= at < len(self.tokens) - 1:
            return False
        is_joined = self.tokens[at].end == self.tokens[at + 1].start
        return is_joined and (not marks or self.word(at + 1) in marks)

    def count(self, at: int) -> tuple[int, int] | None:
        """Return the number before a unit, as in "two weeks", and the next token's index."""
        word, before = self.word(at), self.word(at - 1)
        if before in {"half", "or"} or (before in {"-", ".", ","} and self.joined(at - 1)):
            return None
        if word.isdecimal():
            return (int(word), at + 1) if len(word) < LONG and not self.joined(at) else None
        if word in {"a", "an"} and self.word(at + 1) in {"couple", "dozen"}:
            return self.count(at + 1)
        if word in {"a", "an"}:
            return (1, at + 1) if self.word(at + 1) in {*UNITS, "fortnight"} else None
        if word == "couple":
            return 2, self.skip(at + 1, "of")
        ones = self.skip(at + 1, "-")
        if word in TENS and NUMBERS.get(self.word(ones), _TEN) < _TEN:
            return TENS[word] + NUMBERS[self.word(ones)], ones + 1
        return (NUMBERS[word], at + 1) if word in NUMBERS else None

    def shifted(self, unit: str, shift: int) -> Span:
        """Return the day, week, weekend, month, quarter or year `shift` units from today."""
        day = self.today
        match unit:
            case "day":
                return spans.on_day(day + timedelta(days=shift))
            case "week":
                return spans.in_week(day, shift)
            case "weekend":
                return spans.on_weekend(day, shift)
            case "month":
                return spans.in_month(day.year, day.month + shift)
            case "quarter":
                return spans.months_of_year(day.year, (day.month + 2) // 3 + shift, 3)
        return spans.at(TimePoint(day.year + shift))

    def year(self, at: int) -> tuple[int, int] | None:
        """Return a written year, such as "year 2019" or "'94", and the next token's index."""
        if self.word(at) == "the" and self.word(at + 1) == "year":
            at += 1
        at = self.skip(at, "year")
        if at < len(self.tokens) and (point := self.tokens[at].point) and point.month is None:
            return point.year, at + 1
        if is_long(self.word(at)):
            number_goes_on = self.joined(at, "-/:.\u2013") and self.joined(at + 1)
            if number_goes_on and self.word(at + 2).isdecimal():  # "2011/12"
                return None
            return int(self.word(at)), at + 1
        digits = self.word(at + 1)
        if self.word(at) in APOSTROPHES and is_short(digits, SHORT) and self.joined(at):
            is_decade = self.word(at + 2) in {"s", "'s", "\u2019s"}
            return None if is_decade else (self.whole_year(digits), at + 2)
        return None

    def turned_year(self, at: int) -> tuple[int, int] | None:
        """Return the year of "last year" or "the year before last", and the next token's index."""
        if self.word(at) in TURNS and self.word(at + 1) == "year":
            return self.today.year + TURNS[self.word(at)], at + 2
        if self.words(at, 4) == ["the", "year", "before", "last"]:
            return self.today.year - 2, at + 4
        return None

    def year_after(self, at: int) -> tuple[int, int] | None:
        """Return the year after a name, as in "of 2019" or "(2019)", and the next token's index."""
        opened = self.word(at) == "("
        start = self.skip(at, ",", "of", "in", "(")
        year = self.year(start)
        if year is None and self.word(at) != "in":
            year = self.turned_year(start)
        if year is None or not opened:
            return year
        return (year[0], year[1] + 1) if self.word(year[1]) == ")" else None

    def whole_year(self, digits: str) -> int:
        """Return the year that two digits mean, at most ten years after the text was said."""
        if len(digits) > SHORT:
            return int(digits)
        latest = (self._day.year if self._day else 2020) + _YEARS_AHEAD
        year = latest // _CENTURY * _CENTURY + int(digits)
        return year if year <= latest else year - _CENTURY


def _is_core(token: Token) -> bool:
    return token.point is not None or token.word.isdecimal() or token.word in CORES


def is_short(word: str, least: int = 1) -> bool:
    """Return whether a word is a number with at least `least` and at most two digits."""
    return word.isdecimal() and least <= len(word) <= SHORT


def is_long(word: str) -> bool:
    """Return whether a word is a year of four digits."""
    return word.isdecimal() and len(word) == LONG and word[0] in "12"


def _tokens(text: str) -> Iterator[Token]:
    """Yield the tokens of a text; a full date is a single token."""
    place = 0
    for start, end, point in (*find_exact_dates(text), (len(text), len(text), None)):
        for match in _TOKEN.finditer(text, place, start):
            yield Token(match[0].lower(), match.start(), match.end())
        if point is not None:
            yield Token("", start, end, point)
        place = end
