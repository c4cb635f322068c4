"""The time that an endpoint asks to wait before the next call, from its headers (RFC 9110)."""

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


def told_seconds(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return the seconds given by retry-after-ms or Retry-After, or None."""
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    told = headers.get("retry-after", "")
    seconds = _number(told)
    return _until_date(told, now) if seconds is None else seconds


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def _until_date(text: str, now: datetime) -> float | None:
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, IndexError, OverflowError):
        return None
    aware = date if date.tzinfo else date.replace(tzinfo=UTC)
    return max(0.0, (aware - now).total_seconds())
