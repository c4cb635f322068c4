"""Split texts into the terms of bm25s: lower-case words without stop words, stemmed.

bm25s stems every word of every batch. Here each word is stemmed once, however often texts are
added; the terms are the same.
"""

import re
from collections.abc import Iterable

TOKEN = re.compile(r"(?u)\b\w\w+\b")


class StemmedTerms:
    """The stems of the words met so far."""

    def __init__(self) -> None:
        self._stems: dict[str, str] = {}

    def add(self, texts: Iterable[str]) -> list[list[str]]:
        """Return the terms of each text, and remember their stems."""
        from bm25s.stopwords import STOPWORDS_EN  # type: ignore[import-untyped]  # ships no types

        stopped, known = frozenset(STOPWORDS_EN), self._stems
        words = [
            [word for word in TOKEN.findall(text.lower()) if word not in stopped] for text in texts
        ]
        new = dict.fromkeys(word for row in words for word in row if word not in known)
        known |= zip(new, _stemmed(new), strict=True)
        return [[known[word] for word in row] for row in words]

    def of(self, text: str) -> list[str]:
        """Return the terms of a text, such as a query, and remember nothing."""
        [terms] = StemmedTerms().add([text])
        return terms


def _stemmed(words: Iterable[str]) -> list[str]:
    from Stemmer import Stemmer  # type: ignore[import-not-found]  # a C extension

    stems: list[str] = Stemmer("english").stemWords(list(words))
    return stems
