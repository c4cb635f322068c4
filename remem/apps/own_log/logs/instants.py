"""Moments as JSON exports write them: seconds since 1970, ISO 8601, or a written date."""

from datetime import UTC, datetime

from remem.temporal.dates import parse_point
from remem.time_scope import TimePoint


def read_instant(stated: object) -> TimePoint | None:
    """Read a date as it is written, without a change of time zone; None if it is none.

    Seconds since 1970 have no zone of their own and are read as UTC.
    """
    try:
        if isinstance(stated, int | float) and not isinstance(stated, bool):
            return TimePoint.from_datetime(datetime.fromtimestamp(stated, UTC))
        text = str(stated).strip()
        return parse_point(text) or TimePoint.from_datetime(datetime.fromisoformat(text))
    except (ValueError, OverflowError, OSError):
        return None


def required_instant(stated: object, where: str) -> TimePoint | None:
    """Read a date; None and "" are no date.

    Raises:
        ValueError: It is something else that cannot be read.
    """
    if stated is None or stated == "":
        return None
    point = read_instant(stated)
    if point is None:
        raise ValueError(
            f"{where} is dated {str(stated)[:60]!r}, expected a date such as '2023-05-08', "
            "'2023-05-08T13:56', '8 May 2023, 1:56 pm', or seconds since 1970"
        )
    return point
