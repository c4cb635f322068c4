"""Read times that are relative to another time or to the day when the text was said."""

from collections.abc import Callable
from datetime import date, timedelta

from remem.temporal import spans
from remem.temporal.named_times import NamedTimes
from remem.temporal.recurring import WEEKEND, Recurring, weekday, yearly
from remem.temporal.spans import Span
from remem.temporal.time_values import UNREAD, Coming, Read, Value, is_time
from remem.temporal.time_words import (
    BOUNDS,
    DAY_PARTS,
    DAYS,
    FAR_DAYS,
    HOLIDAYS,
    JOINS,
    MONTH_NUMBERS,
    ON,
    ORDINALS,
    PART_NAMES,
    PARTS,
    POSSESSIVES,
    TURNS,
    UNITS,
    VAGUE_COUNTS,
    WEEKDAY_NUMBERS,
    nth_weekday,
)

_SATURDAY, _WEEK, _FORTNIGHT, _HALF_A_MONTH = 5, 7, 14, 15
_ANAPHORIC = frozenset({"following", "previous"})
"""Turns that lean on another time of the story."""
_SIDES = {"before": -1, "of": 0, "after": 1, "commencing": 0, "beginning": 0, "starting": 0}


class RelativeTimes(NamedTimes):
    """Reads times that are given by their distance from another time."""

    def deictic(self, at: int) -> Read | None:
        """Read "yesterday", "tomorrow morning", "last night" and "later this week"."""
        for words, shift in FAR_DAYS.items():
            if self.words(at, len(words)) == [*words]:
                return Read(self.shifted("day", shift), at + len(words))
        word, after, unit = self.words(at, 3)
        if word == "now" and self.word(at - 1) == "from" and after in JOINS:
            return Read(self.shifted("day", 0), at + 1)
        if word in {"later", "earlier"} and after == "this" and unit in {"week", "month", "year"}:
            whole, day = self.shifted(unit, 0), self.shifted("day", 1 if word == "later" else -1)
            ends = (day, whole) if word == "later" else (whole, day)
            return Read(spans.between(*ends), at + 3)
        if word not in DAYS:
            return None
        if after == "week":  # "tomorrow week"
            sign = -1 if DAYS[word] < 0 else 1
            return Read(self.shifted("day", DAYS[word] + sign * _WEEK), at + 2)
        return Read(self.shifted("day", DAYS[word]), at + 1 + (after in DAY_PARTS))

    def ago(self, at: int) -> Read | None:
        """Read "two weeks ago", "two Fridays ago", "a week ago on Monday", "a year ago today"."""
        number, end = self.count(at) or (0, at)
        unit, after = self.word(end), self.word(end + 1)
        is_back = after == "back" and self.word(end + 2) not in {"to", "from", "in", "on"}
        if not number or not (after == "ago" or is_back):
            return None
        value, end = self._counted(unit, -number), end + 2
        if value is None:
            return None
        if UNITS.get(unit) == "week":
            return self._day_of_week_ago(number, end) or Read(value, end)
        if self.word(end) == "today" and UNITS.get(unit) in {"month", "year"} and is_time(value):
            first, today = self._upcoming(value).first_day, self.today
            month = first.month if UNITS[unit] == "month" else today.month
            return Read(spans.on_day(date(first.year, month, today.day)), end + 1)
        return Read(value, end)

    def ahead(self, at: int) -> Read | None:
        """Read "in two weeks", "two weeks from now" and "a week on Friday"."""
        is_in = self.word(at) == "in" and self.word(at - 1) != "time"
        number, end = self.count(at + is_in) or (0, at)
        unit, after = self.word(end), self.word(end + 1)
        if not number:
            return None
        if after == "from" and self.word(end + 2) == "now":
            value = self._counted(unit, number)
            return Read(value, end + 3) if value else None
        if after in {"from", "on"} and UNITS.get(unit) in {"week", "day"}:
            base = self.weekday(end + 2) or self.deictic(end + 2) or self.date(end + 2)
            if base and is_time(base.value):
                days = number * (_WEEK if UNITS[unit] == "week" else 1)
                day = self._upcoming(base.value).first_day + timedelta(days=days)
                return Read(spans.on_day(day), base.end)
        if not is_in or unit not in UNITS or unit == "weekend":
            return None
        end = self.skip(end + 1, "'", "\u2019", "'s", "\u2019s")
        return Read(Coming(self.shifted(UNITS[unit], number)), self.skip(end, "time"))

    def turned(self, at: int) -> Read | None:
        """Read "last week", "this coming Friday", "next summer" and "the week before last"."""
        if read := self._twice_turned(at):
            return read
        start = self.skip(at, "the", *POSSESSIVES)
        turn, further = self.word(start), self.word(start + 1)
        if turn not in {*TURNS, *_ANAPHORIC, "coming", "upcoming", "past"}:
            return None
        if turn == "this" and further in {"past", "coming", "last"}:
            turn, start = further, start + 1
        return self._turned_unit(at, start, turn) or self._turned_name(at, start + 1, turn)

    def _turned_unit(self, at: int, start: int, turn: str) -> Read | None:
        word, end = self.word(start + 1), start + 2
        unit = UNITS.get(word)
        if unit is None or unit == "day" or word in {"weeks", "months", "years"}:
            count = self.count(start + 1)
            end = count[1] if count else start + 1 + (word in VAGUE_COUNTS)
            is_some = end > start + 1 and self.word(end) in UNITS  # "the last three years"
            return Read(UNREAD, end + 1) if is_some else None
        is_coming = turn in {"coming", "upcoming"}
        has_article = self.word(at) in {"the", *POSSESSIVES}
        if turn in _ANAPHORIC or (has_article and not is_coming):
            return None if self.word(end) == "of" else Read(UNREAD, end)
        shift = 0 if is_coming and unit == "weekend" else _turn(turn)
        return Read(self.shifted(unit, shift), end)

    def _turned_name(self, at: int, start: int, turn: str) -> Read | None:
        is_coming = turn in {"coming", "upcoming"}
        if self.word(at) in {"the", *POSSESSIVES} and not is_coming and turn not in _ANAPHORIC:
            return None
        read = self.named(start, bare=True)
        if read is None or not isinstance(read.value, Recurring):
            return None
        if turn in _ANAPHORIC:
            return Read(UNREAD, read.end)
        meanings = {-1: read.value.preceding, 0: read.value.current, 1: read.value.following}
        return Read(meanings[_turn(turn)](self.today), read.end)

    def _twice_turned(self, at: int) -> Read | None:
        """Read "the week before last" and "the Friday after next"."""
        start = self.skip(at, "the")
        far = {("before", "last"): -2, ("after", "next"): 2}
        shift = far.get((self.word(start + 1), self.word(start + 2)))
        if shift is None:
            return None
        if unit := UNITS.get(self.word(start)):
            return Read(self.shifted(unit, shift), start + 3)
        named = self.named(start, bare=True)
        if named is None or not isinstance(named.value, Recurring):
            return None
        return Read(named.value.counted(self.today, shift), start + 3)

    def part(self, at: int) -> Read | None:
        """Read "early 2019", "mid-June", "the end of next month" and "late last year"."""
        at = self.skip(self.skip(at, *ON, "from", "since"), "the")
        name, joint = self.word(at), self.word(at + 1)
        if name not in PARTS or (name not in PART_NAMES.values() and joint != "of"):
            return None
        start, part = self.skip(at + 1, "-", "of", "in"), PARTS[name]
        named = self.skip(start, "the")
        if named > start and self.word(named) in {"week", "month", "year"}:
            base: Read | None = Read(self.shifted(self.word(named), 0), named + 1)
        else:
            base = (
                self.date(start) or self.turned(start) or self.decade(named, article=True)
                or self.named(named, bare=True) or self.year_alone(start)
            )  # fmt: skip
        return self._each(base, lambda span: spans.third(span, part, PART_NAMES[part]), "period")

    def of_month(self, at: int) -> Read | None:
        """Read "the first week of June", "the last Friday of the month" and "first half of May"."""
        start = self.skip(self.skip(at, "on", "in", "for", "by"), "the")
        which, end = ORDINALS.get(self.word(start), 0), start + 1
        if self.word(start).isdecimal():
            which, end = ORDINALS.get("".join(self.words(start, 2)), 0), start + 2
        several, end = self.count(end) or (1, end)
        unit = self.word(end).removesuffix("s" if several > 1 else "")
        if not which or self.word(end + 1) not in {"of", "in"}:
            return None
        if unit not in {"week", "weekend", "day", "half", *WEEKDAY_NUMBERS}:
            return None
        if several > 1 and (unit not in {"week", "day"} or abs(which) > 1):
            return None
        size = several * {"week": _WEEK, "half": _HALF_A_MONTH}.get(unit, 1)
        return self._each(
            self._month_of(end + 2), lambda month: _in_month(month, unit, which, size), "day"
        )

    def beside(self, at: int) -> Read | None:
        """Read "the weekend after 8 June", "the week of Christmas" and "two days before Easter"."""
        start = self.skip(self.skip(at, "on"), "the")
        count, start = self.count(start) or (1, start)
        name, side = self.word(start), _SIDES.get(self.word(start + 1))
        unit = UNITS.get(name, name.removesuffix("s") if count > 1 else name)
        is_unit = unit in {"day", "week", "weekend"} and name.endswith("s") == (count > 1)
        if side is None or not (is_unit or unit in WEEKDAY_NUMBERS) or (unit == "day" and not side):
            return None
        base = self.skip(start + 2, "the")
        read = self.date(base) or self.nth_day(base) or self.named(base, bare=True)
        shift = side * count
        return self._each(read, lambda span: _beside(span, unit, shift), "day")

    def in_week(self, at: int) -> Read | None:
        """Read "Tuesday of next week", "last week Tuesday" and "Tuesday week"."""
        start = self.skip(self.skip(at, "on"), "the")
        index, end = WEEKDAY_NUMBERS.get(self.word(start)), start + 1
        if index is None:
            turn, name = self.word(start), self.skip(start + 2, "on", ",")
            index, end = WEEKDAY_NUMBERS.get(self.word(name)), name + 1
            if index is None or turn not in TURNS or self.word(start + 1) != "week":
                return None
            return Read(self._on_weekday_of(TURNS[turn], index), end)
        if self.word(end) == "week":
            day = weekday(index).following(self.today).first_day
            return Read(spans.on_day(day + timedelta(days=_WEEK)), end + 1)
        end += self.word(end) in DAY_PARTS
        end = self.skip(end, "of", "in")
        if self.word(end) not in TURNS or self.word(end + 1) != "week":
            return None
        return Read(self._on_weekday_of(TURNS[self.word(end)], index), end + 2)

    def after_year(self, at: int) -> Read | None:
        """Read "last year in March" and "last year at Christmas"."""
        year = self.turned_year(at)
        start = self.skip(year[1], ",") if year else at
        if year is None or self.word(start) not in {"in", "on", "at"}:
            return None
        read, number = self.named(start + 1, bare=True), year[0]
        if read is None or not isinstance(read.value, Recurring) or not read.value.of_year:
            return None
        return Read(read.value.of_year(number), read.end)

    def date(self, at: int) -> Read | None:
        """Read a date that is written out."""
        point = self.tokens[at].point if 0 <= at < len(self.tokens) else None
        return Read(spans.at(point), at + 1) if point else None

    def year_alone(self, at: int) -> Read | None:
        """Read a year by itself, where the number cannot mean anything else."""
        year = self.year(at)
        return Read(spans.in_year(year[0]), year[1]) if year else None

    def _each(self, base: Read | None, change: Callable[[Span], Span], kind: str) -> Read | None:
        """Apply `change` to a time; if the time recurs, to each of its occurrences."""
        if base is None:
            return None
        if isinstance(base.value, Span):
            return Read(change(base.value), base.end)
        of_year = base.value.of_year if isinstance(base.value, Recurring) else None
        if of_year is None:
            return None
        change(of_year(2000))  # raises an error for what never works
        return Read(
            yearly(lambda year: change(of_year(year)), "day" if kind == "day" else "period"),
            base.end,
        )

    def _month_of(self, at: int) -> Read | None:
        """Read the month after "the first week of", such as "June", "June 2023" or "next month"."""
        if self.word(at) in {"the", "this"} and self.word(at + 1) == "month":
            return Read(self.shifted("month", 0), at + 2)
        read = self.date(at) or self.turned(at) or self.named(at, bare=True)
        value: Value | None = read.value if read else None
        if isinstance(value, Recurring) and value.of_year:
            value = value.of_year(2000)
        return read if isinstance(value, Span) and value.is_month else None

    def _day_of_week_ago(self, number: int, at: int) -> Read | None:
        """Read the "today" or "on Monday" after "a week ago"."""
        start = self.skip(at, "on")
        if self.word(start) in {"today", "tomorrow", "yesterday"}:
            shift = DAYS[self.word(start)] - _WEEK * number
            return Read(self.shifted("day", shift), start + 1)
        if self.word(start) not in WEEKDAY_NUMBERS:
            return None
        before = spans.in_week(self.today, -number).first_day - timedelta(days=1)
        day = spans.on_weekday(before, WEEKDAY_NUMBERS[self.word(start)], 1).first_day
        return Read(spans.on_day(day), start + 1)

    def _on_weekday_of(self, turn: int, index: int) -> Span:
        monday = self.today - timedelta(days=self.today.weekday())
        return spans.on_day(monday + timedelta(days=index + _WEEK * turn))

    def _counted(self, unit: str, number: int) -> Value | None:
        """Return the span that is `number` units, weekdays, seasons or months from today."""
        if unit == "fortnight":
            return self.shifted("day", _FORTNIGHT * number)
        if unit in UNITS:
            return self.shifted(UNITS[unit], number)
        name = unit.removesuffix("s")
        if name in WEEKDAY_NUMBERS:
            return spans.on_weekday(self.today, WEEKDAY_NUMBERS[name], number)
        if name in spans.SEASONS:
            return yearly(lambda year: spans.in_season(year, name)).counted(self.today, number)
        if name in MONTH_NUMBERS:
            month = MONTH_NUMBERS[name]
            return yearly(lambda year: spans.in_month(year, month)).counted(self.today, number)
        if name == "christmase":
            rule = HOLIDAYS["christmas"]
            return yearly(lambda year: spans.on_day(rule(year))).counted(self.today, number)
        return UNREAD if name in {"decade", "centurie", "century"} else None

    def _upcoming(self, value: Span | Recurring) -> Span:
        return value if isinstance(value, Span) else value.from_(self.today)

    def weekend(self, at: int) -> Read | None:
        """Read "at the weekend"."""
        led = self.word(at) in ON
        name = self.skip(at + led, "the")
        if (led or self.word(at - 1) in BOUNDS) and self.word(name) in {"weekend", "wknd"}:
            return Read(WEEKEND, name + 1)
        return None


