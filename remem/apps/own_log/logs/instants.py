"""Read times from JSON exports: seconds since 1970, ISO 8601, or a written date."""

import re
from datetime import UTC, datetime

from remem.temporal.dates import parse_point
from remem.time_scope import TimePoint

_NUMBER = re.compile(r"-?\d{9,}(?:\.\d*)?")
_PER_SECOND = ((1e17, 1e9), (1e14, 1e6), (1e11, 1e3))
"""Numbers from here on count nanoseconds, microseconds or milliseconds; as seconds they would be
in the year 5138 or later."""


def read_instant(stated: object) -> TimePoint | None:
    """Read a date in the time zone in which it is written; None if it is not a date.

    Seconds (or smaller units) since 1970 have no zone and are read as UTC.
    """
    try:
        if isinstance(stated, int | float) and not isinstance(stated, bool):
            number = float(stated)
            unit = next((unit for least, unit in _PER_SECOND if abs(number) >= least), 1)
            return TimePoint.from_datetime(datetime.fromtimestamp(number / unit, UTC))
        text = str(stated).strip()
        if _NUMBER.fullmatch(text):
            return read_instant(float(text))
        return parse_point(text) or TimePoint.from_datetime(datetime.fromisoformat(text))
    except (ValueError, OverflowError, OSError):
        return None
