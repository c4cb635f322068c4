"""Decide which occurrence is meant by a time without a year, such as "Friday" or "14 June"."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from remem.temporal import spans
from remem.temporal.clauses import Direction
from remem.temporal.spans import Span

_DAYS_BACK = 60
"""Without a sign in the clause, a day less than two months ago is meant rather than the next."""
_YEARS, _MONTHS = 8, 14
"""29 February is missing from up to seven years in a row."""

Kind = Literal["weekday", "day", "weekend", "period", "every"]
"""What recurs; "every" stands for words such as "in summer", which are a time only if the clause
is about one."""


@dataclass(frozen=True, slots=True)
class Recurring:
    """A time that recurs: `near` returns the occurrences around a day, in order.

    `of_year` returns the occurrence in a year; None if the time does not recur once a year.
    """

    kind: Kind
    near: Callable[[date], Sequence[Span]]
    of_year: Callable[[int], Span] | None = None

    def following(self, day: date) -> Span:
        """Return the first occurrence that begins after a day.

        Raises:
            ValueError: No such occurrence is near the day. The other methods that return an
                occurrence can raise this error too.
        """
        return _first(span for span in self.near(day) if span.first_day > day)

    def preceding(self, day: date) -> Span:
        """Return the last occurrence that ended before a day."""
        return _first(span for span in reversed(self.near(day)) if span.last_day < day)

    def current(self, day: date) -> Span:
        """Return the occurrence that contains the day, else the one in the same week or year."""
        if self.kind == "weekday":
            index = self.near(day)[0].first_day.weekday()
            return spans.on_day(day + timedelta(days=index - day.weekday()))
        around = [span for span in self.near(day) if span.first_day <= day <= span.last_day]
        return around[0] if around or self.of_year is None else self.of_year(day.year)

    def counted(self, day: date, number: int) -> Span:
        """Return the `number`-th occurrence after a day; -1 is the last one before it."""
        occurrences = [span for span in self.near(day) if span.first_day > day]
        if number < 0:
            occurrences = [span for span in self.near(day) if span.last_day < day][::-1]
        if abs(number) > len(occurrences):
            raise ValueError(f"occurrence {number} is too far from {day}")
        return occurrences[abs(number) - 1]

    def on_weekday_of(self, other: "Recurring") -> "Recurring":
        """Return only the occurrences on the weekday `other`, as in "Friday the 13th"."""

        def near(day: date) -> list[Span]:
            index = other.near(day)[0].first_day.weekday()
            return [span for span in self.near(day) if span.first_day.weekday() == index]

        return Recurring(self.kind, near)

    def meant(self, day: date, direction: Direction) -> Span | None:
        """Return the occurrence that is meant in a clause of this direction; None if unclear."""
        if direction == "past":
            return self.until(day)
        if self.kind == "period" and direction == "present":
            return None
        if self.kind == "day" and direction == "unknown":
            past = self.until(day)
            return past if (day - past.last_day).days <= _DAYS_BACK else self.from_(day)
        return self.from_(day)

    def from_(self, day: date) -> Span:
        """Return the current or next occurrence; for a weekday, the next one after the day."""
        if self.kind == "weekday":
            return self.following(day)
        return _first(span for span in self.near(day) if span.last_day >= day)

    def until(self, day: date) -> Span:
        """Return the current or last occurrence; for a weekday, the last one before the day."""
        if self.kind == "weekday":
            return self.preceding(day)
        return _first(span for span in reversed(self.near(day)) if span.first_day <= day)


def yearly(of_year: Callable[[int], Span], kind: Kind = "period") -> Recurring:
    """Return a time that recurs yearly, except in years for which `of_year` raises ValueError."""

    def near(day: date) -> list[Span]:
        occurrences = []
        for year in range(max(1, day.year - _YEARS), min(9999, day.year + _YEARS) + 1):
            try:
                occurrences.append(of_year(year))
            except (ValueError, OverflowError):
                continue
        return occurrences

    return Recurring(kind, near, of_year)


def weekday(index: int) -> Recurring:
    """Return a weekday as a recurring time; 0 is Monday."""

    def near(day: date) -> list[Span]:
        return [spans.on_weekday(day, index, turn) for turn in (-2, -1, 1, 2)]

    return Recurring("weekday", near)


def day_of_month(number: int) -> Recurring:
    """Return a day of the month, such as "the 5th", as a recurring time."""

    def near(day: date) -> list[Span]:
        occurrences = []
        for shift in range(-_MONTHS, _MONTHS + 1):
            month = spans.in_month(day.year, day.month + shift).first_day
            if (month + timedelta(days=number - 1)).month == month.month:
                occurrences.append(spans.on_day(month + timedelta(days=number - 1)))
        return occurrences

    return Recurring("day", near)


def _weekends(day: date) -> list[Span]:
    return [spans.on_weekend(day, shift) for shift in (-2, -1, 0, 1, 2)]


WEEKEND = Recurring("weekend", _weekends)


def _first(occurrences: Iterator[Span]) -> Span:
    if (span := next(occurrences, None)) is None:
        raise ValueError("there is no occurrence near this day")
    return span
