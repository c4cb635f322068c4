"""F1 and BLEU-1 as Mem0 scored LoCoMo (`evaluation/metrics/utils.py` of its repository).

Mem0 leaves out LoCoMo's category 5 before it averages; these functions score what they are given.
"""

from collections.abc import Sequence

from remem.metrics.bleu import unigram_bleu
from remem.metrics.nltk_words import treebank_words

_MARKS = str.maketrans(".,!?", "    ")


def mem0_f1(answer: str, golds: Sequence[str]) -> float:
    """Return the F1 between the sets of words of the answer and of the best gold.

    Only the marks . , ! ? are dropped; articles are kept and repeated words count once. The score
    is 0 if the answer or the gold has no words.

    >>> mem0_f1("The car, the red car!", ["a red car"])  # 2 shared of 3 and 3
    0.6666666666666666
    """
    return max(_set_f1(_word_set(answer), _word_set(gold)) for gold in golds)


def mem0_bleu1(answer: str, golds: Sequence[str]) -> float:
    """Return the BLEU-1 of the lower-cased words of nltk's `word_tokenize`, for the best gold.

    Mem0 smooths the score (`method1` of nltk), which does not change BLEU-1: without any shared
    word the score is 0 before smoothing, and longer matches have no weight. Tokens deviate as
    described in `nltk_words.treebank_words`.

    >>> mem0_bleu1("He didn't.", ["he did not."])  # he, did and "." of he, did, n't, "."
    0.75
    """
    words = treebank_words(answer.lower())
    return max(unigram_bleu(words, treebank_words(gold.lower())) for gold in golds)


def _word_set(text: str) -> set[str]:
    return set(text.lower().translate(_MARKS).split())


def _set_f1(answer: set[str], gold: set[str]) -> float:
    return 2 * len(answer & gold) / (len(answer) + len(gold)) if answer and gold else 0.0
