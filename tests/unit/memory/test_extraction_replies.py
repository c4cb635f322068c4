"""Replies to the extraction prompts: what is tolerated, what is dropped, what is rejected."""

import contextlib
import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.errors import RejectedReplyError
from remem.memory.extraction_replies import (
    FACTS_SCHEMA,
    StatedFact,
    UnreadableDateError,
    fact_said,
    fact_scope,
    gist_scope,
    parse_facts,
    parse_gists,
)
from remem.prompts.replies import CutReplyError
from remem.protocols import ChatReply
from remem.time_scope import TimePoint, TimeScope
from remem.types import Usage

GISTS = ("[14 June 2022] Ines rows {fast}.", "[14 June 2022] Ravi said: “no”.")
ROWS = {"subject": "Ines", "predicate": "rows", "object": "the Petrel"}
OWNS = {"subject": "Joost", "predicate": "owns", "object": "the Petrel"}


def reply(content: object, *, truncated: bool = False) -> ChatReply:
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    return ChatReply(text, (), truncated, Usage(1, 10, 10))


WHOLE = json.dumps({"gists": GISTS}, ensure_ascii=False)


@pytest.mark.parametrize(
    "text",
    [
        WHOLE,
        f'Here is what I found in {{this}} session:\n{WHOLE}\nAsk for {{"more": true}}.',
        json.dumps({"thought": "two", "gists": [GISTS[0], None, "", GISTS[1]]}),
        f"```\n{json.dumps(GISTS)}\n``` [done]",
        f"{WHOLE}\n\nThe response is:\n{WHOLE}",
    ],
)
def test_the_gists_are_found_whatever_stands_around_them(text: str) -> None:
    assert parse_gists(reply(text)) == GISTS


def test_an_empty_list_is_an_answer() -> None:
    assert parse_gists(reply({"gists": []})) == ()
    assert parse_facts(reply({"facts": []})) == ()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("[as asked] " + WHOLE[:-3], "no JSON object"),
        ({"facts": []}, "no JSON object with the key 'gists'"),
        (WHOLE + json.dumps({"gists": GISTS[:1]}), "2 objects have the key"),
        ({"gists": None}, "'gists' is a NoneType, expected a list"),
        ({"gists": ["Ines rows.", {"gist": "x"}]}, r"gists\.1: Input should be a valid string"),
        ({"gists": [None, " "]}, "none of the 2 items is complete"),
        ('{"gists": ["\\ud800"]}', "no JSON object"),
    ],
)
def test_gists_that_cannot_be_used_are_rejected_with_the_reason(
    content: object, reason: str
) -> None:
    with pytest.raises(RejectedReplyError, match=reason):
        parse_gists(reply(content))


def facts_of(*items: object) -> tuple[StatedFact, ...]:
    return parse_facts(reply({"facts": items}))


@pytest.mark.parametrize(
    "item",
    [
        ROWS,
        list(ROWS.values()),
        {**ROWS, "point_in_time": None, "start_time": None, "confidence": 0.7},
        {**ROWS, "qualifiers": {"place": "yard"}},
        {**ROWS, "object": " the\n Petrel\t\x00"},
    ],
    ids=str,
)
def test_shapes_that_mean_the_same_fact(item: object) -> None:
    (fact,) = facts_of(item)
    assert fact == StatedFact(**ROWS)


def test_qualifiers_may_be_an_object_of_their_own_and_dates_numbers() -> None:
    (fact,) = facts_of({**ROWS, "qualifiers": {"start_time": 1990, "end_time": "1995"}})
    assert (fact.start_time, fact.end_time) == ("1990", "1995")


def test_an_incomplete_fact_is_dropped_and_none_is_made_up() -> None:
    whole = facts_of(ROWS, None, {**OWNS, "object": None}, {**OWNS, "subject": ""}, OWNS)
    assert [fact.subject for fact in whole] == ["Ines", "Joost"]


