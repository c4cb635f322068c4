"""The share of a question's words that a sentence covers."""

import pytest

from remem.readers.answer_lines import parse_lines
from remem.readers.ranked_sentences import ranked_sentences


def ranked(question, *texts, named=frozenset({"ann"})):
    lines = [line for text in texts for line in parse_lines(text)]
    return ranked_sentences(question, lines, named)


def test_the_share_counts_words_of_the_sentence_and_less_those_of_the_rest_of_its_line():
    # The topic is "sell", "old" and "boat": the first sentence has 1 + 1 + 0.3 * 1 of 3 words, the
    # second 0.3 + 0.3 + 1.
    first, second = ranked("Why did Ann sell the old boat?", "Ann: I sold the old one. A boat!")
    assert first.share == pytest.approx(2.3 / 3)
    assert second.share == pytest.approx(1.6 / 3)


def test_a_question_counts_half():
    (asked,) = ranked("Why did Ann sell the boat?", "Bob: Did somebody sell the boat?")
    assert asked.share == pytest.approx(0.5)


def test_the_names_in_the_question_do_not_count():
    (sentence,) = ranked("What did Ann sell?", "Ann: Ann is here.")
    assert sentence.share == 0.0


def test_a_question_without_words_of_its_own_has_no_share():
    (sentence,) = ranked("What did Ann do?", "Ann: I sold it.")
    assert sentence.share == 0.0


def test_sentences_are_in_order_and_tell_whom_they_are_about():
    found = ranked("What did Ann sell?", "Bob: I sold it. You sold it.", "Ann: I sold it.")
    assert [(each.line.speaker, each.about) for each in found] == [
        ("Bob", False),
        ("Bob", True),
        ("Ann", True),
    ]
