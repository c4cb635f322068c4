"""Periods of facts: each form has the interval of a calendar, and no text raises an error."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.temporal.periods import parse_period
from remem.temporal.scopes import ScopeTable, TimeFilter
from remem.time_scope import MINUTES_PER_DAY, TimePoint

SEASONS = ("spring", "summer", "autumn", "fall", "winter")
PARTS = ("early ", "mid-", "late ", "the end of ", "")


@pytest.mark.parametrize(
    ("text", "scope"),
    [
        ("8 May 2023", "2023-05-08"),
        ("June of 2023", "2023-06"),
        ("Spring, 2023", "2023-03/2023-05"),
        ("the summer of 2023", "2023-06/2023-08"),
        ("FALL 2023", "2023-09/2023-11"),
        ("winter 1999/00", "1999-12/2000-02"),
        ("winter of 2022\u20132023", "2022-12/2023-02"),
        ("late winter 2022", "2023-02"),
        ("mid\u20112020", "2020-05/2020-08"),
        ("late in 2020", "2020-09/2020-12"),
        ("in the middle of 2020", "2020-05/2020-08"),
        ("late May 2022", "2022-05-21/2022-05-31"),
        ("end of February 2024", "2024-02-21/2024-02-29"),
        ("the late 1990\u2019s", "1997/1999"),
        ("2000s", "2000/2009"),
        ("fourth quarter of 2023", "2023-10/2023-12"),
        ("last quarter of 2023", "2023-10/2023-12"),
        ("2023 H2", "2023-07/2023-12"),
        ("last week of February 2024", "2024-02-23/2024-02-29"),
        ("4th week of May 2023", "2023-05-22/2023-05-28"),
        ("week of 8 June 2023", "2023-06-05/2023-06-11"),  # a Thursday
        ("the weekend after 8 June 2023", "2023-06-10/2023-06-11"),
        ("the Friday after 9 June 2023", "2023-06-16"),
        ("New Year\u2019s Eve 2022", "2022-12-31"),
        ("c. 1850", "1850"),
        ("~2019", "2019"),
        ("around early 2019", "2019-01/2019-04"),
        ("2019-2021", "2019/2021"),
        ("2023-06-01/2023-06-30", "2023-06-01/2023-06-30"),
        ("../2021", "../2021"),
        ("2021-present", "2021/.."),
        ("between spring 2021 and late 2022", "2021-03/2022-12"),
        ("after 31 December 2021", "2022-01-01/.."),
        ("after 8 May 2023, 1:56 pm", "2023-05-08/.."),
        ("before winter 2022", "../2022-11-30"),
        ("by the end of 2022", "../2022-12"),
    ],
)
def test_a_period_is_an_interval(text: str, scope: str) -> None:
    assert str(parse_period(text)) == scope


@pytest.mark.parametrize(
    "text",
    [
        *("", "summer", "last summer", "summer 99999", "summer 2022/23", "winter 2022/24"),
        *("early early 2020", "early mid 2020", "early", "around", "around around 2019"),
        *("the 1900s", "the 20s", "1995s", "Q5 2023", "third half of 2023", "31 June 2023"),
        *("2011/12", "2011\u201312", "2021-2019", "2021 or 2022", "before after 2021"),
        *("week of June 2023", "week of 31 June 2023", "fifth week of June 2023"),
        *("in summer 2023 in Kres", "between 2019", "from .. to ..", "../..", "present to 2021"),
        *("before " * 9_999 + "2021", "a to " * 9_999 + "2021", " " * 99_999, "early 2020 " * 20),
    ],
    ids=lambda text: text[:30],
)
def test_a_text_without_one_clear_period_is_not_read(text: str) -> None:
    assert parse_period(text) is None


@given(st.sampled_from(PARTS), st.sampled_from(SEASONS), st.integers(1000, 2999))
def test_every_season_covers_whole_days_in_order(part: str, season: str, year: int) -> None:
    scope = parse_period(f"{part}{season} {year}")
    assert scope is not None
    assert scope.start is not None and scope.end is not None
    assert scope.start.first_minute % MINUTES_PER_DAY == 0
    assert (scope.end.last_minute + 1) % MINUTES_PER_DAY == 0
    days = (scope.end.last_minute + 1 - scope.start.first_minute) // MINUTES_PER_DAY
    assert 28 <= days <= 31 if part else 90 <= days <= 92


@given(st.integers(1000, 2999))
def test_the_thirds_of_a_year_and_of_a_decade_follow_each_other(year: int) -> None:
    for period in (str(year), f"May {year}", f"{year // 10 * 10 + 10 * (year % 100 < 10)}s"):
        thirds = [parse_period(f"{part} {period}") for part in ("early", "mid", "late")]
        ends = [(third.start, third.end) for third in thirds if third]
        assert len(ends) == 3
        for (_, end), (start, _) in pairwise(ends):
            assert end and start and end.last_minute + 1 == start.first_minute


WORDS = (
    "summer",
    "winter",
    "early",
    "mid-",
    "end of",
    "the",
    "2021",
    "2022",
    "/",
    "to",
    "1990s",
    "s",
)
MORE_WORDS = ("before", "between", "and", "Q2", "week", "of", "May", "31", "around", "~", "-", "..")


@given(st.text() | st.lists(st.sampled_from((*WORDS, *MORE_WORDS))).map(" ".join))
def test_no_text_raises(text: str) -> None:
    parse_period(text)


def test_a_period_is_filtered_and_sorted_as_any_interval() -> None:
    table = ScopeTable()
    table.add([parse_period(text) for text in ("summer 2023", "early 2023", "before 2023", "2023")])
    within = TimeFilter(start_time=TimePoint(2023, 6), end_time=TimePoint(2023, 8))
    assert table.mask(within, undated="drop").tolist() == [True, False, False, True]
    before = TimeFilter(end_time=TimePoint(2023), end_operator="lt")
    assert table.mask(before, undated="drop").tolist() == [False, False, True, False]
    assert table.order(by_end=False).argsort(kind="stable").tolist() == [2, 1, 3, 0]
