"""BM25 as in the library bm25s, which the released code uses in its lexical_retrieve.

This module computes the terms and weights itself. They equal those of bm25s bit for bit
(Kamphuis et al. 2020, Which BM25 Do You Mean?). Every weight depends on all entries, so adding an
entry changes them all. Therefore only counts are stored, and weights are computed only for the
terms of a query.

Deviation: an entry without a query term is never returned, and the mask is applied before the top k
are selected. The released code first selects ten entries, among them entries that score zero if
fewer than ten share a term with the query.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from remem.index.postings import (
    CHARACTER_TOKEN,
    TOKEN,
    Numbers,
    StemmedTerms,
    TermCounts,
    TermList,
    appended,
    counted,
    merged,
    search,
)
from remem.index.ranking import full_mask, rank
from remem.index.stored_arrays import from_json, json_array
from remem.protocols import Hit, Mask

METHODS = ("lucene", "robertson", "atire")
STORED = {"lengths": "i4", "starts": "i8", "entries": "i4", "counts": "i4"}
"""The data types of the arrays of `stored`."""
NOTHING = np.empty(0, dtype=np.int32)


@dataclass(frozen=True, slots=True)
class Weighing:
    """A BM25 method of bm25s and its constants."""

    k1: float
    b: float
    method: str


class WeighedTerms:
    """The weights of terms in entries, computed when a term is first requested.

    Args:
        weighing: The method and its constants.
        parts: The counts of all entries, in the order of the entries.
        lengths: The number of terms of each entry.
    """

    def __init__(self, weighing: Weighing, parts: Sequence[TermCounts], lengths: Numbers) -> None:
        self.parts = parts
        self.lengths = lengths
        self._weighing = weighing
        self._lists: dict[int, TermList] = {}

    def of(self, term: int) -> TermList:
        """Return the entries that have a term (there must be at least one), and their weights."""
        if term not in self._lists:
            entries, counts = map(
                np.concatenate, zip(*(part.of(term) for part in self.parts), strict=True)
            )
            times = counts * (self._weighing.k1 + 1) if self._weighing.method == "atire" else counts
            rarity = _rarity(self._weighing.method, len(entries), len(self.lengths))
            weights = rarity * (times / (self._penalties[entries] + counts))
            self._lists[term] = TermList(entries, weights, float(weights.max()))
        return self._lists[term]

    @cached_property
    def _penalties(self) -> NDArray[np.float64]:
        """Return what the length of each entry adds to the denominator of its weights."""
        k1, b, mean = self._weighing.k1, self._weighing.b, self.lengths.mean()
        return np.asarray(k1 * ((1 - b) + b * self.lengths / mean))


class Bm25sLexical:
    """Score entries with BM25 over stemmed words.

    Args:
        k1: How strongly repeated occurrences of a term count; with 0, only the first one does.
        b: How strongly the length of an entry counts, from 0 to 1.
        method: The formula, as bm25s names it.
        characters: Whether each character of a script without spaces is a word. It is not in
            conf/lexical/bm25.yaml, because a new key there would change the fingerprint of every
            run.
    """

    def __init__(self, *, k1: float, b: float, method: str, characters: bool = False) -> None:
        if method not in METHODS:
            raise ValueError(f"unknown BM25 method {method!r}, expected one of {METHODS}")
        self._weighing = Weighing(k1, b, method)
        self._stems = StemmedTerms(CHARACTER_TOKEN if characters else TOKEN)
        self._numbers: dict[str, int] = {}
        self._weighed = WeighedTerms(self._weighing, (counted(NOTHING, NOTHING),), NOTHING)

    def add(self, texts: Sequence[str]) -> None:
        """Append texts; new terms are numbered in alphabetical order."""
        rows = self._stems.add(texts)
        for term in sorted({term for row in rows for term in row}):
            self._numbers.setdefault(term, len(self._numbers))
        terms = [self._numbers[term] for row in rows for term in row]
        lengths = np.array([len(row) for row in rows], dtype=np.int32)
        before = self._weighed
        new = counted(np.array(terms, dtype=np.int32), lengths, len(before.lengths))
        self._weighed = WeighedTerms(
            self._weighing,
            appended(before.parts, new),
            np.concatenate([before.lengths, lengths]),
        )

    def search(self, query: str, top_k: int, allowed: Mask | None = None) -> list[Hit]:
        """Return the best `top_k` allowed entries that share a term with the query, best first."""
        weighed = self._weighed
        mask = full_mask(allowed, len(weighed.lengths))
        query_terms = [term for term in self._stems.of(query) if term in self._numbers]
        terms = [self._numbers[term] for term in query_terms]
        if not terms:
            return []
        lists = {term: weighed.of(term) for term in terms}
        return rank(*search(lists, terms, mask, top_k), top_k)

    def stored(self) -> dict[str, NDArray[np.generic]]:
        """Return the arrays that `restore` needs; they do not depend on the BM25 method."""
        whole = merged(self._weighed.parts)
        return {
            "vocabulary": json_array(list[str], list(self._numbers)),
            "lengths": self._weighed.lengths,
            "starts": whole.starts,
            "entries": whole.entries,
            "counts": whole.counts,
        }

    def restore(self, parts: Mapping[str, NDArray[Any]]) -> None:
        """Restore the output of `stored`."""
        terms = from_json(list[str], parts["vocabulary"].tobytes(), "vocabulary")
        numbers = {term: number for number, term in enumerate(terms)}
        if len(numbers) != len(terms):
            raise ValueError(
                f"the vocabulary of a term index repeats some of its {len(terms)} terms"
            )
        _check(parts, len(numbers))
        starts, entries, counts, lengths = (
            parts[name] for name in ("starts", "entries", "counts", "lengths")
        )
        all_terms = np.arange(len(numbers), dtype=np.int32)
        whole = TermCounts(0, len(lengths), all_terms, starts, entries, counts)
        self._numbers = numbers
        self._weighed = WeighedTerms(self._weighing, (whole,), lengths)


def _rarity(method: str, holders: int, size: int) -> float:
    """Return the inverse document frequency of a term that `holders` of `size` entries have."""
    # math.log, as in bm25s: numpy's logarithm may differ in the last bit.
    if method == "atire":
        return log(size / holders)
    odds = (size - holders + 0.5) / (holders + 0.5)
    return log(1 + odds) if method == "lucene" else log(max(odds, 1.0))


def _check(parts: Mapping[str, NDArray[Any]], terms: int) -> None:
    """Raise ValueError unless the arrays are an index of `terms` terms with valid positions."""
    for name, kind in STORED.items():
        if parts[name].dtype != np.dtype(kind) or parts[name].ndim != 1:
            raise ValueError(
                f"{name} are {parts[name].dtype} of shape {parts[name].shape}, "
                f"expected {kind} with one dimension"
            )
    starts, entries, size = parts["starts"], parts["entries"], len(parts["lengths"])
    if len(starts) != terms + 1 or len(entries) != len(parts["counts"]):
        raise ValueError("the lists of the term index have different lengths")
    if starts[0] != 0 or (np.diff(starts) < 1).any() or starts[-1] != len(entries):
        raise ValueError("the starts of a term index do not match its entries")
    if entries.size and not 0 <= entries.min() <= entries.max() < size:
        raise ValueError(f"entries of a term index are not all numbers below {size}")


WORD = re.compile(r"\w+")


class RankBm25Lexical:
    """Score entries with the library rank-bm25 (its BM25Okapi) over lower-cased words.

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
        positions = [at for at in admitted if not index.doc_freqs[at].keys().isdisjoint(wanted)]
        if not positions:
            return []
        scores = np.array(index.get_batch_scores(terms, positions))
        return rank(np.array(positions, dtype=np.int64), scores, top_k)

    def _index(self) -> Any:
        index = self._built
        if index is None:
            from rank_bm25 import BM25Okapi  # type: ignore[import-untyped]  # ships no types

            index = BM25Okapi(self._tokens, k1=self._k1, b=self._b, epsilon=self._epsilon)
            self._built = index
        return index


def _tokenise(text: str) -> list[str]:
    return WORD.findall(text.lower())
