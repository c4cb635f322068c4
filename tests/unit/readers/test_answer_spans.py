"""Which part of a line is the answer, depending on the question word."""

import pytest

from remem.readers.answer_lines import parse_lines
from remem.readers.extractive import answer_span


def cut(question, text):
    (line,) = parse_lines(text)
    return answer_span(question, line)


@pytest.mark.parametrize(
    ("question", "text", "answer"),
    [
        (
            "When did Ann run?",
            "[8 May 2023, 1:56 pm] Ann: I ran yesterday (7 May 2023). It was fun.",
            "7 May 2023",
        ),
        (
            "When did Ann swim?",
            "[8 May 2023, 1:56 pm] Ann: I ran yesterday (7 May 2023). "
            "I swam last weekend (the weekend before 8 May 2023) - swim with me!",
            "the weekend before 8 May 2023",
        ),
        ("When did Ann run?", "[1:56 pm on 8 May, 2023] Ann: I ran!", "8 May 2023"),
        ("In which year did Ann move?", "Ann | moved to | Rome | 2021 | said 2023-06-19", "2021"),
        ("When did Ann move?", "Ann | moved to | Rome | 2021-05 | said 2023-06-19", "May 2021"),
        ("When did Ann move?", "Ann | moved to | Rome | said 2023-06-19T18:20", "19 June 2023"),
        ("When does Ann run?", "Ann: I run on Mondays", "Mondays"),
    ],
)
def test_a_when_question_takes_the_resolved_date_else_a_stated_one_else_that_of_the_line(
    question, text, answer
):
    assert cut(question, text) == answer


@pytest.mark.parametrize(
    ("question", "text", "answer"),
    [
        ("How many dogs does Ann have?", "Ann: Hi! I have three dogs.", "three"),
        ("How long did Ann live there?", "Ann: I lived there for 4 years.", "4 years"),
        ("Where did Ann move?", "Ann: Hello. I moved to New York in May.", "New York"),
        ("Who did Ann meet?", "Ann: I met Carla Diaz at the station.", "Carla Diaz"),
        ("Did Ann move?", "Ann: I moved to Rome.", "Yes"),
        ("What book did Ann read?", 'Ann: I read the book "Dune" twice.', "Dune"),
        ("What did Ann paint?", "Ann: Hi Bob. I painted a red sunset for you.", "red sunset"),
    ],
)
def test_other_questions_take_a_short_span_or_what_the_sentence_adds(question, text, answer):
    assert cut(question, text) == answer


def test_a_line_without_words_is_cut_without_failing():
    assert cut("", "") == ""
