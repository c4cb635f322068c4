"""A quoted text is what Hydra reads back."""

import pytest
from hydra.core.override_parser.overrides_parser import OverridesParser
from hypothesis import given
from hypothesis import strategies as st

from remem.config.override_text import quoted


def read_back(text: str) -> object:
    (override,) = OverridesParser.create().parse_overrides([f"key={quoted(text)}"])
    return override.value()


@pytest.mark.parametrize(
    "text", ["plain", "Ann's", "a\\b", "ends with \\", "\\'", "a, b", "{x: 1}", "$y", ""]
)
def test_a_text_is_read_back_as_it_is(text: str) -> None:
    assert read_back(text) == text


@given(st.text("ab'\\\" ,=[]{}():$", max_size=12).filter(lambda text: "${" not in text))
def test_any_text_of_special_characters_is_read_back(text: str) -> None:
    assert read_back(text) == text
