"""BLEU-1 by hand and against nltk on the same 13a tokens, and nltk without its downloads."""

from math import exp

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.translate.bleu_score import sentence_bleu
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

from remem.metrics import bleu
from remem.metrics.bleu import bleu1, porter_stem, treebank_words

TOKENIZER = Tokenizer13a()
WORDS = st.lists(
    st.sampled_from(
        [
            *("the", "The", "cat", "sat,", "on.", "mat", "3.5"),
            *("1,000", "co-op", "&amp;", "don't", "$5", "(a)", "\n"),
        ]
    ),
    max_size=10,
)
TEXTS = WORDS.map(" ".join) | st.text(max_size=30)


@pytest.mark.parametrize(
    ("answer", "gold", "expected"),
    [
        ("7 May 2023", "7 May 2023", 1.0),
        ("the cat", "the cat sat on the mat", exp(1 - 6 / 2)),
        ("the the the", "the cat", 1 / 3),  # clipped to one "the"; longer, so no penalty
        ("the cat sat", "on the mat", 1 / 3),  # equal lengths: no penalty
        ("The cat", "the cat", 1 / 2),  # case counts
        ("cat.", "cat", 1 / 2),  # 13a splits the full stop off
        ("May 8, 2023", "8 May, 2023", 1.0),  # order does not count for single tokens
        ("bus", "car", 0.0),
        ("", "car", 0.0),
        ("", "", 0.0),
    ],
)
def test_bleu1_is_clipped_precision_times_brevity_penalty(answer, gold, expected):
    assert bleu1(answer, [gold]) == pytest.approx(expected)


def test_each_gold_is_scored_apart_and_the_best_counts():
    # One call with both references would clip against both and score 1.
    assert bleu1("red bus", ["red car", "blue bus"]) == pytest.approx(1 / 2)
    assert bleu1("red bus", ["a very long other text", "red bus"]) == 1.0


@given(TEXTS, TEXTS)
def test_bleu1_equals_nltk_on_any_text(answer, gold):
    assert bleu1(answer, [gold]) == pytest.approx(nltk_bleu1(answer, gold), abs=1e-12)


def nltk_bleu1(answer, gold):
    answer_tokens, gold_tokens = TOKENIZER(answer).split(), TOKENIZER(gold).split()
    if not answer_tokens or not gold_tokens:
        return 0.0
    return sentence_bleu([gold_tokens], answer_tokens, weights=(1,))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ann's dog can't bark.", ["ann", "'s", "dog", "ca", "n't", "bark", "."]),
        ("at 3.5 km, e.g. here", ["at", "3.5", "km", ",", "e.g.", "here"]),
        ("one. two.", ["one.", "two", "."]),  # the deviation: no sentences
    ],
)
def test_words_are_those_of_the_treebank_within_one_sentence(text, words):
    assert treebank_words(text) == words


def test_no_data_of_nltk_is_looked_for(monkeypatch):
    for name in ("find", "load"):
        monkeypatch.setattr(f"nltk.data.{name}", None)  # a call fails
    bleu._stemmer.cache_clear()
    assert porter_stem("cats") == "cat"
    assert treebank_words("one. two.") == ["one.", "two", "."]
