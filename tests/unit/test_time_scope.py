"""Points in time that do not exist in the calendar."""

import pytest

from remem.time_scope import TimePoint


def test_a_year_of_no_calendar_is_refused() -> None:
    for year in [0, -1, 10_000, 2**63, 10**30]:
        with pytest.raises(ValueError, match="year"):
            TimePoint(year)


def test_a_day_of_no_calendar_is_refused() -> None:
    cases = [(2023, 2, 29), (2023, 13), (2023, 10**30), (2023, 1, 10**30)]
    for parts in cases:
        with pytest.raises(ValueError, match=r"month|day|year"):
            TimePoint(*parts)
