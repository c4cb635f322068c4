"""Placeholders by name or by position, in four notations; values are plain text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.prompts.placeholders import Syntax, placeholders, substituted


@pytest.mark.parametrize(
    ("text", "syntax"),
    [
        ("Q: ${q}\nA: $a, $$5 {}", "dollar"),
        ("Q: {q}\nA: {a}, $5 {{}}", "braces"),
        ("Q: <q>\nA: <a>, $5 {}", "angles"),
    ],
)
def test_all_ways_of_writing_mean_the_same(text: str, syntax: Syntax) -> None:
    assert placeholders(text, syntax) == {"q", "a"}
    assert substituted(text, {"q": "When?", "a": "May"}, syntax) == "Q: When?\nA: May, $5 {}"


def test_blanks_are_numbered_from_one() -> None:
    text = "Q: {}\nA: {}, $5 {{}}"
    assert placeholders(text, "blanks") == {"1", "2"}
    assert substituted(text, {"2": "May {}", "1": "When?"}, "blanks") == (
        "Q: When?\nA: May {}, $5 {}"
    )
    values = {str(place): f"v{place}" for place in range(1, 12)}
    assert substituted("{} " * 11, values, "blanks").split() == list(values.values())


@pytest.mark.parametrize("text", ["{q}", "{0}", "{!r}", "{:>9}", "{.x}", "{[0]}", "one } alone"])
def test_a_blank_with_anything_in_it_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not just \{\}|Single '}'"):
        placeholders(text, "blanks")


@pytest.mark.parametrize(
    ("text", "syntax"),
    [
        ("it costs $5", "dollar"),
        ("{q.__class__}", "braces"),
        ('{"label": "CORRECT"}', "braces"),
    ],
)
def test_a_placeholder_that_is_more_than_a_name_is_refused(text: str, syntax: Syntax) -> None:
    with pytest.raises(ValueError, match=r"."):
        placeholders(text, syntax)


@given(st.text())
def test_a_value_is_not_looked_into(value: str) -> None:
    assert substituted("<${q}>", {"q": value}, "dollar") == f"<{value}>"
    assert substituted("<{q}>", {"q": value}, "braces") == f"<{value}>"
    assert substituted("{<q>}", {"q": value}, "angles") == f"{{{value}}}"


def test_marks_that_are_no_names_in_angles_stay() -> None:
    text = "a < b, <B>, <1>, <a b>, <>"
    assert placeholders(text, "angles") == frozenset()
    assert substituted(text, {}, "angles") == text
