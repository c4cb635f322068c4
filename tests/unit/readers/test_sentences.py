"""A text is split into sentences without changing a word."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.readers.ranked_sentences import sentences


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("We moved. It rained!", ("We moved.", "It rained!")),
        ("Dr. Lee called at 5 p.m. today", ("Dr. Lee called at 5 p.m. today",)),
        ("we moved. it rained", ("we moved.", "it rained")),
        ("one\ntwo\n\nthree", ("one", "two", "three")),
        ('"Go!" she said... Then 3.5 km', ('"Go!"', "she said...", "Then 3.5 km")),
        ("", ()),
    ],
)
def test_a_text_is_cut_at_the_ends_of_sentences(text, cut) -> None:
    assert sentences(text) == cut


@given(text=st.text(alphabet="ab .!?\n\"'5", max_size=60))
def test_no_sign_but_space_is_lost(text) -> None:
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())
