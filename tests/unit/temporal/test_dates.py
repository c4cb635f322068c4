"""Absolute dates: which are read and which refused, and that writing and reading agree."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.temporal.dates import find_dates, format_point, parse_point
from remem.time_scope import TimePoint

AFTERNOON = 13 * 60 + 56  # 1:56 pm


@pytest.mark.parametrize(
    ("text", "point"),
    [
        ("1000", TimePoint(1000)),
        ("2999", TimePoint(2999)),
        ("2023/05/08", TimePoint(2023, 5, 8)),
        ("2023-05-08 13:56", TimePoint(2023, 5, 8, AFTERNOON)),
        ("2023-05-08T13:56:00", TimePoint(2023, 5, 8, AFTERNOON)),
        ("2023-05-08T13:56:00Z", TimePoint(2023, 5, 8, AFTERNOON)),
        ("2023-05-08T13:56:00.000Z", TimePoint(2023, 5, 8, AFTERNOON)),
        ("2023-05-08 13:56:00+00:00", TimePoint(2023, 5, 8, AFTERNOON)),
        ("2023-05-08 13:56 UTC", TimePoint(2023, 5, 8, AFTERNOON)),
        ("2023-5-8", TimePoint(2023, 5, 8)),
        ("2011-12", TimePoint(2011, 12)),  # alone it has the form of ISO 8601
        ("12th of June, 2020", TimePoint(2020, 6, 12)),
        ("1:56 p.m. on May 8, 2023", TimePoint(2023, 5, 8, AFTERNOON)),
        ("8 May 2023, 1:56 P.M.", TimePoint(2023, 5, 8, AFTERNOON)),
        ("8 May, 2023", TimePoint(2023, 5, 8)),
        ("08 may 2023", TimePoint(2023, 5, 8)),
        ("May 8, 2023", TimePoint(2023, 5, 8)),
        ("May 8th, 2023", TimePoint(2023, 5, 8)),
        ("8th of May 2023", TimePoint(2023, 5, 8)),
        ("May, 2023", TimePoint(2023, 5)),
        ("Aug 1941", TimePoint(1941, 8)),
        ("Sept 2024", TimePoint(2024, 9)),
        ("Sep. 2024", TimePoint(2024, 9)),
        ("1:56 pm on 8 May, 2023", TimePoint(2023, 5, 8, AFTERNOON)),
        ("20 January 2024, 3:57 pm", TimePoint(2024, 1, 20, 15 * 60 + 57)),
        ("January 14, 2024, 3:57 pm", TimePoint(2024, 1, 14, 15 * 60 + 57)),
        ("8 May 2023 at 1:56 PM", TimePoint(2023, 5, 8, AFTERNOON)),
        ("29.12.2023, 00:51:12", TimePoint(2023, 12, 29, 51)),
        ("05.01.2024", TimePoint(2024, 1, 5)),  # day first
        ("12:00 am on 1 June, 2023", TimePoint(2023, 6, 1, 0)),
        ("12:30 pm on 1 June, 2023", TimePoint(2023, 6, 1, 12 * 60 + 30)),
        ("  8 May 2023\n", TimePoint(2023, 5, 8)),
        ("29 February 2024", TimePoint(2024, 2, 29)),
        ("Monday, 8 May 2023", TimePoint(2023, 5, 8)),
        ("Friday, 8 May 2023", TimePoint(2023, 5, 8)),  # it was a Monday
        ("Mon., 2023-05-08", TimePoint(2023, 5, 8)),
        ("8 May 2023 (Monday), 1:56 pm", TimePoint(2023, 5, 8, AFTERNOON)),
        ("1:56 pm on Monday, May 8, 2023", TimePoint(2023, 5, 8, AFTERNOON)),
    ],
)
def test_a_date_keeps_the_granularity_it_is_written_in(text, point):
    assert parse_point(text) == point


NO_DATES = [
    "03/04/2023",  # March or April
    "early 2021",
    "2010s",
    "May",
    "8 May",
    "12.01.24",
    "999",
    "3000",
    "20230",
    "29 February 2023",
    "2023-13",
    "2023-00-10",
    "8 May 2023, 13:56 pm",
    "8 May 2023, 24:00",
    "8 May 2023, 10:60",
    "2023-05-08T13:56+02:00",
    "2023-05-08 13:56:00+0200",
    "2023-05-08T13",
    "2023-05-08T1356",
    "20230508",
    "1683554160",
    "2023-W19",
    "2023.05.08",
    "2023-5",
    "2023-02-30",
    "24/12/1999 18:05",
    "5-7-2023",
    "8-May-2023",
    "May '23",
    "Sept. 4",
    "Jan 1",
    "Q3 2021",
    "mid-May 2023",
    "end of 2023",
    "1990's",
    "1200 BC",
    "c. 1850",
    "the 2011-12 season",
    "2011/12",
    "2012-13",
    "2011 or 2012",
    "8-10 May 2023",
    "8 May to 10 June 2023",
    "2023-05-08/2023-05-10",
    "winter 2022-23",
    "8 May 2023 at 3 o'clock",
    "8 May 2023 at 1:56 in the afternoon",
    "8 May 2023, 10:00-12:00",
    "the week of 8 May 2023",
    "unknown",
    "May 2023, 1:56 pm",
    "from 1990 to 1995",
    "",
]


def test_what_is_ambiguous_vague_or_impossible_is_not_read():
    assert [text for text in NO_DATES if parse_point(text) is not None] == []


@pytest.mark.parametrize(
    ("point", "text"),
    [
        (TimePoint(2023), "2023"),
        (TimePoint(2023, 5), "May 2023"),
        (TimePoint(2023, 5, 8), "8 May 2023"),
        (TimePoint(2023, 5, 8, AFTERNOON), "8 May 2023, 1:56 pm"),
        (TimePoint(2023, 5, 8, 0), "8 May 2023, 12:00 am"),
        (TimePoint(2023, 5, 8, 12 * 60 + 5), "8 May 2023, 12:05 pm"),
    ],
)
def test_a_point_is_written_in_plain_english(point, text):
    assert format_point(point) == text


@st.composite
def points(draw):
    day = draw(st.dates(min_value=date(1000, 1, 1), max_value=date(2999, 12, 31)))
    parts = draw(st.integers(1, 4))
    minute = draw(st.integers(0, 1439))
    return TimePoint(*(day.year, day.month, day.day, minute)[:parts])


@given(points())
def test_what_is_written_is_read_back(point):
    assert parse_point(format_point(point)) == point
    assert parse_point(str(point)) == point


@given(points())
def test_a_written_date_is_found_in_running_text(point):
    before = "We met in "
    text = f"{before}{format_point(point)}, as you know."
    assert find_dates(text) == ((len(before), len(before + format_point(point)), point),)


@given(st.text(max_size=60))
def test_no_text_makes_the_parser_fail(text):
    parse_point(text)
    for start, end, _ in find_dates(text):
        assert 0 <= start < end <= len(text)


def found(text):
    return [(text[start:end], str(point)) for start, end, point in find_dates(text)]


def test_dates_are_found_in_the_order_of_the_text():
    text = "Born in 1987, she moved on 3 July 2019 (or July 2018) and again on 2020-02-29."
    assert found(text) == [
        ("1987", "1987"),
        ("3 July 2019", "2019-07-03"),
        ("July 2018", "2018-07"),
        ("2020-02-29", "2020-02-29"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "I ran 2000 meters, and 1500 people watched.",
        "It was mid-2021, in the 2010s or in 2010s style.",
        "On 03/04/2023 or on 30 February 2023.",
        "Room 2023-A, version 1.2.2023.4",
        "I may 2 or 3 times.",
    ],
)
def test_numbers_that_are_no_dates_are_not_found(text):
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "points"),
    [
        # another clock than that of the place, or half a time: the day as it is written
        ("at 2023-05-08T13:56+02:00", []),
        ("at 2023-05-08 13:56 +02:00", ["2023-05-08"]),
        ("at 2023-05-08 13:56 -05:00", ["2023-05-08"]),
        ("8 May 2023, 1:56 pm PDT", ["2023-05-08"]),
        ("1:56 pm EST on 8 May 2023", ["2023-05-08"]),
        ("8 May 2023 at 1:56 in the afternoon", ["2023-05-08"]),
        ("8 May 2023 at 12:00 midnight", ["2023-05-08"]),
        ("8 May 2023, 10:00 to 12:00", ["2023-05-08"]),
        ("from 8:00 to 10:00 pm on 8 May 2023", ["2023-05-08"]),
        ("8 May 2023, 1:56 p.m. and so on", ["2023-05-08T13:56"]),
        # seasons and other spans of years
        ("the 2011-12 season", []),
        ("in the 2000-01 academic year", []),
        ("in 2011-12", []),
        ("in 2011\u201312", []),
        ("in 2010-12 she left", ["2010-12"]),
        ("from 2011 to 2012", ["2011", "2012"]),
        ("between 2011 and 2012", ["2011", "2012"]),
        ("from 2011 - 2015", ["2011", "2015"]),
        ("in 2011\u20132012", ["2011", "2012"]),
        ("in 2011 or 2012", ["2011", "2012"]),
        ("in 2019, 2020 and 2021", ["2019", "2020"]),  # more than one is what matters
        # the words that a bare year may follow
        ("in 2001, since 2002, during 2003 or until 2004", ["2001", "2002", "2003", "2004"]),
        ("till 2001, by 2002, in the year 2003", ["2001", "2002", "2003"]),
        # two dates that share a month or a year: what covers both
        ("8-10 May 2023", ["2023-05"]),
        ("from 8 to 10 May 2023", ["2023-05"]),
        ("on the 8th and 10th of May, 2023", ["2023-05"]),
        ("May 8\u201310, 2023", ["2023-05"]),
        ("8 May to 10 June 2023", ["2023"]),
        ("between May 8 and June 10, 2023", ["2023"]),
        ("May/June 2023", ["2023"]),
        ("from May to July 2023", ["2023"]),
        ("from November to January 2023", []),  # that November was in 2022
        ("8 May 2023\u201310 June 2023", ["2023-05-08", "2023-06-10"]),
        # vague months are the month, vague years nothing
        ("mid-May 2023", []),
        ("early May 2023", ["2023-05"]),
        ("by the end of 2023", []),
        ("in Q3 2021", []),
        ("in the early 1990s", []),
        ("in 1990's fashion", []),
        ("in the summer of 2023", []),
        ("in 1200 BC", []),
        ("in 1200 BCE", []),
        # no dates
        ("in 2000 words, by 1500 votes, in 2023%, in 1500 meters", []),
        ("in 2023 - it rained", ["2023"]),
        ("on 1 Jan, and Sept. 4", []),
        ("on 5/7/2023, 24/12/1999 18:05 or 08-05-2023", []),
        ("2023-5-7", ["2023-05-07"]),
    ],
)
def test_in_running_text_a_date_is_read_right_or_not_at_all(text, points):
    assert [str(point) for _, _, point in find_dates(text)] == points


@pytest.mark.parametrize(
    ("times", "dates"),
    [
        ("2011-12", ["2011-12"]),
        ("from 2011-12 to ..", ["2011-12"]),
        ("from .. to 2011-12", ["2011-12"]),
        ("from 2009-10 to 2011-12", ["2009-10", "2011-12"]),
        ("from 2009 to 2011-12", ["2009", "2011-12"]),
        ("from 2009-10-01 to 2011-12", ["2009-10-01", "2011-12"]),
    ],
)
def test_months_are_found_as_a_fact_writes_them(times, dates):
    assert [text for text, _ in found(f"Ann | worked for | Bo | {times}")] == dates


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("on Monday the 3rd of June 2019", ["Monday the 3rd of June 2019"]),
        ("on Monday (3 June 2019)", ["Monday (3 June 2019)"]),
        ("on Monday evening, 3.6.2019, a Monday", ["Monday evening, 3.6.2019, a Monday"]),
        ("3 June 2019, Friday June 7, 2019", ["3 June 2019", "Friday June 7, 2019"]),
        ("see you on Monday. 3 June 2019 was hot", ["3 June 2019"]),
        ("I sat on 3 June 2019. Monday was hot", ["3 June 2019"]),
    ],
)
def test_a_weekday_belongs_to_the_date_next_to_it(text: str, dates: list[str]) -> None:
    assert [date for date, _ in found(text)] == dates


def test_a_clock_time_belongs_to_the_date_it_stands_with():
    assert found("seen at 1:56 pm on 8 May, 2023") == [
        ("1:56 pm on 8 May, 2023", "2023-05-08T13:56")
    ]
