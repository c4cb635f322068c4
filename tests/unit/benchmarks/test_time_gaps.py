import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.benchmarks.chat_sessions import gap_days


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("one week later", 7),
        ("Roughly TWELVE months later", 360),
        ("an  month", 30),
        ("2weeks", 0),
        ("", 0),
        ("two days later", 0),
        ("thirteen weeks", 0),
        ("tone week", 0),
    ],
)
def test_both_rules_read_numbers_with_units(text, days):
    assert gap_days(text, "released") == gap_days(text, "counted") == days


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("several years later", 3 * 365),
        ("a few weeks later", 21),
        ("a couple of months later", 60),
    ],
)
def test_only_the_counted_rule_reads_words_for_some(text, days):
    assert gap_days(text, "released") == 0
    assert gap_days(text, "counted") == days


@given(st.text(), st.sampled_from(["released", "counted"]))
def test_any_text_is_some_number_of_days(text, rule):
    assert gap_days(text, rule) >= 0


@given(st.integers(1, 9999), st.sampled_from([("week", 7), ("month", 30), ("year", 365)]))
def test_digits_are_multiplied_with_the_unit(count, unit):
    name, days = unit
    assert gap_days(f"about {count} {name}s later", "released") == count * days
