"""The grammar of times in English: which words of a text are a time, and what they mean."""

import re
from collections.abc import Callable
from contextlib import suppress
from datetime import date

from remem.temporal import spans
from remem.temporal.recurring import Recurring
from remem.temporal.relative_times import RelativeTimes
from remem.temporal.spans import Span
from remem.temporal.time_tokens import APOSTROPHES, is_long
from remem.temporal.time_values import (
    NO_TIME,
    UNREAD,
    Bounded,
    Range,
    Read,
    Value,
    is_day,
    is_time,
    is_weekday,
)
from remem.temporal.time_words import BOUNDS, JOINS, MONTH_NUMBERS, MOVES, ON, UNITS

_NEAR = 5
"""Words before "until" or "to" in which there may be "postponed"."""


class Grammar(RelativeTimes):
    """Reads the times in a text that was said on `day`; `day` is None if it is not known."""

    def __init__(self, text: str, day: date | None) -> None:
        super().__init__(text, day)
        self._read_at: dict[int, list[Read]] = {}

    def time(self, at: int) -> Read | None:
        """Return the longest time that begins at a token, with any date in parentheses after it."""
        read = self._longest(at)
        return (self._in_parentheses(read.end) or read) if read else None

    def _longest(self, at: int) -> Read | None:
        if bounded := self._bounded(at):
            return bounded
        opening = self.word(at) if self.word(at) in {"from", "between"} else ""
        start = at + bool(opening)
        if start > at and self.word(at - 1) in MOVES:  # "moved from Friday to Saturday"
            return None
        first = self._simple(start, bare=True)
        is_moved = self.word(at - 1) == "from" and self.word(at - 2) in MOVES
        if first and not is_moved and (between := self._range(first, between=opening == "between")):
            return between
        if first and opening == "from" and is_time(first.value):
            onwards = self.word(first.end) in {"on", "onwards", "onward"}
            is_over = (
                isinstance(first.value, Span)
                and self.knows_day
                and first.value.last_day < self.today
            )
            if onwards or not is_over:
                return Read(Bounded("from", first.value), first.end + onwards)
        return self._simple(at, bare=False)

    def alone(self) -> Read | None:
        """Return the time at the start of the text; the caller checks that nothing follows."""
        with suppress(ValueError, OverflowError):
            return self.time(0) or self.year_alone(0)
        return None

    def _simple(self, at: int, *, bare: bool) -> Read | None:
        """Return the longest time of any rule; `bare` allows names without their preposition."""
        name = self._tried(lambda place: self.named(place, bare=True), at) if bare else None
        reads = ([name] if name else []) + self._by_rule(at)
        best = max(reads, key=lambda read: read.end, default=None)
        return self._with_neighbours(best) if best else None

    def _by_rule(self, at: int) -> list[Read]:
        """Return what each rule reads at a token; kept, as most are needed with `bare` and not."""
        if at not in self._read_at:
            rules: tuple[Callable[[int], Read | None], ...] = (
                self.date, self.deictic, self._habit, self.ago, self.ahead, self.turned, self.part,
                self.of_month, self.beside, self.in_week, self.weekend, self.after_year, self._led,
                self.numeric, self._years, self._vague,
            )  # fmt: skip
            self._read_at[at] = [read for rule in rules if (read := self._tried(rule, at))]
        return self._read_at[at]

    def _tried(self, rule: Callable[[int], Read | None], at: int) -> Read | None:
        """Return what a rule reads, or "unread" if the rule needs the day and it is unknown."""
        self.needs_day = False
        try:
            read = rule(at)
        except (ValueError, OverflowError):  # no such day in the calendar
            return None
        is_unknown = read is not None and self.needs_day and not self.knows_day
        return Read(UNREAD, read.end) if read and is_unknown else read

    def _led(self, at: int) -> Read | None:
        """Read a named time with its preposition: "on Friday", "back in March"."""
        start = at + (self.word(at) == "back" and self.word(at + 1) in {"in", "on"})
        moved = self.word(start) == "to" and MOVES & set(self.words(start - _NEAR, _NEAR))
        led = self.word(start) in ON or bool(moved)  # "moved to May"
        return self.named(start + led, bare=led)

    def _habit(self, at: int) -> Read | None:
        """Read "every other Friday" and "each summer" as habits, which are not times."""
        if self.word(at) not in {"every", "each", "most", "alternate"}:
            return None
        start = self.skip(at + 1, "other", "single", "second", "few")
        start = (self.count(start) or (0, start))[1]
        read = self.named(start, bare=True)
        if read is None and self.word(start) not in UNITS:
            return None
        end = read.end if read else start + 1
        while self.word(end) in {"and", "&", "+", ","} and self.weekday(end + 1):
            end += 2
        return Read(NO_TIME, end)

    def _years(self, at: int) -> Read | None:
        """Read "in '94" and "2011-2014"."""
        start = self.skip(at, "in", "from", "of")
        led = start > at or self.word(at - 1) in BOUNDS
        if led and self.word(start) in APOSTROPHES:
            return self.year_alone(start)
        ends = self.word(at), self.word(at + 2)
        joined = self.joined(at, "-\u2013") and self.joined(at + 1)
        alone = not self.joined(at - 1) and not self.joined(at + 2, "-/")
        if joined and alone and all(map(is_long, ends)):
            return Read(spans.between(*(spans.in_year(int(year)) for year in ends)), at + 3)
        return None

    def _vague(self, at: int) -> Read | None:
        """Read words that look like a time but cannot be understood, as "unread"."""
        match = _VAGUE.match(self.text, self.tokens[at].start) if at < len(self.tokens) else None
        if match is None:
            return None
        places = range(at + 1, len(self.tokens))
        end = next((each for each in places if self.tokens[each].start >= match.end()), None)
        return Read(UNREAD, len(self.tokens) if end is None else end)

    def _bounded(self, at: int) -> Read | None:
        """Read "since 2019" and "until Friday", but not "postponed until Friday" (on Friday)."""
        bound = BOUNDS.get(self.word(at))
        read = self._simple(at + 1, bare=True) if bound else None
        if bound is None or read is None or not is_time(read.value):
            return None
        moved = bound == "until" and MOVES & set(self.words(at - _NEAR, _NEAR))
        return None if moved else Read(Bounded(bound, read.value), read.end)

    def _range(self, first: Read, *, between: bool) -> Read | None:
        """Read "A to B", and "A and B" after "between" or for months that follow each other."""
        join = self.word(first.end)
        months = [MONTH_NUMBERS.get(self.word(first.end + side), 0) for side in (-1, 1)]
        lists = between or (all(months) and months[1] - months[0] == 1)
        if join not in JOINS and not (lists and join in {"and", "&"}):
            return None
        if not join.isalpha() and isinstance(first.value, Span) and first.value.has_clock:
            return None  # a list of appointments, each behind a dash
        last = self._simple(first.end + 1, bare=True)
        if last is None and isinstance(first.value, Span):
            last = self.year_alone(first.end + 1)  # "from May 1903 to 1951"
        if last is None or not (is_time(first.value) and is_time(last.value)):
            return None
        return Read(Range(first.value, last.value), last.end)

    def _with_neighbours(self, read: Read) -> Read:
        """Add the following weekday or date if it names the same day, as in "Friday, 14 June"."""
        value, end = read
        if not is_day(value):
            return read
        opened = self.word(end) == "("
        start = self.skip(end, ",", "(", "is", "was")
        if start > end or is_weekday(value):
            start = self.skip(start, "the", "a", "on")
        other = (
            self.date(start) or self.days_of_month(start) or self.nth(start) or self.weekday(start)
        )
        merged = _same_day(value, other.value) if other and is_day(other.value) else None
        if other is None or merged is None or (opened and self.word(other.end) != ")"):
            return read
        return Read(merged, other.end + opened)

    def _in_parentheses(self, at: int) -> Read | None:
        """Read "(5 to 11 June 2023)" after the words whose meaning it gives."""
        if self.word(at) != "(":
            return None
        read = self.time(at + 1) or self.year_alone(at + 1)
        if read is None or self.word(read.end) != ")":
            return None
        ends = (read.value.first, read.value.last) if isinstance(read.value, Range) else ()
        is_whole = ends and all(isinstance(end, Span) for end in ends)
        is_whole = is_whole or isinstance(read.value, Span)
        return Read(read.value, read.end + 1) if is_whole else None


