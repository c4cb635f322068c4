"""Relative expressions against a calendar, and the vague ones that stay as they are."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.temporal.dates import parse_point
from remem.temporal.relative_dates import resolve_relative
from remem.time_scope import TimePoint


def point(day):
    return TimePoint(day.year, day.month, day.day)


def said(text, day):
    """Resolve what is said on a day written as "9 June 2023" to (phrase, scope)."""
    return [(found.phrase, str(found.scope)) for found in resolve_relative(text, parse_point(day))]


@pytest.mark.parametrize(
    ("expression", "day", "phrase", "scope"),
    [
        # days
        ("today", "8 May 2023, 1:56 pm", "8 May 2023", "2023-05-08"),
        ("tonight", "8 May 2023", "8 May 2023", "2023-05-08"),
        ("this morning", "8 May 2023", "8 May 2023", "2023-05-08"),
        ("yesterday", "8 May 2023", "7 May 2023", "2023-05-07"),
        ("last night", "14 August 2023", "13 August 2023", "2023-08-13"),
        ("the day before yesterday", "26 June 2023", "24 June 2023", "2023-06-24"),
        ("tomorrow", "31 December 2023", "1 January 2024", "2024-01-01"),
        ("the day after tomorrow", "9 July 2022", "11 July 2022", "2022-07-11"),
        ("two days ago", "1 March 2024", "28 February 2024", "2024-02-28"),
        ("a day ago", "1 January 2024", "31 December 2023", "2023-12-31"),
        ("a couple of days ago", "9 June 2023", "7 June 2023", "2023-06-07"),
        ("in two days", "28 February 2023", "2 March 2023", "2023-03-02"),
        ("three days from now", "9 June 2023", "12 June 2023", "2023-06-12"),
        # weeks; 9 June 2023 is a Friday
        ("last week", "9 June 2023", "the week before 9 June 2023", "2023-06-02/2023-06-08"),
        ("a week ago", "9 June 2023", "the week before 9 June 2023", "2023-06-02/2023-06-08"),
        ("two weeks ago", "9 June 2023", "two weeks before 9 June 2023", "2023-05-26/2023-06-01"),
        (
            *("a couple of weeks ago", "11 January 2024"),
            *("two weeks before 11 January 2024", "2023-12-28/2024-01-03"),
        ),
        ("this week", "9 June 2023", "the week of 9 June 2023", "2023-06-05/2023-06-11"),
        ("next week", "9 June 2023", "the week after 9 June 2023", "2023-06-10/2023-06-16"),
        (
            "in two weeks",
            "5 January 2024",
            "two weeks after 5 January 2024",
            "2024-01-13/2024-01-19",
        ),
        # weekends; 17 July 2023 is a Monday, 22 July 2023 a Saturday
        (
            "last weekend",
            "17 July 2023",
            "the weekend before 17 July 2023",
            "2023-07-15/2023-07-16",
        ),
        (
            "last weekend",
            "22 July 2023",
            "the weekend before 22 July 2023",
            "2023-07-15/2023-07-16",
        ),
        (
            *("this past weekend", "20 October 2023"),
            *("the weekend before 20 October 2023", "2023-10-14/2023-10-15"),
        ),
        (
            *("two weekends ago", "17 July 2023"),
            *("two weekends before 17 July 2023", "2023-07-08/2023-07-09"),
        ),
        ("this weekend", "24 June 2022", "the weekend of 24 June 2022", "2022-06-25/2022-06-26"),
        ("next weekend", "3 June 2022", "the weekend after 3 June 2022", "2022-06-11/2022-06-12"),
        # weekdays; 15 July 2023 is a Saturday, 4 September 2022 a Sunday
        ("last Friday", "15 July 2023", "the Friday before 15 July 2023", "2023-07-14"),
        ("last Fri", "15 July 2023", "the Friday before 15 July 2023", "2023-07-14"),
        ("Last Tues", "20 July 2023", "the Tuesday before 20 July 2023", "2023-07-18"),
        ("next Sunday", "4 September 2022", "the Sunday after 4 September 2022", "2022-09-11"),
        ("next Saturday", "27 January 2023", "the Saturday after 27 January 2023", "2023-01-28"),
        ("this Tuesday", "5 November 2022", "1 November 2022", "2022-11-01"),
        ("on Friday", "10 July 2022", "the Friday before 10 July 2022", "2022-07-08"),
        # months
        ("last month", "9 June 2023", "May 2023", "2023-05"),
        ("last month", "2 January 2024", "December 2023", "2023-12"),
        ("next month", "31 December 2023", "January 2024", "2024-01"),
        ("two months ago", "31 January 2024", "November 2023", "2023-11"),
        ("in 8 months", "3 January 2024", "September 2024", "2024-09"),
        ("in June", "8 August 2023", "June 2023", "2023-06"),
        ("back in March", "8 February 2024", "March 2023", "2023-03"),
        ("last August", "8 December 2023", "August 2023", "2023-08"),
        ("last August", "8 August 2023", "August 2022", "2022-08"),
        ("next June", "8 August 2023", "June 2024", "2024-06"),
        ("this June", "8 August 2023", "June 2023", "2023-06"),
        # years and seasons
        ("last year", "8 May 2023", "2022", "2022"),
        ("this year", "8 May 2023", "2023", "2023"),
        ("next year", "8 May 2023", "2024", "2024"),
        ("twenty-five years ago", "27 June 2023", "1998", "1998"),
        ("a year ago", "29 February 2024", "2023", "2023"),
        ("last summer", "11 August 2023", "summer 2022", "2022-06/2022-08"),
        ("last summer", "26 December 2023", "summer 2023", "2023-06/2023-08"),
        ("last fall", "4 February 2023", "fall 2022", "2022-09/2022-11"),
    ],
)
def test_an_expression_means_a_date_or_an_interval(expression, day, phrase, scope):
    assert said(f"We went there {expression} - it was fun", day) == [(phrase, scope)]


@pytest.mark.parametrize(
    "text",
    [
        "a few days ago",
        "a few weeks ago",
        "many years ago",
        "half a year ago",
        "a year and a half ago",
        "two and a half years ago",
        "2-3 years ago",
        "three or four years ago",
        "1.5 years ago",
        "recently",
        "the other day",
        "nowadays",
        "once in a week",
        "Rome was not built in a day",
        "for the first time in 3 years",
        "the last week of August",
        "so much happened in the last month",
        "my last year at school",
        "on Mondays",
        "on Friday nights",
        "last winter",
        "she may leave",
        "in June 2022",
        "in May 5 people came",
        "the last Friday of the month",
        "5000 years ago",
        "",
    ],
)
def test_vague_and_habitual_expressions_stay_unresolved(text):
    assert said(text, "8 May 2023, 1:56 pm") == []


@pytest.mark.parametrize("when", [None, TimePoint(2023), TimePoint(2023, 5)])
def test_nothing_is_resolved_when_the_day_it_was_said_on_is_unknown(when):
    assert resolve_relative("Yesterday I ran, last week I swam, in June I slept.", when) == ()


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("I'll call again on Monday", "the Monday after 13 January 2024"),
        ("Because on Monday I am going on a picnic", "the Monday after 13 January 2024"),
        ("We had lunch. I'll tell you. On Monday it rained", "the Monday before 13 January 2024"),
        ("I'll tell you. We had lunch. On Monday it rained", "the Monday before 13 January 2024"),
        ("We had lunch. I'll call again on Monday", "the Monday after 13 January 2024"),
        ("We are planning a trip in June", "June 2024"),
        ("Next time we talk. In June we went there", "June 2023"),
    ],
)
def test_a_bare_weekday_or_month_lies_ahead_only_when_its_sentence_looks_ahead(text, phrase):
    assert [found for found, _ in said(text, "13 January 2024")] == [phrase]


def test_expressions_are_found_in_order_with_their_place_in_the_text():
    text = "Last Friday I got in, and next month I leave; yesterday I packed."
    found = resolve_relative(text, TimePoint(2024, 1, 7, 600))
    assert [item.expression for item in found] == ["Last Friday", "next month", "yesterday"]
    assert all(text[item.start : item.end] == item.expression for item in found)


days = st.dates(min_value=date(1900, 1, 1), max_value=date(2100, 12, 31))


@given(days, st.integers(1, 999))
def test_n_days_ago_is_that_many_days_before(day, count):
    (found,) = resolve_relative(f"{count} days ago", point(day))
    assert found.scope.point_in_time == point(day - timedelta(days=count))
    assert parse_point(found.phrase) == found.scope.point_in_time


@given(days, st.integers(1, 60))
def test_n_weeks_ago_are_seven_days_that_begin_then(day, count):
    (found,) = resolve_relative(f"{count} weeks ago", point(day))
    first = day - timedelta(days=7 * count)
    assert found.scope.start_time == point(first)
    assert found.scope.end_time == point(first + timedelta(days=6))


@given(days, st.sampled_from(range(7)))
def test_last_and_next_weekday_lie_within_a_week_of_the_day(day, index):
    name = (date(2024, 1, 1) + timedelta(days=index)).strftime("%A")  # a Monday
    before = max(
        day - timedelta(days=n) for n in range(1, 8) if (day - timedelta(n)).weekday() == index
    )
    after = min(
        day + timedelta(days=n) for n in range(1, 8) if (day + timedelta(n)).weekday() == index
    )
    (last,) = resolve_relative(f"last {name}", point(day))
    (coming,) = resolve_relative(f"next {name}", point(day))
    assert last.scope.point_in_time == point(before)
    assert coming.scope.point_in_time == point(after)


@given(days, st.integers(1, 240))
def test_n_months_ago_counts_months_across_years(day, count):
    (found,) = resolve_relative(f"{count} months ago", point(day))
    meant = found.scope.point_in_time
    assert (day.year - meant.year) * 12 + day.month - meant.month == count
    assert (meant.day, parse_point(found.phrase)) == (None, meant)


@given(days)
def test_this_week_runs_from_monday_to_sunday_around_the_day(day):
    (found,) = resolve_relative("this week", point(day))
    start, end = found.scope.start_time, found.scope.end_time
    first, last = date(start.year, start.month, start.day), date(end.year, end.month, end.day)
    assert (first.isoweekday(), last.isoweekday(), last - first) == (1, 7, timedelta(days=6))
    assert first <= day <= last


@given(st.text(max_size=60), days)
def test_no_text_makes_the_resolver_fail(text, day):
    for found in resolve_relative(text, point(day)):
        assert text[found.start : found.end] == found.expression


def test_what_lies_before_the_calendar_is_not_resolved():
    assert resolve_relative("999 years ago and 100 days ago", TimePoint(1, 2, 3)) == ()
