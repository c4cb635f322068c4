import re
from string import ascii_lowercase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.benchmarks.personamem import equal_options, read_options
from remem.metrics.choices import lettered

TEXT = st.text(st.characters(codec="utf-8"), min_size=1, max_size=30).filter(
    lambda text: text.strip() == text and not re.search(r"^\([a-z]\)[ \t]", text, re.MULTILINE)
)


def test_options_are_read_without_their_letters():
    assert read_options("\n\n(a) Tea.\n(b) Rum (c) and cola.\n", "q1") == (
        "Tea.",
        "Rum (c) and cola.",
    )


def test_an_option_may_have_lines_even_with_a_letter_that_is_not_the_next():
    assert read_options("(a) Tea:\n(c) no mark\n(b) Rum", "q1") == ("Tea:\n(c) no mark", "Rum")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "q1 has too few options .0., expected at least"),
        ("(a) Tea.", "q1 has too few options .1., expected at least"),
        ("(b) Tea.\n(c) Rum.", "q1 has too few options"),
        ("Or: (a) Tea.\n(a) Rum.\n(b) Gin.", r"q1 has text before its option \(a\)"),
        ("(a) \n(b) Rum.", r"option \(a\) of q1 is empty"),
    ],
)
def test_what_is_no_list_of_options_is_refused(text, message):
    with pytest.raises(ValueError, match=message):
        read_options(text, "q1")


@given(st.lists(TEXT, min_size=2, max_size=26))
def test_lettered_options_are_read_back(options):
    assert read_options("\n".join(lettered(options)), "q1") == tuple(options)


@given(st.lists(st.sampled_from("xyz"), min_size=1, max_size=8), st.data())
def test_equal_options_are_all_others_with_the_text(options, data):
    position = data.draw(st.integers(0, len(options) - 1))
    places = {*equal_options(options, position), position}
    assert places == {i for i, option in enumerate(options) if option == options[position]}
    assert position not in equal_options(options, position)


def test_there_are_letters_for_as_many_options_as_the_alphabet_has():
    text = "\n".join((*lettered(["x"] * 26), "(a) more"))
    assert len(read_options(text, "q1")) == len(ascii_lowercase)
