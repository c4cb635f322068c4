"""Which people a question or a sentence is about, by its names and pronouns."""

import pytest

from remem.readers.answer_lines import parse_lines
from remem.readers.attribution import is_about, people_named

(ANN,) = parse_lines("[8 May 2023] Ann: a line")
(BOB,) = parse_lines("[8 May 2023] Bob: a line")
(TOLD,) = parse_lines("Ann moved to Rome in 2019")


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("What do Ann and Bob both like?", {"ann", "bob"}),
        ("Whose dog did Ann see in Rome?", {"ann"}),
    ],
)
def test_the_speakers_that_a_question_names_are_those_it_is_about(question, named):
    assert people_named(question, [ANN, BOB]) == named


@pytest.mark.parametrize(
    "question", ["When was the last race?", "Name the highest hill", "Was it in May or on Monday?"]
)
def test_a_month_a_day_and_the_first_word_are_no_names(question):
    assert people_named(question, [ANN]) == frozenset()


@pytest.mark.parametrize(
    ("sentence", "line", "about_ann"),
    [
        ("I painted a boat.", ANN, True),
        ("I painted a boat.", BOB, False),
        ("You painted a boat.", BOB, True),
        ("I painted the boat that you sold me.", ANN, True),
        ("Ann painted a boat.", BOB, True),
        ("Thanks, Ann! I painted a boat.", BOB, False),
        ("I painted a boat, Ann.", BOB, False),
        ("Bob painted a boat.", TOLD, True),
    ],
)
def test_people_speak_of_themselves_unless_they_say_you_or_a_name(sentence, line, about_ann):
    assert is_about(frozenset({"ann"}), sentence, line) is about_ann


def test_if_nobody_is_named_every_sentence_may_be_meant():
    assert is_about(frozenset(), "I painted a boat.", BOB)
