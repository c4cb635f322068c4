"""The templated questions and statements of Test of Time and Complex-TR, with one interface."""

from collections.abc import Iterable
from functools import lru_cache

from remem.temporal.complex_tr_questions import (
    ComplexTRQuestion,
    answer_complex_tr,
    parse_complex_tr_question,
)
from remem.temporal.statements import Statement, parse_complex_tr_statement, parse_tot_statement
from remem.temporal.tot_answers import answer_tot
from remem.temporal.tot_questions import ToTQuestion, parse_tot_question

TemplatedQuestion = ToTQuestion | ComplexTRQuestion


def parse_question(text: str) -> TemplatedQuestion | None:
    """Parse a question of either dataset; return None if its wording is unknown."""
    return parse_tot_question(text) or parse_complex_tr_question(text)


@lru_cache(maxsize=10_000)  # a reader without search parses an entire history for each question
def parse_statement(line: str) -> Statement | None:
    """Parse an entire line as a statement of either dataset; return None for any other text."""
    return parse_tot_statement(line) or parse_complex_tr_statement(line)


def answer_question(
    question: TemplatedQuestion, facts: Iterable[Statement], count: int | None = None
) -> str | None:
    """Return the answer, in the format of the dataset's gold answers; None if no fact gives one.

    Args:
        question: The parsed question.
        facts: The retrieved facts in any order, possibly repeated or irrelevant.
        count: The result of a count tool, for a question that asks for a count.
    """
    if isinstance(question, ComplexTRQuestion):
        return answer_complex_tr(question, facts)
    return answer_tot(question, facts, count)
