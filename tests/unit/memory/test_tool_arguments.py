"""Arguments as a planner may write them, against Table 1 of the paper."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.memory.tool_arguments import (
    TOOL_ARGUMENTS,
    BadArgumentsError,
    describe,
    parse_arguments,
    reply_alternatives,
    reply_schema,
    tool_specs,
)
from remem.temporal.scopes import TimeFilter
from remem.time_scope import TimePoint

TIMES = {"start_time", "end_time", "start_operator", "end_operator"}
RANGE = {"limit", "ordering", "offset", "aggregation"}


def test_the_tools_and_their_arguments_are_those_of_table_1():
    assert {tool: set(model.model_fields) for tool, model in TOOL_ARGUMENTS.items()} == {
        "semantic_retrieve": {"query"} | TIMES,
        "lexical_retrieve": {"query"} | TIMES,
        "find_gist_contexts": {"gist_id"} | TIMES,
        "find_entity_contexts": {"subject", "object", "predicate"} | TIMES | RANGE,
        "output_answer": {"answer"},
    }


@pytest.mark.parametrize(
    ("given_times", "condition"),
    [
        ({}, TimeFilter()),
        (
            {"start_time": "2023-05-08", "end_time": "May 2023"},
            TimeFilter(TimePoint(2023, 5, 8), TimePoint(2023, 5), "ge", "le"),
        ),
        (
            {"start_time": "1990", "start_operator": "gt", "end_operator": "lt"},
            TimeFilter(TimePoint(1990), None, "gt", "lt"),
        ),
        ({"start_time": 1990, "end_time": None}, TimeFilter(TimePoint(1990))),
        (
            {"end_time": "1:56 pm on 8 May, 2023", "end_operator": "eq"},
            TimeFilter(end_time=TimePoint(2023, 5, 8, 836), end_operator="eq"),
        ),
    ],
)
def test_times_default_to_from_start_up_to_end(given_times, condition):
    for tool in ("semantic_retrieve", "lexical_retrieve"):
        assert parse_arguments(tool, {"query": "boat", **given_times}).time_filter() == condition
    found = parse_arguments("find_gist_contexts", {"gist_id": "g1", **given_times})
    assert found.time_filter() == condition
    assert parse_arguments("find_entity_contexts", given_times).time_filter() == condition


def test_nulls_count_as_not_given():
    assert parse_arguments("find_entity_contexts", dict.fromkeys(RANGE | TIMES)) == (
        parse_arguments("find_entity_contexts", {})
    )
    with pytest.raises(BadArgumentsError, match="query: Field required"):
        parse_arguments("semantic_retrieve", {"query": None})


def test_numbers_are_read_as_the_text_they_stand_for():
    assert parse_arguments("find_gist_contexts", {"gist_id": 12}).gist_id == "12"
    assert parse_arguments("output_answer", {"answer": 1990}).answer == "1990"
    assert parse_arguments("find_entity_contexts", {"limit": "25"}).limit == 25


@pytest.mark.parametrize(
    ("tool", "arguments", "problem"),
    [
        ("semantic_retrieve", {"query": ""}, "query: String should have at least 1 character"),
        ("lexical_retrieve", {"query": "boat", "top_k": 5}, "top_k: Extra inputs"),
        ("semantic_retrieve", {"query": "b", "start_time": "soon"}, "'soon' is not a date"),
        ("semantic_retrieve", {"query": "b", "end_time": "03/04/2023"}, "write it as 2023-05-08"),
        ("find_entity_contexts", {"limit": 0}, "limit: Input should be greater than or equal to 1"),
        ("find_entity_contexts", {"ordering": "newest"}, "ordering: Input should be 'asc' or"),
    ],
)
def test_what_does_not_fit_is_named_with_what_the_tool_takes(tool, arguments, problem):
    with pytest.raises(BadArgumentsError) as raised:
        parse_arguments(tool, arguments)
    assert problem in str(raised.value)
    assert str(raised.value).startswith(f"{tool} takes ")
    for name in TOOL_ARGUMENTS[tool].model_fields:
        assert name in str(raised.value)


def test_all_problems_are_named_at_once():
    with pytest.raises(BadArgumentsError, match=r"limit: .*; ordering: .*"):
        parse_arguments("find_entity_contexts", {"limit": "many", "ordering": "random"})


def test_an_unknown_tool_is_told_the_known_ones():
    with pytest.raises(BadArgumentsError, match=r"no tool 'search'; use one of semantic_retrieve"):
        parse_arguments("search", {})


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=3,
)
argument_names = st.sampled_from(sorted({"query", "gist_id", "answer"} | TIMES | RANGE))


@given(
    st.sampled_from(sorted(TOOL_ARGUMENTS)),
    st.dictionaries(argument_names | st.text(max_size=4), json_values, max_size=4),
)
def test_any_json_is_read_or_refused(tool, arguments):
    try:
        parsed = parse_arguments(tool, arguments)
    except BadArgumentsError:
        return
    given_names = {name for name, value in arguments.items() if value is not None}
    assert given_names <= set(type(parsed).model_fields)


def test_text_that_is_no_unicode_is_refused():
    with pytest.raises(BadArgumentsError, match="query: Input should be a valid string"):
        parse_arguments("semantic_retrieve", json.loads(r'{"query": "\ud800"}'))


SPECS = tool_specs(tuple(TOOL_ARGUMENTS))


def test_every_argument_of_every_tool_is_told_of_and_explained():
    for spec in SPECS:
        fields = TOOL_ARGUMENTS[spec.name].model_fields
        assert spec.description
        assert set(spec.parameters["properties"]) == set(fields)
        assert spec.parameters["required"] == [
            name for name, field in fields.items() if field.is_required()
        ]
        assert all(shown["description"] for shown in spec.parameters["properties"].values())
        assert all(
            isinstance(shown["type"], str) for shown in spec.parameters["properties"].values()
        )


def test_only_the_offered_tools_are_described():
    text = describe(tool_specs(("lexical_retrieve", "output_answer")))
    assert "- lexical_retrieve(query, start_time?, end_time?, " in text
    assert "- start_operator: how the start compares with start_time (lt or le" in text
    assert "ge if left out" in text
    assert "semantic_retrieve" not in text
    assert "gist_id" not in text


def test_an_argument_that_may_be_left_out_may_be_null_in_a_strict_reply():
    shapes = reply_schema(tool_specs(("find_entity_contexts",)))["properties"]["arguments"]["anyOf"]
    assert shapes[0]["properties"]["limit"] == {"type": ["integer", "null"]}
    assert shapes[0]["properties"]["ordering"]["enum"] == ["asc", "desc", None]


def test_an_alternative_pairs_a_tool_with_its_own_arguments_and_its_texts_have_an_end():
    keys = {"thought": "thought", "tool": "tool", "arguments": "arguments"}
    shapes = reply_alternatives(SPECS, **keys)["anyOf"]
    assert len(shapes) == len(TOOL_ARGUMENTS)
    for shape in shapes:
        (name,) = shape["properties"]["tool"]["enum"]
        arguments = shape["properties"]["arguments"]["properties"]
        assert set(arguments) == set(TOOL_ARGUMENTS[name].model_fields)
        texts = [*arguments.values(), shape["properties"]["thought"]]
        assert all(
            text["maxLength"] > 0
            for text in texts
            if "string" in text["type"] and "enum" not in text
        )