def _turn(word: str) -> int:
    return -1 if word == "past" else TURNS.get(word, 1)


def _in_month(month: Span, unit: str, which: int, size: int) -> Span:
    """Return the first (1) or last (-1) days, half, weekend or weekday of a month."""
    year, number = month.first_day.year, month.first_day.month
    if unit == "half":
        return spans.days_of_month(year, number, *((1, size) if which == 1 else (size + 1, 0)))
    if unit in {"day", "week"}:
        bounds = (1 - size, 0) if which < 0 else (size * (which - 1) + 1, size * which)
        return spans.days_of_month(year, number, *bounds)
    index = _SATURDAY if unit == "weekend" else WEEKDAY_NUMBERS[unit]
    day = nth_weekday(year, number, index, which)
    return spans.on_weekend(day, 0) if unit == "weekend" else spans.on_day(day)


def _beside(span: Span, unit: str, side: int) -> Span:
    """Return the day, week, weekend or weekday before (-1), of (0) or after (1) a day."""
    if not span.is_day:
        raise ValueError(f"{span.phrase} is not a day")
    day = span.first_day
    match unit:
        case "day":
            return spans.on_day(day + timedelta(days=side))
        case "week":
            return spans.in_week(day, side)
        case "weekend" if side > 0:
            return spans.on_weekend(spans.on_weekday(day, _SATURDAY, side).first_day, 0)
        case "weekend":
            return spans.on_weekend(day, side)
    return spans.on_weekday(day, WEEKDAY_NUMBERS[unit], side)