@pytest.mark.parametrize(
    "item",
    [
        7,
        [],
        {"subject": "Ines"},
        {**ROWS, "start_time": {"year": 1990}},
        {**ROWS, "object": None},
    ],
    ids=str,
)
def test_facts_of_wrong_types_or_nothing_whole_are_rejected(item: object) -> None:
    with pytest.raises(RejectedReplyError):
        facts_of(item)


def test_a_bare_list_of_facts_is_read() -> None:
    assert parse_facts(reply([list(ROWS.values()), list(OWNS.values())])) == facts_of(ROWS, OWNS)
    with pytest.raises(RejectedReplyError):
        parse_facts(reply([ROWS["subject"], ROWS["predicate"], ROWS["object"]]))


FACTS_TEXT = json.dumps({"facts": [ROWS, OWNS]})


def test_a_list_that_was_cut_never_passes_for_the_whole_list() -> None:
    for left in range(1, len(FACTS_TEXT)):
        with pytest.raises(CutReplyError, match="cut at the token limit"):
            parse_facts(reply(FACTS_TEXT[:left], truncated=True))


@pytest.mark.parametrize("text", ["", '{"gists": ["Ines rows." oops "Ravi ro'])
def test_a_reply_that_was_cut_is_cut_even_if_it_is_malformed(text: str) -> None:
    with pytest.raises(CutReplyError):
        parse_gists(reply(text, truncated=True))


def test_a_reply_that_was_cut_behind_its_json_is_whole() -> None:
    assert parse_gists(reply(f"{WHOLE} I hope that", truncated=True)) == GISTS


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from([*ROWS, "facts", "gists", "end_time"]), inner)
    ),
    max_leaves=12,
)


def parse_all(text: str, *, truncated: bool) -> None:
    for parse in (parse_gists, parse_facts):
        try:
            found: tuple[Any, ...] = parse(reply(text, truncated=truncated))
        except RejectedReplyError:
            continue
        assert isinstance(found, tuple)


@given(st.text(), st.booleans())
def test_any_text_is_read_or_rejected(text: str, truncated: bool) -> None:
    parse_all(text, truncated=truncated)


@given(JSON, st.sampled_from(["gists", "facts"]), st.integers(0, 5), st.booleans())
def test_any_json_is_read_or_rejected(inner: Any, key: str, lost: int, truncated: bool) -> None:
    text = json.dumps({key: inner})
    parse_all(text[: len(text) - lost], truncated=truncated)


@pytest.mark.parametrize("garbage", ["{", "[", '{"facts": ['])
def test_a_megabyte_of_garbage_is_rejected_within_seconds(garbage: str) -> None:
    text = garbage * (1_000_000 // len(garbage))
    begun = time.perf_counter()
    for parse in (parse_gists, parse_facts):
        with pytest.raises(RejectedReplyError):
            parse(reply(text))
    assert time.perf_counter() - begun < 30


def test_the_schema_of_a_fact_is_what_is_read() -> None:
    item = FACTS_SCHEMA["properties"]["facts"]["items"]
    # No prompt of ours asks for a reference_time, which others' prompts may bring.
    assert set(item["properties"]) == set(StatedFact.model_fields) - {"reference_time"}


SAID = TimePoint(2022, 6, 14)


@pytest.mark.parametrize(
    ("text", "time"),
    [
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
        ({"point_in_time": "11 June 2022 to 12 June 2022"}, "2022-06-11/2022-06-12"),
        ({"point_in_time": "2022-06", "start_time": "2021"}, "2022-06"),
        ({"start_time": "May 2021", "end_time": "2022"}, "2021-05/2022"),
        ({"start_time": "2021"}, "2021/.."),
        ({"start_time": "2021", "end_time": "Present"}, "2021/.."),
        ({"end_time": "2021-05-01", "start_time": ""}, "../2021-05-01"),
        ({"start_time": "2021", "end_time": "May 2021"}, "2021/2021-05"),
        ({"point_in_time": "summer 2023"}, "2023-06/2023-08"),
        ({"start_time": "early 2021", "end_time": "late 2022"}, "2021-01/2022-12"),
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
