"""Token F1 and exact match by hand and by their defining properties, and the estimate of tokens."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.metrics.qa import exact_match, normalised_tokens, token_f1
from remem.metrics.tokens import estimated_tokens

WORDS = st.lists(
    st.sampled_from(["ann", "bob", "rome", "paris", "2023", "red", "car", "the", "a"]), max_size=8
)
TEXTS = WORDS.map(" ".join) | st.text(max_size=30)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("a.b, c-d", ["ab", "cd"]),
        ("an apple, the pear and Theo", ["apple", "pear", "and", "theo"]),
        ("  7 May\n2023 ", ["7", "may", "2023"]),
        ("The.", []),
        ("café the\u2013end", ["café", "\u2013end"]),
    ],
)
def test_texts_lose_case_ascii_punctuation_and_articles(text, tokens):
    assert normalised_tokens(text) == tokens


@pytest.mark.parametrize(
    ("answer", "gold", "expected"),
    [
        ("red car", "red car", 1.0),
        ("a red car", "The red, red car", 4 / 5),  # 2 shared of 2 and 3
        ("red red", "red car", 1 / 2),  # the second "red" finds no partner
        ("bus", "car", 0.0),
        ("the", "a", 0.0),  # both normalise to nothing
        ("", "", 0.0),
    ],
)
def test_f1_counts_shared_words_as_a_multiset(answer, gold, expected):
    assert token_f1(answer, [gold]) == pytest.approx(expected)


def test_the_best_gold_counts():
    assert token_f1("red car", ["bus", "red car of Ann", "red"]) == pytest.approx(2 / 3)
    assert exact_match("Red car.", ["bus", "the red car"]) == 1.0


@pytest.mark.parametrize(
    ("answer", "gold", "expected"),
    [
        ("The Red car!", "red car", 1.0),
        ("car red", "red car", 0.0),
        ("red", "red car", 0.0),
        ("the", "", 1.0),  # equal after normalisation, though their F1 is 0
    ],
)
def test_exact_match_compares_the_normalised_texts(answer, gold, expected):
    assert exact_match(answer, [gold]) == expected


@given(TEXTS, TEXTS)
def test_f1_with_one_gold_is_symmetric_and_between_0_and_1(answer, gold):
    assert token_f1(answer, [gold]) == token_f1(gold, [answer])
    assert 0.0 <= token_f1(answer, [gold]) <= 1.0


@given(TEXTS, TEXTS)
def test_f1_is_1_exactly_if_the_words_are_the_same_multiset_and_there_are_some(answer, gold):
    same = Counter(normalised_tokens(answer)) == Counter(normalised_tokens(gold))
    assert (token_f1(answer, [gold]) == 1.0) == (same and bool(normalised_tokens(gold)))


@given(TEXTS, st.lists(TEXTS, min_size=1, max_size=4))
def test_another_gold_never_lowers_a_score(answer, golds):
    assert token_f1(answer, golds) == max(token_f1(answer, [gold]) for gold in golds)
    assert exact_match(answer, golds) == max(exact_match(answer, [gold]) for gold in golds)


@given(TEXTS, TEXTS)
def test_an_exact_match_of_something_has_f1_1(answer, gold):
    if exact_match(answer, [gold]) and normalised_tokens(gold):
        assert token_f1(answer, [gold]) == 1.0


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", 0), (" \n", 0), ("cat", 1), ("cats!", 2), ("a b c", 3), ("x" * 400, 100)],
)
def test_a_token_is_four_characters_but_at_least_one_per_word(text, expected):
    assert estimated_tokens(text) == expected


@given(st.text(), st.text())
def test_a_longer_text_never_has_fewer_tokens(text, more):
    assert estimated_tokens(f"{text} {more}") >= estimated_tokens(text)
