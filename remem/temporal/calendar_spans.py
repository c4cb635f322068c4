"""Days, weeks, weekends, months and years relative to the day on which something is said.

Each function returns a time scope and its wording. The wording follows the answers to LoCoMo's
"when" questions: days, months and years become dates, while weeks, weekends and weekdays are named
relative to the day of the message ("the week before 9 June 2023").
"""

from datetime import date, timedelta

from remem.temporal.dates import WEEKDAYS, format_point
from remem.time_scope import TimePoint, TimeScope

Span = tuple[TimeScope, str]

SEASON_STARTS = {"spring": 3, "summer": 6, "fall": 9, "autumn": 9}
ONES = (
    *("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"),
    *("twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
"""The English number words from 1 to 19, in order."""
_DAYS_BACK = 60
"""People name the day and month of what is less than two months ago, else of what is to come."""


def on_day(day: date) -> Span:
    """Return the span of one day."""
    return TimeScope(_point(day)), _say(day)


def on_nearest_date(day: date, month: int, number: int) -> Span:
    """Return the span of the next day with this month and number, or of the last if far nearer.

    Raises:
        ValueError: No year near `day` has such a day, as with 31 June.
    """
    years = range(day.year - 8, day.year + 9)  # 29 February is missing from up to seven of them
    dates = [near for year in years if (near := _date(year, month, number))]
    past = max((near for near in dates if near <= day), default=None)
    ahead = min((near for near in dates if near > day), default=None)
    nearest = past if past and (day - past).days <= _DAYS_BACK else ahead
    if nearest is None:
        raise ValueError(f"no year near {day} has a day {number} in month {month}")
    return on_day(nearest)


def in_month(day: date, shift: int) -> Span:
    """Return the span of the month `shift` months after the month of `day`."""
    year, month = divmod(day.year * 12 + day.month - 1 + shift, 12)
    point = TimePoint(year, month + 1)
    return TimeScope(point), format_point(point)


def in_year(year: int) -> Span:
    """Return the span of one year."""
    return TimeScope(TimePoint(year)), str(year)


def in_week(day: date, shift: int) -> Span:
    """Return the span of 7 days that is `shift` weeks from `day`.

    0 is the calendar week of `day`, from Monday to Sunday; -1 is the 7 days before `day`, -2 the 7
    days before those, and 1 the 7 days after `day`.
    """
    if shift == 0:
        first = day - timedelta(days=day.weekday())
    else:
        first = day + timedelta(days=7 * shift if shift < 0 else 7 * shift - 6)
    return _between(first, first + timedelta(days=6)), _beside(day, "week", shift)


def on_weekend(day: date, shift: int) -> Span:
    """Return the span of the weekend in the calendar week `shift` weeks after the week of `day`."""
    saturday = day + timedelta(days=5 - day.weekday() + 7 * shift)
    return _between(saturday, saturday + timedelta(days=1)), _beside(day, "weekend", shift)


def on_weekday(day: date, index: int, turn: int) -> Span:
    """Return the span of a weekday (`index` 0 is Monday) near `day`.

    `turn` selects the last such weekday before `day` (-1), the one in the same week (0) or the
    first one after `day` (1).
    """
    if turn == 0:
        return on_day(day + timedelta(days=index - day.weekday()))
    distance = (turn * (index - day.weekday()) - 1) % 7 + 1
    side = "before" if turn < 0 else "after"
    scope = TimeScope(_point(day + timedelta(days=turn * distance)))
    return scope, f"the {WEEKDAYS[index]} {side} {_say(day)}"


def in_last_season(day: date, season: str) -> Span:
    """Return the span of the last season with this name that ended before `day`."""
    first = SEASON_STARTS[season]
    year = day.year - (day.month <= first + 2)
    scope = TimeScope(start_time=TimePoint(year, first), end_time=TimePoint(year, first + 2))
    return scope, f"{season} {year}"


def _beside(day: date, unit: str, shift: int) -> str:
    if shift == 0:
        return f"the {unit} of {_say(day)}"
    count = abs(shift)
    number = ONES[count - 1] if count <= len(ONES) else str(count)
    units = f"the {unit}" if count == 1 else f"{number} {unit}s"
    return f"{units} {'before' if shift < 0 else 'after'} {_say(day)}"


def _between(first: date, last: date) -> TimeScope:
    return TimeScope(start_time=_point(first), end_time=_point(last))


def _date(year: int, month: int, number: int) -> date | None:
    try:
        return date(year, month, number)
    except ValueError:
        return None


def _point(day: date) -> TimePoint:
    return TimePoint(day.year, day.month, day.day)


def _say(day: date) -> str:
    return format_point(_point(day))
