"""The times in a text: which words express them, what they mean, and which cannot be read."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.temporal.dates import parse_point
from remem.temporal.times_in_text import times_in
from remem.time_scope import TimePoint


def point(day):
    return TimePoint(day.year, day.month, day.day)


def said(text, day):
    """Return the (phrase, scope) pairs in a text that was said on a day like "9 June 2023"."""
    times = times_in(text, parse_point(day))
    return [(time.span.phrase, str(time.scope)) for time in times if time.span]


def read(text, said_at):
    """Return the times of a text that could be read."""
    return [time for time in times_in(text, said_at) if time.span]


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
        ("next weekend", "3 June 2022", "the weekend of 11 June 2022", "2022-06-11/2022-06-12"),
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
        ("last winter", "8 May 2023", "winter 2022", "2022-12/2023-02"),
        (
            *("the last week of August", "8 May 2023"),
            *("25 to 31 August 2022", "2022-08-25/2022-08-31"),
        ),
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
        "so much happened in the last month",
        "my last year at school",
        "on Mondays",
        "on Friday nights",
        "she may leave",
        "in May 5 people came",
        "5000 years ago",
        "",
    ],
)
def test_vague_and_habitual_expressions_stay_unresolved(text):
    assert said(text, "8 May 2023, 1:56 pm") == []


@pytest.mark.parametrize("when", [None, TimePoint(2023), TimePoint(2023, 5)])
def test_nothing_is_resolved_when_the_day_it_was_said_on_is_unknown(when):
    assert read("Yesterday I ran, last week I swam, in June I slept.", when) == []


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
    found = read(text, TimePoint(2024, 1, 7, 600))
    assert [item.expression for item in found] == ["Last Friday", "next month", "yesterday"]
    assert all(text[item.start : item.end] == item.expression for item in found)


@pytest.mark.parametrize(
    ("text", "scopes"),
    [
        ("The wedding is on 14 June", ["2024-06-14"]),
        ("June 14th suits me", ["2024-06-14"]),
        ("We met on 30 December", ["2023-12-30"]),
        ("14 June 2021 was hot", ["2021-06-14"]),
        ("Dinner Friday at 7", ["2024-02-09"]),
        ("Friday was nice", ["2024-02-02"]),
        ("The match is on Saturday, 14 October", ["2024-10-14"]),
        ("The call is moved to Friday", ["2024-02-09"]),
        ("31 June does not exist", []),
        ("29 February comes", ["2024-02-29"]),
        ("born on Monday, 3 June 2019", ["2019-06-03"]),  # it was, and 10 June 2019 too
        ("born on Tuesday 3 June 2019", ["2019-06-03"]),
        ("Last Monday, 29 January, and 9 February (Friday)", ["2024-01-29", "2024-02-09"]),
        ("On Monday I heard that it closes on 14 June", ["2024-01-29", "2024-06-14"]),
        ("We moved from Friday to Saturday", ["2024-02-09", "2024-02-10"]),
        ("Friday is the 16th", ["2024-02-16"]),
    ],
)
def test_a_date_without_a_year_is_the_one_that_people_mean(text, scopes):
    sunday = TimePoint(2024, 2, 4, 18 * 60)
    assert [str(time.scope) for time in read(text, sunday)] == scopes


@pytest.mark.parametrize(
    ("text", "unread"),
    [
        ("I saw her a few days ago", ["a few days ago"]),
        ("It was on 5/7/2023", ["on 5/7/2023"]),
        ("We met the other day, and last week", ["the other day"]),
        ("half a year ago", ["half a year ago"]),
        ("I ran every Friday for 3 weeks", []),
    ],
)
def test_what_looks_like_a_time_and_has_no_day_is_unread(text, unread):
    times = times_in(text, TimePoint(2024, 2, 4))
    assert [time.expression for time in times if time.span is None] == unread


def test_only_a_date_that_needs_no_day_is_stated():
    times = times_in("In summer 2023, on 3 May 2022 and last week", TimePoint(2024, 2, 4))
    assert [time.is_stated for time in times] == [True, True, False]


days = st.dates(min_value=date(1900, 1, 1), max_value=date(2100, 12, 31))


@given(days, st.integers(1, 999))
def test_n_days_ago_is_that_many_days_before(day, count):
    (found,) = read(f"{count} days ago", point(day))
    assert found.scope.point_in_time == point(day - timedelta(days=count))
    assert parse_point(found.span.phrase) == found.scope.point_in_time


@given(days, st.integers(1, 60))
def test_n_weeks_ago_are_seven_days_that_begin_then(day, count):
    (found,) = read(f"{count} weeks ago", point(day))
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
    (last,) = read(f"last {name}", point(day))
    (coming,) = read(f"next {name}", point(day))
    assert last.scope.point_in_time == point(before)
    assert coming.scope.point_in_time == point(after)


@given(days, st.integers(1, 240))
def test_n_months_ago_counts_months_across_years(day, count):
    (found,) = read(f"{count} months ago", point(day))
    meant = found.scope.point_in_time
    assert (day.year - meant.year) * 12 + day.month - meant.month == count
    assert (meant.day, parse_point(found.span.phrase)) == (None, meant)


@given(days)
def test_this_week_runs_from_monday_to_sunday_around_the_day(day):
    (found,) = read("this week", point(day))
    start, end = found.scope.start_time, found.scope.end_time
    first, last = date(start.year, start.month, start.day), date(end.year, end.month, end.day)
    assert (first.isoweekday(), last.isoweekday(), last - first) == (1, 7, timedelta(days=6))
    assert first <= day <= last


@given(st.text(max_size=60), days)
def test_no_text_makes_the_resolver_fail(text, day):
    for found in read(text, point(day)):
        assert text[found.start : found.end] == found.expression


def test_what_lies_before_the_calendar_is_not_resolved():
    assert read("999 years ago and 100 days ago", TimePoint(1, 2, 3)) == []
