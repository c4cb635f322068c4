"""BLEU-1 by the formula of Hugging Face `evaluate` (its `bleu` with max_order=1), without the hub.

The answer is scored against each gold, and the best score counts. Scores are not smoothed, and
texts are not lower-cased.
"""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache


def porter_stem(word: str) -> str:
    """Return the Porter stem of a lower-case word.

    >>> porter_stem("adopted"), porter_stem("agencies")
    ('adopt', 'agenc')
    """
    return _stemmer()(word)


def treebank_words(text: str) -> list[str]:
    """Split a text into words and punctuation marks by the rules of nltk's `word_tokenize`.

    Deviation: the text is treated as one sentence, because the model with which nltk splits
    sentences (punkt) has to be downloaded. So a full stop within the text stays with its word.

    >>> treebank_words("she didn't go on monday. why? no idea.")
    ['she', 'did', "n't", 'go', 'on', 'monday.', 'why', '?', 'no', 'idea', '.']
    """
    from nltk.tokenize import word_tokenize  # type: ignore[import-untyped]  # nltk has no stubs

    words: list[str] = word_tokenize(text, preserve_line=True)
    return words


@cache
def _stemmer() -> Callable[[str], str]:
    from nltk.stem import PorterStemmer  # type: ignore[import-untyped]  # nltk has no stubs

    stem: Callable[[str], str] = PorterStemmer().stem
    return stem


def bleu1(answer: str, golds: Sequence[str]) -> float:
    """Return the clipped unigram precision times the brevity penalty, for the best gold.

    BLEU-1 = shared / a * exp(min(0, 1 - g / a)) with `a` tokens in the answer and `g` in the gold.
    The score is 0 if the answer or the gold is empty; the original code divides by zero.

    >>> round(bleu1("the cat the", ["the cat sat on a mat"]), 4)  # 2 / 3 * exp(1 - 6 / 3)
    0.2453
    """
    return max(unigram_bleu(_tokens(answer), _tokens(gold)) for gold in golds)


def unigram_bleu(answer: Sequence[str], gold: Sequence[str]) -> float:
    """Return the BLEU-1 of two lists of tokens; 0 if either is empty.

    >>> unigram_bleu(["red", "car"], ["red", "bus"])
    0.5
    """
    if not answer or not gold:
        return 0.0
    shared = (Counter(answer) & Counter(gold)).total()
    return shared / len(answer) * math.exp(min(0.0, 1 - len(gold) / len(answer)))


def _tokens(text: str) -> list[str]:
    return _tokenizer()(text).split()


@cache  # sacrebleu memoises per tokenizer object: a new one for each text would only fill memory
def _tokenizer() -> Callable[[str], str]:
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

    return Tokenizer13a()  # type: ignore[no-untyped-call]  # sacrebleu leaves it unannotated
