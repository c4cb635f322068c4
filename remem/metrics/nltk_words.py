"""Word forms by nltk: Porter stems for LoCoMo's F1, Treebank words for Mem0's BLEU-1.

Both are implemented as rules: no part of nltk is used that downloads data.
"""

from collections.abc import Callable
from functools import cache


def porter_stem(word: str) -> str:
    """Return the Porter stem of a lower-case word.

    >>> porter_stem("adopted"), porter_stem("agencies")
    ('adopt', 'agenc')
    """
    return _stemmer()(word)


def treebank_words(text: str) -> list[str]:
    """Split a text into words and punctuation marks by the rules of nltk's `word_tokenize`.

    Deviation: the text is treated as one sentence, because nltk splits sentences with a model
    (punkt) that has to be downloaded. A full stop inside the text therefore stays with its word.

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
