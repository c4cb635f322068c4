"""Dates, durations, numbers, people and places are found in sentences."""

import pytest

from remem.readers.answer_lines import parse_lines
from remem.readers.typed import date_said, typed_spans

(LINE,) = parse_lines("[8 May 2023, 1:56 pm] Ann: a line")


def spans(kind, question, sentence):
    return typed_spans(kind, question, sentence, LINE)


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("I ran yesterday (7 May 2023).", ("7 May 2023",)),
        ("I ran last week (the week before 8 May 2023).", ("the week before 8 May 2023",)),
        ("I ran on 2023-05-01.", ("1 May 2023",)),
        ("I ran on 2 May.", ("2 May 2023",)),
    ],
)
def test_a_date_is_the_one_added_or_stated_or_without_a_year(sentence, expected):
    assert spans("date", "When did Ann run?", sentence) == expected


@pytest.mark.parametrize(
    ("question", "sentence", "expected"),
    [
        ("How long did Ann stay?", "I stayed for about three weeks.", ("about three weeks",)),
        ("How long has Ann sung?", "I sing since 2016.", ("since 2016",)),
        ("How often does Ann swim?", "I swim twice a week.", ("twice a week",)),
        (
            "How often does Ann swim?",
            "I swim every other Monday morning.",
            ("every other Monday morning",),
        ),
        ("How often does Ann swim?", "I swim a lot.", ()),
    ],
)
def test_a_duration_keeps_its_unit(question, sentence, expected):
    assert spans("duration", question, sentence) == expected


@pytest.mark.parametrize(
    ("question", "sentence", "expected"),
    [
        ("How many dogs has Ann?", "In 2019 I had two big dogs and 3 cats.", ("two",)),
        ("How many dogs has Ann?", "I have dogs since 2019.", ()),
        ("How old is the dog?", "It is seven.", ("seven",)),
    ],
)
def test_a_number_stands_before_what_is_counted(question, sentence, expected):
    assert spans("number", question, sentence) == expected


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("We moved from Rome to New York in May.", ("Rome", "New York")),
        ("The Corn Exchange was where it took place.", ("The Corn Exchange",)),
        ("He hid it under the green sofa and slept.", ("the green sofa",)),
        ("We moved at the end of it.", ()),
    ],
)
def test_a_place_has_a_name_or_follows_a_preposition(sentence, expected):
    assert spans("place", "Where did they move?", sentence) == expected


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Yesterday Carla and my old friend Dora sang.", ("Carla", "Dora", "old friend")),
        ("Yes, we sang in Rome.", ()),
    ],
)
def test_a_person_is_a_name_or_a_relative_but_neither_the_speaker_nor_a_place(sentence, expected):
    assert spans("person", "Who sang?", sentence) == expected


def test_a_span_that_repeats_the_question_is_no_answer():
    assert spans("person", "With whom did Ann and Carla sing?", "We sang with Carla and Dora.") == (
        "Dora",
    )


def test_the_day_of_a_line_is_written_in_words():
    assert date_said(LINE) == "8 May 2023"
    (undated,) = parse_lines("Ann: a line")
    assert date_said(undated) == ""
