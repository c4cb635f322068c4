"""Each row in the tables of docs/time.md matches what the code does."""

import re
from itertools import combinations_with_replacement
from pathlib import Path
from typing import get_args

import pytest

from remem.temporal.dates import find_dates, parse_point
from remem.temporal.periods import parse_period
from remem.temporal.scopes import Operator, ScopeTable, TimeFilter
from remem.temporal.times_in_text import times_in
from remem.time_scope import TimePoint, TimeScope

PAGE = (Path(__file__).parents[2] / "docs" / "time.md").read_text(encoding="utf-8")


def rows_under(heading: str) -> list[tuple[str, ...]]:
    """Return the rows of the table below a heading of the page, without its head."""
    lines = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0].splitlines()
    rows = [line for line in lines if line.startswith("|")][2:]
    return [tuple(cell.strip() for cell in row.strip("|").split("|")) for row in rows]


EXAMPLES = rows_under("Examples")
READ, NOT_READ = (
    PAGE.split("## Dates that are read")[1]
    .split("\n## ")[0]
    .split("An ambiguous or impossible date")
)


def point(text: str) -> TimePoint:
    parsed = parse_point(text)
    assert parsed is not None, text
    return parsed


def scope(text: str) -> TimeScope | None:
    if text == "-":
        return None
    if "/" not in text:
        return TimeScope(point_in_time=point(text))
    start, end = (None if part == ".." else point(part) for part in text.split("/"))
    return TimeScope(start_time=start, end_time=end)


def condition(text: str, default: str) -> tuple[str, TimePoint | None]:
    if not text:
        return default, None
    operator, date = text.split(" ", 1)
    assert operator in get_args(Operator)
    return operator, point(date)


def test_the_page_has_examples_both_ways():
    verdicts = [row[3] for row in EXAMPLES]
    assert verdicts.count("yes") >= 10
    assert verdicts.count("no") >= 6


@pytest.mark.parametrize("row", EXAMPLES, ids=lambda row: " ".join(row[:3]))
def test_example_holds(row):
    start_operator, start = condition(row[1], "ge")
    end_operator, end = condition(row[2], "le")
    table = ScopeTable()
    table.add([scope(row[0])])
    asked = TimeFilter(start, end, start_operator, end_operator)
    assert bool(table.mask(asked, undated="drop")[0]) is (row[3] == "yes")


@pytest.mark.parametrize("text", re.findall(r"`([^`]+)`", READ))
def test_date_is_read(text):
    assert parse_point(text) is not None


@pytest.mark.parametrize("text", re.findall(r"`([^`]+)`", NOT_READ))
def test_date_is_reported_as_not_read(text):
    assert parse_point(text) is None


@pytest.mark.parametrize("row", rows_under("Dates in running text"), ids=lambda row: row[0])
def test_date_is_found_in_running_text(row):
    found = [str(date) for _, _, date in find_dates(row[0])]
    assert (", ".join(found) or "-") == row[1]


@pytest.mark.parametrize("row", rows_under("Times in a message"), ids=lambda row: row[0])
def test_time_is_found_in_a_message(row):
    times = times_in(row[0], point("2024-03-08"))
    found = [str(time.span.scope) if time.span else "not read" for time in times]
    assert (", ".join(found) or "-") == row[1]


@pytest.mark.parametrize("row", rows_under("Periods in the time of a fact"), ids=lambda row: row[0])
def test_period_is_read_as_an_interval(row):
    assert str(parse_period(row[0])) == row[1]
    assert all(parse_period(form) for form in re.findall(r'"([^"]*\d{4}[^"]*)"', row[2]))


# What the idioms say of the years of a scope, where X is 2005 and A to B 2003 to 2006.
MEANT = {
    "at or in X": lambda years: 2005 in years,
    "after X": lambda years: min(years) > 2005,
    "before X": lambda years: max(years) < 2005,
    "within A to B": lambda years: min(years) >= 2003 and max(years) <= 2006,
    "overlapping A to B": lambda years: not years.isdisjoint(range(2003, 2007)),
}
VALUES = {"X": "2005", "A": "2003", "B": "2006"}
INTERVALS = list(combinations_with_replacement(range(2000, 2010), 2))


def test_every_idiom_of_the_page_has_a_meaning_here():
    assert [row[0] for row in rows_under("Idioms")] == list(MEANT)


@pytest.mark.parametrize("row", rows_under("Idioms"), ids=lambda row: row[0])
def test_idiom_selects_what_it_means(row):
    (start_operator, start), (end_operator, end) = (
        condition(" ".join(VALUES.get(word, word) for word in cell.split()), default)
        for cell, default in zip(row[1:], ("ge", "le"), strict=True)
    )
    table = ScopeTable()
    table.add([scope(f"{first}/{last}") for first, last in INTERVALS])
    passes = table.mask(TimeFilter(start, end, start_operator, end_operator), undated="drop")
    meant = [MEANT[row[0]](set(range(first, last + 1))) for first, last in INTERVALS]
    assert list(passes) == meant
    assert 0 < sum(meant) < len(meant)
