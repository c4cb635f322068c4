"""Sentences, the words of a question in them, and the span with the highest expected F1."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.readers.answer_lines import parse_lines
from remem.readers.ranked_sentences import (
    best_spans,
    match,
    ranked_sentences,
    sentences,
    terms,
    words_of,
)


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


@given(st.text("ab", max_size=9), st.frozensets(st.text("ab", min_size=1, max_size=12), max_size=6))
def test_a_word_almost_matches_if_the_shorter_starts_the_longer_and_lacks_only_an_ending(
    term, words
):
    almost = any(
        min(len(term), len(word)) >= 5
        and abs(len(term) - len(word)) <= 4
        and (word.startswith(term) or term.startswith(word))
        for word in words
    )
    assert match(term, words) == (1.0 if term in words else 0.8 if almost else 0.0)


@pytest.mark.parametrize(
    ("text", "cut"),
    [
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


def looks(question, sentence):
    return {word.text: word.looks for word in words_of(terms(question), sentence)}


def test_words_of_the_question_and_their_clause_are_known():
    found = looks("What did Ann paint?", "I painted hills, they shone")
    assert found["painted"] == ("asked", "clause asked")
    assert found["hills,"] == ("clause asked",)
    assert found["they"] == ("function word",)


def test_names_titles_and_chatter_are_known():
    found = looks("What did Ann read?", 'Wow, Carla "The Red Hill" really slowly')
    assert found["Wow,"] == ("chatter",)
    assert found["Carla"] == ("name",)
    assert found["Red"] == ("name", "quoted")
    assert found["really"] == ("chatter", "ends in -ly")
    assert found["slowly"] == ("ends in -ly",)


def test_a_date_that_was_added_is_no_word_and_articles_do_not_count():
    words = words_of(frozenset(), "a boat yesterday (7 May 2023) -")
    assert [(word.text, word.counts) for word in words] == [
        ("a", False),
        ("boat", True),
        ("yesterday", True),
        ("-", False),
    ]


def test_a_title_is_cut_out_whole():
    sentence = 'I finally read "Seven Green Hills" yesterday.'
    assert best_spans("What did Ann read?", [sentence], 2.0, 1) == ["Seven Green Hills"]


def test_a_span_has_no_chatter_and_no_function_words_at_its_ends():
    sentence = "Yeah, I really painted mountains and valleys, it was so good."
    assert best_spans("What did Ann paint?", [sentence], 2.0, 1) == ["mountains and valleys"]


def test_a_list_takes_a_span_of_each_sentence_in_their_order():
    titles = ['I read "Hills".', 'I read "Lakes and Rivers".']
    assert best_spans("What did Ann read?", titles, 4.0, 4) == ["Hills", "Lakes and Rivers"]
    assert best_spans("What did Ann read?", titles, 4.0, 1) == ["Lakes and Rivers"]


@pytest.mark.parametrize("sentences", [[], [""], ["the - ..."]])
def test_without_words_there_is_no_span(sentences):
    assert best_spans("What did Ann read?", sentences, 2.0, 2) == []
