"""Time filters over scopes of mixed granularity, with the operators lt, le, eq, ge and gt.

A point covers all minutes of the year, month, day or minute that it names. Calendar units are
nested or disjoint, so exactly one of lt, eq and gt is true for two points; eq means that they share
a minute. An open start is before every point, and an open end is after every point.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from remem.temporal.dates import WEEKDAYS, format_point
from remem.time_scope import TimePoint, TimeScope

Operator = Literal["lt", "le", "eq", "ge", "gt"]
Undated = Literal["record_time", "keep", "drop"]
"""How a condition treats an item without a time.

"record_time" uses the time when the item was said, and keeps the item if that time is unknown too;
"keep" always keeps the item; "drop" always drops it.
"""

ALWAYS = np.iinfo(np.int64).max
"""The minute of an open end; an open start is its negative."""

UNDATED, DATED, SAID = 0, 1, 2
"""Source of a row's date: none, the time of the item, or the time when the item was said."""


@dataclass(frozen=True, slots=True)
class TimeFilter:
    """Conditions on the start and on the end of a scope (Table 1); None is no condition."""

    start_time: TimePoint | None = None
    end_time: TimePoint | None = None
    start_operator: Operator = "ge"
    end_operator: Operator = "le"

    @property
    def asks_nothing(self) -> bool:
        """Return True if the filter has no condition, so that every scope passes."""
        return self.start_time is None and self.end_time is None


class ScopeTable:
    """The scopes of all gists or all facts of a graph, stored as columns for fast filtering."""

    def __init__(self) -> None:
        self._columns: list[NDArray[np.int64]] = [np.empty((5, 0), dtype=np.int64)]

    @property
    def columns(self) -> NDArray[np.int64]:
        """Return all scopes as an array of shape (5, n).

        The rows are the first and last minute of the start, the first and last minute of the end,
        and the source of the date (UNDATED, DATED or SAID).
        """
        if len(self._columns) > 1:
            self._columns = [np.concatenate(self._columns, axis=1)]
        return self._columns[0]

    def add(
        self, scopes: Sequence[TimeScope | None], said_at: Sequence[TimePoint | None] | None = None
    ) -> None:
        """Append scopes; None is an undated item. `said_at` has when each item was said."""
        spoken = said_at or [None] * len(scopes)
        rows = np.array(list(map(_row, scopes, spoken)), dtype=np.int64)
        self._columns.append(np.ascontiguousarray(rows.reshape(-1, 5).T))

    def restore(self, columns: NDArray[np.int64]) -> None:
        """Replace all scopes with the columns of another table."""
        self._columns = [columns]

    def mask(self, condition: TimeFilter, *, undated: Undated) -> NDArray[np.bool_]:
        """Return a boolean array of shape (n,) that is True for the items that pass."""
        start_first, start_last, end_first, end_last, dated = self.columns
        passes = np.ones(len(dated), dtype=np.bool_)
        if condition.start_time is not None:
            passes &= _compare(
                start_first, start_last, condition.start_operator, condition.start_time
            )
        if condition.end_time is not None:
            passes &= _compare(end_first, end_last, condition.end_operator, condition.end_time)
        if condition.asks_nothing:
            return passes
        passes[dated == UNDATED] = undated != "drop"
        if undated != "record_time":
            passes[dated == SAID] = undated == "keep"
        return passes

    def order(self, *, by_end: bool) -> NDArray[np.int64]:
        """Return each item's sort key: ascending start or descending end, undated items last."""
        start_first, _, _, end_last, dated = self.columns
        key = -end_last if by_end else start_first
        return np.where(dated == DATED, key, ALWAYS)


def _row(scope: TimeScope | None, said_at: TimePoint | None) -> tuple[int, int, int, int, int]:
    if scope is None and said_at is None:
        return 0, 0, 0, 0, UNDATED
    start, end = (scope.start, scope.end) if scope else (said_at, said_at)
    starts = (start.first_minute, start.last_minute) if start else (-ALWAYS, -ALWAYS)
    ends = (end.first_minute, end.last_minute) if end else (ALWAYS, ALWAYS)
    return *starts, *ends, DATED if scope else SAID


def _compare(
    first: NDArray[np.int64], last: NDArray[np.int64], operator: Operator, point: TimePoint
) -> NDArray[np.bool_]:
    match operator:
        case "lt":
            return last < point.first_minute
        case "le":
            return first <= point.last_minute
        case "eq":
            return (first <= point.last_minute) & (last >= point.first_minute)
        case "ge":
            return last >= point.first_minute
        case "gt":
            return first > point.last_minute


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
