"""Spans of days, such as a week, a season or a decade, each with its name in plain English."""

from calendar import monthrange
from dataclasses import dataclass, replace
from datetime import date, timedelta

from remem.temporal.dates import WEEKDAYS, format_point
from remem.time_scope import MINUTES_PER_DAY, TimePoint, TimeScope

SEASONS = {"spring": 3, "summer": 6, "fall": 9, "autumn": 9, "winter": 12}
"""The first month of each season, on the northern hemisphere; winter ends in the next year."""
ONES = (
    *("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"),
    *("twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
"""The English number words from 1 to 19, in order."""
YEARS_OF_A_DECADE = 10


@dataclass(frozen=True, slots=True)
class Span:
    """The time from the start of `first` to the end of `last`; None is an open end.

    `phrase` is the span in words: "the week before 9 June 2023".
    """

    first: TimePoint | None
    last: TimePoint | None
    phrase: str

    @property
    def scope(self) -> TimeScope:
        """Return the scope of the span: a point if both ends are equal, else an interval."""
        if self.first == self.last:
            return TimeScope(self.first)
        return TimeScope(start_time=self.first, end_time=self.last)

    @property
    def first_day(self) -> date:
        """Return the first day of the span; the earliest possible date if the start is open."""
        return day_of(self.first.first_minute) if self.first else date.min

    @property
    def last_day(self) -> date:
        """Return the last day of the span; the latest possible date if the end is open."""
        return day_of(self.last.last_minute) if self.last else date.max

    @property
    def has_clock(self) -> bool:
        """Return whether the span is one minute."""
        return self.first is not None and self.first.minute is not None

    @property
    def is_month(self) -> bool:
        """Return whether the span is exactly one calendar month."""
        return bool(self.first and self.first == self.last and self.first.month) and not (
            self.first and self.first.day
        )

    @property
    def is_day(self) -> bool:
        """Return whether the span is within one day."""
        return self.first_day == self.last_day


def at(point: TimePoint) -> Span:
    """Return the span of a year, month, day or minute."""
    return Span(point, point, format_point(point))


def on_day(day: date) -> Span:
    """Return the span of one day."""
    return at(_point(day))


def in_year(year: int) -> Span:
    """Return the span of one year."""
    return at(TimePoint(year))


def in_month(year: int, number: int) -> Span:
    """Return the span of a month; 13 is January of the next year, 0 December of the year before."""
    turns, month = divmod(number - 1, 12)
    return at(TimePoint(year + turns, month + 1))


def in_week(day: date, shift: int) -> Span:
    """Return the span of 7 days that is `shift` weeks from `day`.

    If `shift` is 0, it is the calendar week of `day`, from Monday to Sunday; if -1, the 7 days
    before `day`; if -2, the 7 days before those; and if 1, the 7 days after `day`.
    """
    if shift == 0:
        first = day - timedelta(days=day.weekday())
    else:
        first = day + timedelta(days=7 * shift if shift < 0 else 7 * shift - 6)
    return _days(first, first + timedelta(days=6), _beside(day, "week", shift))


def on_weekend(day: date, shift: int) -> Span:
    """Return the weekend of the calendar week that is `shift` weeks after the week of `day`."""
    saturday = day + timedelta(days=5 - day.weekday() + 7 * shift)
    phrase = _beside(day if shift <= 0 else saturday, "weekend", min(shift, 0))
    return _days(saturday, saturday + timedelta(days=1), phrase)


def on_weekday(day: date, index: int, turn: int) -> Span:
    """Return the span of a weekday (`index` 0 is Monday) near `day`.

    A `turn` of 1 is the first such weekday after `day`, 2 the second, -1 the last one before `day`,
    and 0 the one in the same calendar week.
    """
    if turn == 0:
        return on_day(day + timedelta(days=index - day.weekday()))
    step = 1 if turn > 0 else -1
    distance = (step * (index - day.weekday()) - 1) % 7 + 1 + 7 * (abs(turn) - 1)
    point = _point(day + timedelta(days=step * distance))
    return Span(point, point, _beside(day, WEEKDAYS[index], turn))


def in_season(year: int, name: str) -> Span:
    """Return the span of a season that begins in this year."""
    first = SEASONS[name]
    return replace(_months(year, first, 3), phrase=f"{name} {year}")


def in_decade(year: int) -> Span:
    """Return the span of ten years that begins with this year."""
    return Span(TimePoint(year), TimePoint(year + YEARS_OF_A_DECADE - 1), f"the {year}s")


def months_of_year(year: int, number: int, size: int) -> Span:
    """Return a quarter (`size` 3) or a half (`size` 6) of a year.

    `number` 1 is the first quarter or half of the year, and 0 is the last one of the year before.
    """
    span = _months(year, size * (number - 1) + 1, size)
    turns, which = divmod(number - 1, 12 // size)
    name = {3: "Q", 6: "H"}[size]
    return replace(span, phrase=f"{name}{which + 1} {year + turns}")


def days_of_month(year: int, month: int, first: int, last: int) -> Span:
    """Return the span from day `first` to day `last` of a month.

    Day 0 is the last day of the month, and day -1 is the day before the last.

    Raises:
        ValueError: The month has no such day, or `last` is before `first`.
    """
    length = monthrange(year, month)[1]
    first, last = (number if number > 0 else length + number for number in (first, last))
    if first > last:
        raise ValueError(f"day {last} is before day {first}")
    start, end = date(year, month, first), date(year, month, last)
    if start == end:
        return on_day(start)
    return _days(start, end, f"{first} to {_say(end)}")


def third(span: Span, part: int, name: str) -> Span:
    """Return the early (0), middle (1) or late (2) part of a span.

    Years and seasons are divided into equal numbers of months, and decades into 3, 4 and 3 years.
    Months are divided into days 1 to 10, 11 to 20 and the rest. Other spans are divided into nearly
    equal numbers of days.

    Raises:
        ValueError: The span is open or shorter than three days.
    """
    first, last = span.first, span.last
    if first is None or last is None:
        raise ValueError(f"{span.phrase} has no parts")
    phrase = f"{name} {span.phrase}"
    if first == last and first.month and not first.day:
        bounds = ((1, 10), (11, 20), (21, 0))[part]
        return replace(days_of_month(first.year, first.month, *bounds), phrase=phrase)
    if last.year - first.year == YEARS_OF_A_DECADE - 1:
        start, end = ((0, 2), (3, 6), (7, 9))[part]
        return Span(TimePoint(first.year + start), TimePoint(first.year + end), phrase)
    if not first.day:
        months = 12 * (last.year - first.year) + (last.month or 12) - (first.month or 1) + 1
        size = months // 3
        return replace(_months(first.year, (first.month or 1) + size * part, size), phrase=phrase)
    days = (span.last_day - span.first_day).days + 1
    cuts = [span.first_day + timedelta(days=round(days * cut / 3)) for cut in range(4)]
    if days < len(cuts):
        raise ValueError(f"{span.phrase} is too short to have parts")
    return _days(cuts[part], cuts[part + 1] - timedelta(days=1), phrase)


def between(first: Span, last: Span) -> Span:
    """Return the span from the start of one span to the end of another.

    Raises:
        ValueError: The second span ends before the first begins.
    """
    if first.first_day > last.last_day:
        raise ValueError(f"{last.phrase} is before {first.phrase}")
    return Span(first.first, last.last, f"{first.phrase} to {last.phrase}")


def bounded(word: str, span: Span) -> Span:
    """Return the time before, after, since, from or until a span.

    `word` is one of these words. The times "before" and "after" do not include the span itself.

    Raises:
        ValueError: `span` is open at the end to which `word` refers.
    """
    phrase = f"{word} {span.phrase}"
    match word:
        case "before" if span.first:
            return Span(None, _point(day_of(span.first.first_minute - 1)), phrase)
        case "after" if span.last:
            return Span(_point(day_of(span.last.last_minute + 1)), None, phrase)
        case "since" | "from" if span.first:
            return Span(span.first, None, phrase)
        case "until" if span.last:
            return Span(None, span.last, phrase)
    raise ValueError(f"{phrase} has no end")


def day_of(minute: int) -> date:
    """Return the day of a minute; minutes are counted as in `TimePoint.first_minute`."""
    return date.fromordinal(minute // MINUTES_PER_DAY)


def _months(year: int, first: int, count: int) -> Span:
    start, end = in_month(year, first), in_month(year, first + count - 1)
    return Span(start.first, end.last, f"{start.phrase} to {end.phrase}")


def _beside(day: date, unit: str, shift: int) -> str:
    if shift == 0:
        return f"the {unit} of {_say(day)}"
    count = abs(shift)
    number = ONES[count - 1] if count <= len(ONES) else str(count)
    units = f"the {unit}" if count == 1 else f"{number} {unit}s"
    return f"{units} {'before' if shift < 0 else 'after'} {_say(day)}"


def _days(first: date, last: date, phrase: str) -> Span:
    return Span(_point(first), _point(last), phrase)


def _point(day: date) -> TimePoint:
    return TimePoint(day.year, day.month, day.day)


def _say(day: date) -> str:
    return format_point(_point(day))
