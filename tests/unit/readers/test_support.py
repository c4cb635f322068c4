"""How well lines support a question: shares of its words by idf, worked out by hand."""

import math

import pytest

from remem.readers.answer_lines import parse_lines
from remem.readers.extractive import supports

LINES = [
    parse_lines(text)[0]
    for text in (
        "Ann: I painted a boat.",
        "Bob: I painted a house.",
        "Bob: Nice.",
    )
]
PAINT, BOAT = math.log(1 + 3 / 3), math.log(1 + 3 / 2)
"""log(1 + lines / (1 + lines with the word)): two lines of three have the one, one the other."""


def test_a_share_is_of_the_idf_of_the_words_asked_for() -> None:
    assert supports("Which boat was painted?", LINES, 0.3) == pytest.approx(
        [1.0, PAINT / (PAINT + BOAT), 0.0]
    )


def test_lines_of_another_speaker_than_the_named_one_are_worth_less() -> None:
    assert supports("What did Ann paint?", LINES, 0.3) == pytest.approx([1.0, 0.3, 0.0])


def test_a_question_without_words_of_its_own_has_no_support() -> None:
    assert supports("What did Ann do?", LINES, 0.3) == [0.0, 0.0, 0.0]
    assert supports("Which boat?", [], 0.3) == []