def _same_day(one: Value, other: Value) -> Value | None:
    """Return the more certain of two neighbours that may name the same day, else None."""
    if is_weekday(one):
        if is_weekday(other):
            return None
        if isinstance(other, Recurring) and other.of_year is None:  # "Friday the 13th"
            return other.on_weekday_of(one)
        return other
    if is_weekday(other):
        return one
    return other if isinstance(one, Span) else None  # the date that is written out


_FEW = r"(?:a\s+)?(?:good\s+)?(?:few|several|many|some|couple(?:\s+of)?\s+(?:few|dozen))"
_SOME = rf"(?:{_FEW}|\d+|two|three|four|five|six|ten|a|one)"
_UNIT = r"(?:day|night|week|weekend|month|year|decade)s?"
_FAR = r"(?:ago|back(?!\s+(?:to|from|in|on))|from\s+now|later|earlier)"
_AND_HALF = rf"(?:\s+and\s+a\s+half\s+{_UNIT}|\s+{_UNIT}\s+and\s+a\s+half)"
_AN_OTHER = r"(?:day|night|week|weekend|month|year|morning|evening|summer|winter|spring)\b"
_VAGUE = re.compile(
    rf"(?:{_FEW}\s+(?:\w+day|{_UNIT})\s+{_FAR}|in\s+(?:about\s+)?{_FEW}\s+{_UNIT}|"
    rf"(?:many\s+|long\s+)?(?:days|weeks|months|years|decades|ages)\s+ago|"
    rf"{_SOME}\s+{_UNIT}\s+(?:later|earlier)|(?:{_SOME}{_AND_HALF}|half\s+a\s+{_UNIT})\s+ago|"
    rf"{_SOME}(?:\s+(?:{_UNIT}\s+)?(?:and|or|to)\s+|\s*[-.]\s*){_SOME}(?:\s+half)?"
    rf"(?:\s+{_UNIT})?\s+ago|(?:the\s+(?:other|next|same|following)|that)\s+{_AN_OTHER}|"
    r"(?:some|a\s+long)\s+time\s+ago|a\s+(?:little\s+)?while\s+(?:ago|back)|long\s+ago|"
    r"some\s?day\b|one\s+of\s+these\s+days|back\s+then|later\s+that\s+\w+|"
    r"the\s+(?:day|week|month|year)\s+(?:after|before)\b)(?!\w)",
    re.IGNORECASE,
)
"""Times that name no day of the calendar, or lean on another time of the story."""
