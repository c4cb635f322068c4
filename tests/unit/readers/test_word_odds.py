"""The span with the highest expected F1, and the features of a word."""

import pytest

from remem.readers.ranked_sentences import best_spans, terms, words_of


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
