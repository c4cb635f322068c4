"""Our two uses of nltk, which must work without nltk's downloads."""

import pytest

from remem.metrics import bleu
from remem.metrics.bleu import porter_stem, treebank_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ann's dog can't bark.", ["ann", "'s", "dog", "ca", "n't", "bark", "."]),
        ("at 3.5 km, e.g. here", ["at", "3.5", "km", ",", "e.g.", "here"]),
        ("one. two.", ["one.", "two", "."]),  # the deviation: no sentences
        ("", []),
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
