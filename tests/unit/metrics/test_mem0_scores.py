"""Mem0's F1 and BLEU-1 against hand-worked values and nltk's own smoothed BLEU."""

from math import exp

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

from remem.metrics.bleu import treebank_words
from remem.metrics.locomo_f1 import mem0_bleu1, mem0_f1

TEXTS = st.lists(
    st.sampled_from(["the", "The", "cat", "sat,", "on.", "don't", "$5", "(a)", '"no"', "7 May"]),
    max_size=8,
).map(" ".join) | st.text(max_size=20)


@pytest.mark.parametrize(
    ("answer", "gold", "expected"),
    [
        ("Red car!", "red car", 1.0),
        ("red red red car", "red car", 1.0),  # sets: repeats do not count
        ("the red car", "red car", 4 / 5),  # articles count
        ("Ann's car", "Anns car", 1 / 2),  # an apostrophe is no mark of its own
        ("3.5 km", "3,5 km", 1.0),  # both become 3 and 5
        ("bus", "car", 0.0),
        ("", "car", 0.0),
        ("?!", "...", 0.0),
    ],
)
def test_f1_compares_sets_of_words(answer, gold, expected):
    assert mem0_f1(answer, [gold]) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("answer", "gold", "expected"),
    [
        ("The Cat", "the cat", 1.0),  # case does not count
        ("cat.", "cat", 1 / 2),  # the full stop is a word
        ("the cat", "the cat sat on the mat", exp(1 - 6 / 2)),
        ("don't", "do not", 1 / 2),  # do, n't
        ("bus", "car", 0.0),
        ("", "car", 0.0),
    ],
)
def test_bleu1_is_taken_over_lower_case_words_and_marks(answer, gold, expected):
    assert mem0_bleu1(answer, [gold]) == pytest.approx(expected)


def test_the_best_gold_counts():
    assert mem0_f1("red car", ["bus", "red car"]) == 1.0
    assert mem0_bleu1("red car", ["bus", "red car"]) == 1.0


@given(TEXTS, TEXTS)
def test_bleu1_equals_nltks_smoothed_bleu_on_the_same_words(answer, gold):
    words, golds = treebank_words(answer.lower()), treebank_words(gold.lower())
    expected = 0.0
    if words and golds:
        smoothed = SmoothingFunction().method1
        expected = sentence_bleu([golds], words, (1, 0, 0, 0), smoothing_function=smoothed)
    assert mem0_bleu1(answer, [gold]) == pytest.approx(expected, abs=1e-12)
