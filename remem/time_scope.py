"""Time points that keep their granularity, and time scopes with open ends.

Paper, Indexing: a time scope is a point_in_time, or a start_time or end_time or both.
"""

from calendar import monthrange
from dataclasses import dataclass
from datetime import date, datetime

MINUTES_PER_DAY = 24 * 60


@dataclass(frozen=True, slots=True)
class TimePoint:
    """A date or time that keeps the granularity it was stated in.

    `minute` is the minute of the day, 0 to 1439. Seconds are not kept: no dataset asks for them.
    """

    year: int
    month: int | None = None
    day: int | None = None
    minute: int | None = None

    def __post_init__(self) -> None:
        if (self.day is not None and self.month is None) or (
            self.minute is not None and self.day is None
        ):
            raise ValueError(f"a time point must not have gaps between its parts, found {self!r}")
        if self.minute is not None and not 0 <= self.minute < MINUTES_PER_DAY:
            raise ValueError(f"the minute of a day must be 0 to 1439, found {self.minute}")
        self._first_day()

    @classmethod
    def from_datetime(cls, moment: datetime) -> "TimePoint":
        """Return `moment` as a point with the granularity of a minute."""
        return cls(moment.year, moment.month, moment.day, moment.hour * 60 + moment.minute)

    @property
    def first_minute(self) -> int:
        """Return the first minute of the point, counted from 1 January of year 1."""
        return self._first_day().toordinal() * MINUTES_PER_DAY + (self.minute or 0)

    @property
    def last_minute(self) -> int:
        """Return the last minute of the point, counted like `first_minute`."""
        if self.minute is not None:
            return self.first_minute
        month = 12 if self.month is None else self.month
        day = monthrange(self.year, month)[1] if self.day is None else self.day
        return (date(self.year, month, day).toordinal() + 1) * MINUTES_PER_DAY - 1

    def _first_day(self) -> date:
        """Return the first day of the point; raise ValueError for an invalid date."""
        month = 1 if self.month is None else self.month
        try:
            return date(self.year, month, 1 if self.day is None else self.day)
        except OverflowError as error:  # a number larger than the calendar accepts
            raise ValueError(f"the year {self.year} is outside the calendar") from error

    def __str__(self) -> str:
        text = f"{self.year:04d}"
        if self.month is not None:
            text += f"-{self.month:02d}"
        if self.day is not None:
            text += f"-{self.day:02d}"
        if self.minute is not None:
            text += f"T{self.minute // 60:02d}:{self.minute % 60:02d}"
        return text


@dataclass(frozen=True, slots=True)
class TimeScope:
    """The time at which something holds: a point, or an interval that may be open at either end."""

    point_in_time: TimePoint | None = None
    start_time: TimePoint | None = None
    end_time: TimePoint | None = None

    def __post_init__(self) -> None:
        interval = self.start_time is not None or self.end_time is not None
        if (self.point_in_time is None) == (not interval):
            raise ValueError(
                "a time scope needs a point_in_time, or else a start_time, an end_time or both"
            )

    @property
    def start(self) -> TimePoint | None:
        """Return the start of the scope; None if it is open."""
        return self.point_in_time or self.start_time

    @property
    def end(self) -> TimePoint | None:
        """Return the end of the scope; None if it is open."""
        return self.point_in_time or self.end_time

    def __str__(self) -> str:
        if self.point_in_time is not None:
            return str(self.point_in_time)
        return f"{self.start_time or '..'}/{self.end_time or '..'}"
