"""BM25 with the library rank-bm25 (its BM25Okapi), for table rows that name Okapi."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from remem.index.ranking import full_mask, rank
from remem.protocols import Hit, Mask

TOKEN = re.compile(r"\w+")


class RankBm25Lexical:
    """Score entries with Okapi BM25 over lower-cased words.

    Okapi's idf is zero for a word in exactly half of the entries, and may be negative in a tiny
    index. An entry is therefore returned if it shares a term with the query, whatever its score.
    """

    def __init__(self, *, k1: float, b: float, epsilon: float) -> None:
        self._k1 = k1
        self._b = b
        self._epsilon = epsilon
        self._tokens: list[list[str]] = []
        self._vocabulary: set[str] = set()
        self._built: Any = None

    def add(self, texts: Sequence[str]) -> None:
        """Append texts."""
        tokens = [_tokenise(text) for text in texts]
        self._tokens.extend(tokens)
        self._vocabulary.update(*tokens)
        self._built = None

    def search(self, query: str, top_k: int, allowed: Mask | None = None) -> list[Hit]:
        """Return the best `top_k` allowed entries that share a term with the query, best first."""
        mask = full_mask(allowed, len(self._tokens))
        terms = [token for token in _tokenise(query) if token in self._vocabulary]
        if not terms:
            return []
        index = self._index()
        wanted = set(terms)
        admitted = np.flatnonzero(mask).tolist()
        found = [at for at in admitted if not index.doc_freqs[at].keys().isdisjoint(wanted)]
        if not found:
            return []
        scores = np.array(index.get_batch_scores(terms, found))
        return rank(np.array(found, dtype=np.int64), scores, top_k)

    def _index(self) -> Any:
        index = self._built
        if index is None:
            from rank_bm25 import BM25Okapi  # type: ignore[import-untyped]  # ships no types

            index = BM25Okapi(self._tokens, k1=self._k1, b=self._b, epsilon=self._epsilon)
            self._built = index
        return index


def _tokenise(text: str) -> list[str]:
    return TOKEN.findall(text.lower())
