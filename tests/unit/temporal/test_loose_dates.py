"""Dates without a year or a preposition, resolved against the day they were said."""

import pytest

from remem.temporal.loose_dates import resolve_dates
from remem.time_scope import TimePoint

SUNDAY = TimePoint(2024, 2, 4, 18 * 60)


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("The wedding is on 14 June", ["14 June 2024"]),
        ("June 14th suits me", ["14 June 2024"]),
        ("We met on 30 December", ["30 December 2023"]),
        ("born on 20 November", ["20 November 2024"]),
        ("14 June 2021 was hot", ["14 June 2021"]),
        ("it happened yesterday", ["3 February 2024"]),
        ("Dinner Friday at 7", ["9 February 2024"]),
        ("Friday was nice", ["2 February 2024"]),
        ("I will call Tuesday", ["6 February 2024"]),
        ("every Friday we sing", []),
        ("The match is on Saturday, 14 October", ["14 October 2024"]),
        ("The call is moved to Friday", ["9 February 2024"]),
        ("Rehearsal is on Tuesday", ["6 February 2024"]),
        ("I fell on Tuesday", ["30 January 2024"]),
        ("31 June does not exist", []),
        ("29 February comes", ["29 February 2024"]),
        ("born on Monday, 3 June 2019", ["3 June 2019"]),
        ("born on Tuesday 3 June 2019", ["3 June 2019"]),
        (
            "Last Monday, 29 January, and 9 February (Friday)",
            ["29 January 2024", "9 February 2024"],
        ),
        ("On Monday I heard that it closes on 14 June", ["29 January 2024", "14 June 2024"]),
    ],
)
def test_a_date_is_resolved_to_the_day_that_people_mean(text, phrases) -> None:
    assert [found.phrase for found in resolve_dates(text, SUNDAY)] == phrases


def test_without_the_day_it_was_said_only_whole_dates_are_resolved() -> None:
    found = resolve_dates("14 June, yesterday, and 3 May 2020", None)
    assert [item.phrase for item in found] == ["3 May 2020"]


def test_the_ends_of_the_calendar_are_no_error() -> None:
    assert resolve_dates("Friday at 7 and 14 June", TimePoint(9999, 12, 31)) == ()
