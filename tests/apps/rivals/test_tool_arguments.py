"""Placeholders in the arguments of a tool."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.apps.rivals.tool_arguments import (
    SEARCH_FIELDS,
    STORE_FIELDS,
    check_template,
    filled,
    placeholders,
)
from remem.errors import UsageError


def test_placeholders_are_replaced_at_any_depth_and_a_number_stays_a_number() -> None:
    template = {"entities": [{"name": "{id}", "notes": ["[{date}] {text}"]}], "limit": "{top_k}"}
    values = {"id": "m1", "date": "8 May", "text": "Hi", "top_k": 5}
    assert filled(template, values) == {
        "entities": [{"name": "m1", "notes": ["[8 May] Hi"]}],
        "limit": 5,
    }
    assert filled({"exact": True, "depth": 2, "kind": None}, {}) == {
        "exact": True,
        "depth": 2,
        "kind": None,
    }


@given(st.text(), st.text())
def test_a_text_is_never_read_as_a_template_again(text: str, date: str) -> None:
    assert filled({"a": "{text}", "b": "{date}: {text}"}, {"text": text, "date": date}) == {
        "a": text,
        "b": f"{date}: {text}",
    }


def test_a_text_with_placeholders_is_stored_as_it_was_said() -> None:
    assert filled({"a": "say {text}"}, {"text": "{id}", "id": "m1"}) == {"a": "say {id}"}


def test_an_unknown_placeholder_is_named_with_those_that_there_are() -> None:
    with pytest.raises(UsageError, match=r"store_arguments has the placeholder \{query\}; choose"):
        check_template("store_arguments", {"a": ["{query}"]}, STORE_FIELDS)
    check_template("search_arguments", {"a": ["{query}"]}, SEARCH_FIELDS)


@pytest.mark.parametrize("template", [None, "{text}", ["{text}"]])
def test_arguments_are_given_by_name(template: object) -> None:
    with pytest.raises(UsageError, match="expected a mapping with the arguments of the tool"):
        check_template("store_arguments", template, STORE_FIELDS)


def test_all_placeholders_are_found() -> None:
    assert placeholders({"a": "{x}{y}", "b": [{"c": "{z}"}], "d": 1, "e": "{ no }"}) == {
        *("x", "y", "z"),
    }
