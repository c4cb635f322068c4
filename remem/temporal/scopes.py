"""Time filters over scopes of mixed granularity, with the operators lt, le, eq, ge and gt.

A point covers all minutes of the year, month, day or minute that it names. Calendar units are
nested or disjoint, so exactly one of lt, eq and gt is true for two points; eq means that the points
have a minute in common. An open start is before every point, and an open end is after every point.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

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
    """Conditions on the start and end of a scope (paper, Table 1); None means no condition."""

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
        """Append the scopes of items.

        The scope of an undated item is None. `said_at` holds the time when each item was said.
        """
        spoken = said_at or [None] * len(scopes)
        rows = np.array(list(map(_row, scopes, spoken)), dtype=np.int64)
        self._columns.append(np.ascontiguousarray(rows.reshape(-1, 5).T))

    def restore(self, columns: NDArray[np.int64]) -> None:
        """Replace all scopes with the columns of another table."""
        self._columns = [columns]

    def mask(self, condition: TimeFilter, *, undated: Undated) -> NDArray[np.bool_]:
        """Return a boolean array of shape (n,) that is True for the items that pass the filter."""
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
        """Return sort keys: by start, earliest first, or if `by_end`, by end, latest first.

        Undated items come last.
        """
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
