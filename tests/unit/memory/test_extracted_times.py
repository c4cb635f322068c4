"""When a gist or fact took place, as a model wrote it."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.memory.extracted_times import UnreadableDateError, fact_said, fact_scope, gist_scope
from remem.memory.extraction_replies import StatedFact
from remem.time_scope import TimePoint, TimeScope

SAID = TimePoint(2022, 6, 14)


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("[14 June 2022] Ines rowed last Sunday (12 June 2022).", "2022-06-12"),
        ("[14 June 2022] Ines rests.", "2022-06-14"),
        ("[14 June 2022, 6:20 pm] Ines rests.", "2022-06-14T18:20"),
        (
            "[14 June 2022] Ines rowed last weekend (11 June 2022 to 12 June 2022).",
            "2022-06-11/2022-06-12",
        ),
        ("[14 June 2022] Ines, in May 2021 and again (May 2021), won.", "2021-05"),
        ("[14 June 2022] Ines rowed on 1 May 2021 and on 2 May 2021.", "2022-06-14"),
        ("[14 June 2022] Ines won last year (2021) among 2022 rowers.", "2021"),
        ("[14 June 2022] Ines rowed for two years (2019 to 2020).", "2019/2020"),
        ("[14 June 2022] Ines rowed with a crowd (2022 people).", "2022-06-14"),
        ("Hedda opened the tramway in 1903.", "1903"),
        ("It ran from May 1903 to 1951.", "1903-05/1951"),
    ],
)
def test_a_gist_is_dated_by_its_one_date_else_by_its_prefix(text: str, time: str) -> None:
    assert str(gist_scope(text, None)) == time


@pytest.mark.parametrize("text", ["Ines rests.", "[some day] Ines rests.", ""])
def test_a_gist_without_any_date_is_dated_by_its_episode(text: str) -> None:
    assert gist_scope(text, None) is None
    assert gist_scope(text, SAID) == TimeScope(SAID)


def fact(**times: str) -> StatedFact:
    return StatedFact(subject="Ines", predicate="rowed", object="the Petrel", **times)


@pytest.mark.parametrize(
    ("times", "time"),
    [
        ({"point_in_time": "12 June 2022"}, "2022-06-12"),
        ({"point_in_time": "2022"}, "2022"),
        ({"point_in_time": "11 June 2022 to 12 June 2022"}, "2022-06-11/2022-06-12"),
        ({"point_in_time": "2022-06", "start_time": "2021"}, "2022-06"),
        ({"start_time": "May 2021", "end_time": "2022"}, "2021-05/2022"),
        ({"start_time": "2021"}, "2021/.."),
        ({"start_time": "2021", "end_time": "Present"}, "2021/.."),
        ({"end_time": "2021-05-01", "start_time": ""}, "../2021-05-01"),
        ({"start_time": "2021", "end_time": "May 2021"}, "2021/2021-05"),
        ({"point_in_time": "summer 2023"}, "2023-06/2023-08"),
        ({"point_in_time": "May to July 2023"}, "2023"),  # as in running text
        ({"start_time": "early 2021", "end_time": "late 2022"}, "2021-01/2022-12"),
        ({"start_time": "winter 2022", "end_time": "Present"}, "2022-12/.."),
        ({"end_time": "before 27 June 2023"}, "../2023-06-26"),
    ],
)
def test_a_fact_is_dated_by_its_qualifiers(times: dict[str, str], time: str) -> None:
    assert str(fact_scope(fact(**times))) == time


def test_the_time_of_saying_dates_no_fact() -> None:
    assert fact_scope(fact(record_time="14 June 2022")) is None


@pytest.mark.parametrize(
    "times",
    [
        {"point_in_time": "the early days"},
        {"start_time": "2019", "end_time": "after a while"},  # not one that still holds
        {"start_time": "2021", "end_time": "2019"},
        {"start_time": "summer 2023", "end_time": "spring 2023"},
        {"start_time": "before 2021"},
        {"end_time": "since 2021"},
    ],
)
def test_a_date_that_cannot_be_read_is_never_guessed(times: dict[str, str]) -> None:
    with pytest.raises(UnreadableDateError):
        fact_scope(fact(**times))


@given(st.text())
def test_no_text_of_a_gist_raises(text: str) -> None:
    gist_scope(text, None)


@given(st.text(), st.text(), st.text())
def test_no_date_of_a_fact_raises_anything_else(point: str, start: str, end: str) -> None:
    for times in ({"point_in_time": point}, {"start_time": start, "end_time": end}):
        with contextlib.suppress(UnreadableDateError):
            fact_scope(fact(**times))


def test_the_time_that_a_fact_refers_to_goes_before_the_day_on_which_it_was_recorded() -> None:
    parts = {"subject": "Ann", "predicate": "moved to", "object": "Kres"}
    both = {"reference_time": "2022-01-01", "record_time": "2023-06-19"}
    fact = StatedFact.model_validate({**parts, **both})
    assert fact_said(fact, None) == TimePoint(2022, 1, 1)
    fact = StatedFact.model_validate({**parts, **both, "reference_time": "lately"})
    assert fact_said(fact, None) == TimePoint(2023, 6, 19)


def test_a_null_does_not_hide_the_qualifier_of_the_same_name() -> None:
    parts = {"subject": "Ann", "predicate": "moved to", "object": "Kres"}
    told = {**parts, "qualifiers": {"record_time": "2023-06-19"}, "record_time": None}
    assert fact_said(StatedFact.model_validate(told), None) == TimePoint(2023, 6, 19)
