"""One entry point for both grammars: each text goes to the grammar that can read it."""

import pytest

from remem.temporal.complex_tr_questions import ComplexTRQuestion
from remem.temporal.statements import Statement
from remem.temporal.templates import answer_question, parse_question, parse_statement
from remem.temporal.tot_questions import AtYear, CountBetween
from remem.time_scope import TimePoint

LINES = [
    "E1 was the R2 of E3 from 1990 to 1995.",
    "Ann worked for Bank from May 1990 to June 1995.",
]
FACTS = [parse_statement(line) for line in LINES]
HOW_MANY = "Find the number of unique entities that were the R2 of E3 between 1991 to 1992."


def test_statements_of_both_are_parsed_and_nothing_else_is():
    assert [parse_statement(line) for line in LINES] == [
        Statement("E1", "R2", "E3", TimePoint(1990), TimePoint(1995)),
        Statement("Ann", "worked for", "Bank", TimePoint(1990, 5), TimePoint(1995, 6)),
    ]
    assert parse_statement("Ann sang.") is None


@pytest.mark.parametrize(
    ("text", "kind", "answer"),
    [
        ("Which entity was the R2 of E3 in 1995?", AtYear, "E1"),
        (HOW_MANY, CountBetween, "1"),
        ("Which employer did Ann work for in June 1995?", ComplexTRQuestion, "Bank"),
        ("Which employer did Ann work for in July 1995?", ComplexTRQuestion, None),
    ],
)
def test_questions_of_both_are_answered_over_facts_of_both(text, kind, answer):
    question = parse_question(text)
    assert isinstance(question, kind)
    assert answer_question(question, FACTS) == answer


def test_a_question_of_neither_is_not_read():
    assert parse_question("Who let the dogs out?") is None


def test_a_count_that_was_taken_is_the_answer_where_one_is_asked_for():
    assert answer_question(parse_question(HOW_MANY), FACTS, count=7) == "7"
    other = parse_question("Which employer did Ann work for in June 1995?")
    assert answer_question(other, FACTS, count=7) == "Bank"
