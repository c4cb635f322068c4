"""Lines of evidence are split into their parts, and words are compared by their stems."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.readers.answer_lines import content_stems, parse_lines, stem


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("[8 May 2023] Ann Lee: Hi: you!", ("8 May 2023", "Ann Lee", "Hi: you!")),
        ("[8 May 2023] Ann moved.", ("8 May 2023", "", "Ann moved.")),
        ("Ann | moved to | Rome | 2021", ("", "", "Ann | moved to | Rome | 2021")),
        ("", ("", "", "")),
    ],
)
def test_a_line_has_a_date_a_speaker_and_a_body_or_less(text, parts):
    (line,) = parse_lines(text)
    assert (line.date, line.speaker, line.body) == parts


def test_a_session_is_taken_apart_at_its_dated_messages():
    first, second = parse_lines("[1 May 2023] Ann: Hi\nthere\n[1 May 2023] Bob: Hello")
    assert (first.speaker, first.body) == ("Ann", "Hi\nthere")
    assert (second.speaker, second.body) == ("Bob", "Hello")


def test_a_line_is_about_its_speaker_or_about_all_it_names():
    (spoken,) = parse_lines("Ann: Bob runs")
    (told,) = parse_lines("Bob runs with Ann")
    assert spoken.names == {"ann"}
    assert told.names == {"bob", "run", "ann"}


def test_content_words_are_compared_without_endings_and_genitives():
    assert content_stems("When did Ann's sisters go hiking?") == content_stems("ann sister go hike")
    assert content_stems("What is it for you and me? I'm, don't") == frozenset()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("running", "run"),
        ("hobbies", "hobby"),
        ("moved", "move"),
    ],
)
def test_forms_of_a_word_share_a_stem(one, other):
    assert stem(one) == stem(other)


@given(st.text(max_size=60))
def test_no_text_is_too_strange_to_be_a_line(text):
    assert "".join(text.split()) == "" or parse_lines(text)
