"""What Retry-After may say."""

import math
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.llm.retry_after import told_seconds

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after-ms": "250"}, 0.25),
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "7"}, 7.0),
        ({"retry-after": "Fri, 02 Jan 2026 03:05:05 GMT"}, 60.0),
        ({"retry-after": "Fri, 02 Jan 2026 04:05:05 +0100"}, 60.0),
        ({"retry-after": "Fri, 02 Jan 2026 03:05:05 -0000"}, 60.0),
        ({"retry-after": "Fri, 02 Jan 2026 03:00:00 GMT"}, 0.0),
        ({}, None),
        ({"retry-after": ""}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "Fri, 99 Jan 2026 03:05:05 GMT"}, None),
    ],
)
def test_seconds_milliseconds_and_dates_are_read(
    headers: dict[str, str], seconds: float | None
) -> None:
    assert told_seconds(headers, NOW) == seconds


@given(st.text(), st.text())
def test_whatever_a_server_says_is_a_time_to_wait_or_nothing(told: str, milliseconds: str) -> None:
    seconds = told_seconds({"retry-after": told, "retry-after-ms": milliseconds}, NOW)
    assert seconds is None or (seconds >= 0 and math.isfinite(seconds))
