"""Relative expressions and their answers, worked out on a calendar."""

from datetime import date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.benchmarks.dialogues.relative_telling import (
    past_tellings,
    plan_expressions,
    session_date,
)

WEDNESDAY = datetime(2023, 5, 10, 13, 56)
SATURDAY = datetime(2024, 3, 2, 9, 5)
MOMENTS = st.datetimes(datetime(1990, 1, 1), datetime(2090, 1, 1))


def answers(tellings):
    return {telling.expression: telling.answer for telling in tellings}


def test_past_expressions_on_a_wednesday_afternoon():
    assert answers(past_tellings(WEDNESDAY)) == {
        "yesterday": "9 May 2023",
        "last night": "9 May 2023",
        "this morning": "10 May 2023",
        "two days ago": "8 May 2023",
        "three days ago": "7 May 2023",
        "four days ago": "6 May 2023",
        "five days ago": "5 May 2023",
        "six days ago": "4 May 2023",
        "last Wednesday": "3 May 2023",
        "last Thursday": "4 May 2023",
        "last Friday": "5 May 2023",
        "last Saturday": "6 May 2023",
        "last Sunday": "7 May 2023",
        "last weekend": "the weekend before 10 May 2023",
        "last week": "the week before 10 May 2023",
        "two weeks ago": "two weeks before 10 May 2023",
        "three weeks ago": "three weeks before 10 May 2023",
        "last month": "April 2023",
        "two months ago": "March 2023",
        "last year": "2022",
        "in 2020": "2020",
        "in 2019": "2019",
        "in 2018": "2018",
    }


def test_planned_expressions_on_a_wednesday():
    assert answers(plan_expressions(WEDNESDAY)) == {
        "tomorrow": "11 May 2023",
        "in two days": "12 May 2023",
        "in three days": "13 May 2023",
        "in four days": "14 May 2023",
        "in five days": "15 May 2023",
        "in six days": "16 May 2023",
        "next Monday": "15 May 2023",
        "next Tuesday": "16 May 2023",
        "next Wednesday": "17 May 2023",
        "this Thursday": "11 May 2023",
        "this Friday": "12 May 2023",
        "this Saturday": "13 May 2023",
        "this Sunday": "14 May 2023",
        "next week": "the week after 10 May 2023",
        "next month": "June 2023",
    }


def test_a_saturday_morning_in_a_leap_year():
    past = answers(past_tellings(SATURDAY))
    assert "this morning" not in past
    assert "last weekend" not in past, "it could be this one or the one before"
    assert "last Friday" not in past, "yesterday was a Friday"
    assert past["last Sunday"] == "25 February 2024"
    assert past["two days ago"] == "29 February 2024"
    assert past["last month"] == "February 2024"
    assert past["two months ago"] == "January 2024"
    assert answers(plan_expressions(SATURDAY))["next Saturday"] == "9 March 2024"


def test_months_and_years_wrap_at_new_year():
    january = past_tellings(datetime(2023, 1, 15, 20, 0))
    assert answers(january)["last month"] == "December 2022"
    assert answers(january)["two months ago"] == "November 2022"
    assert answers(plan_expressions(datetime(2023, 12, 31, 20, 0)))["next month"] == "January 2024"


def test_the_days_of_a_month_are_its_first_and_last():
    february = next(t for t in past_tellings(SATURDAY) if t.expression == "last month")
    assert (february.first, february.last) == (date(2024, 2, 1), date(2024, 2, 29))
    assert february.months() == ("February 2024",)


def test_a_week_that_crosses_a_month_may_have_been_in_either():
    telling = next(t for t in past_tellings(WEDNESDAY) if t.expression == "last week")
    assert telling.months() == ("April 2023", "May 2023")


@given(MOMENTS)
def test_past_is_over_and_planned_is_to_come(moment):
    assert all(t.first <= t.last <= moment.date() for t in past_tellings(moment))
    assert all(moment.date() < t.first <= t.last for t in plan_expressions(moment))


@given(MOMENTS)
def test_no_expression_is_offered_twice(moment):
    for tellings in (past_tellings(moment), plan_expressions(moment)):
        assert len(answers(tellings)) == len(tellings)


@pytest.mark.parametrize(
    ("moment", "text"),
    [
        (datetime(2023, 5, 8, 13, 56), "1:56 pm on 8 May, 2023"),
        (datetime(2022, 12, 31, 0, 5), "12:05 am on 31 December, 2022"),
        (datetime(2024, 2, 29, 12, 0), "12:00 pm on 29 February, 2024"),
        (datetime(2024, 2, 29, 21, 9), "9:09 pm on 29 February, 2024"),
    ],
)
def test_a_session_date_has_no_leading_zeros(moment, text):
    assert session_date(moment) == text
