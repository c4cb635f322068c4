"""BM25 as in the library bm25s, the lexical index of the released code (its lexical_retrieve).

Terms and weights are computed here, equal to those of bm25s in every bit.

Deviation: an entry without a query term is never returned, and the mask applies before the top k
are selected. The released code selects ten first and adds entries with a score of zero.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from remem.files.adapters import adapter
from remem.index.bm25_weights import Weighing, weighed
from remem.index.growing_postings import GrowingPostings
from remem.index.postings import Postings, TermLists, search
from remem.index.ranking import full_mask, rank
from remem.index.stemmed_terms import StemmedTerms
from remem.index.term_counts import ReadTerms, TermCounts, appended
from remem.index.term_documents import TermDocuments
from remem.protocols import Hit, Mask

METHODS = ("lucene", "robertson", "atire")
STORED = {"terms": "i4", "lengths": "i4", "weights": "f8", "entries": "i4", "starts": "i8"}
"""The data types of the arrays of `stored`."""


class Bm25sLexical:
    """Score entries with BM25 over stemmed words.

    Every weight depends on all entries. An add only counts the terms of its own entries; a search
    weighs the terms of its query, with the statistics of all entries.
    """

    def __init__(self, *, k1: float, b: float, method: str) -> None:
        if method not in METHODS:
            raise ValueError(f"unknown BM25 method {method!r}, expected one of {METHODS}")
        self._weighing = Weighing(k1, b, method)
        self._terms = StemmedTerms()
        self._documents = TermDocuments()
        self._lists: Postings | GrowingPostings | None = None
        """The lists of the entries of the last search, or of a saved index."""

    def add(self, texts: Sequence[str]) -> None:
        """Append texts."""
        self._documents.append(self._terms.add(texts))

    def search(self, query: str, top_k: int, allowed: Mask | None = None) -> list[Hit]:
        """Return the best `top_k` allowed entries that share a term with the query, best first."""
        mask = full_mask(allowed, self._documents.size)
        numbers = self._documents.numbers
        terms = [numbers[token] for token in self._terms.of(query) if token in numbers]
        if not terms:
            return []
        return rank(*search(self._current(), terms, mask, top_k), top_k)

    def stored(self) -> dict[str, NDArray[np.generic]]:
        """Weigh all terms and return the arrays that `restore` needs."""
        base = self._whole()
        terms = json.dumps(list(self._documents.numbers)).encode()
        return {
            "vocabulary": np.frombuffer(terms, dtype=np.uint8),
            "terms": self._documents.terms,
            "lengths": self._documents.lengths,
            "weights": base.weights,
            "entries": base.entries,
            "starts": base.starts,
            "ceilings": base.ceilings,
        }

    def restore(self, parts: Mapping[str, NDArray[Any]]) -> None:
        """Restore the output of `stored`."""
        terms = adapter(list[str]).validate_json(parts["vocabulary"].tobytes())
        numbers = {term: number for number, term in enumerate(terms)}
        _check(parts, len(numbers))
        self._documents.restore(numbers, parts["terms"], parts["lengths"])
        lists = {name: parts[name] for name in ("weights", "entries", "starts", "ceilings")}
        self._lists = Postings(**lists, size=len(parts["lengths"]))

    def _current(self) -> TermLists:
        """Return the lists of all entries; count the terms of those that were added."""
        documents, lists = self._documents, self._lists
        if lists is None or lists.size != documents.size:
            parts = appended(self._counted(), documents.terms, documents.lengths)
            self._lists = lists = GrowingPostings(self._weighing, parts, documents.lengths)
        return lists

    def _counted(self) -> tuple[TermCounts, ...]:
        """Return the counts so far."""
        if self._lists is None:
            return ()
        if isinstance(self._lists, GrowingPostings):
            return self._lists.parts
        lengths = self._documents.lengths[: self._lists.size]
        terms = self._documents.terms[: int(lengths.sum(dtype=np.int64))]
        return (ReadTerms(0, terms, lengths),)

    def _whole(self) -> Postings:
        """Return the postings of all entries as arrays."""
        documents, lists = self._documents, self._lists
        if isinstance(lists, Postings) and lists.size == documents.size:
            return lists
        vocabulary = len(documents.numbers)
        return weighed(self._weighing, documents.terms, documents.lengths, vocabulary)


def _check(parts: Mapping[str, NDArray[Any]], terms: int) -> None:
    """Raise ValueError unless the arrays are an index of `terms` terms with valid positions."""
    for name, kind in STORED.items():
        if parts[name].dtype != np.dtype(kind) or parts[name].ndim != 1:
            raise ValueError(f"{name} are {parts[name].dtype} of shape {parts[name].shape}")
    entries, starts = parts["entries"], parts["starts"]
    lists = (len(starts) - 1, len(parts["ceilings"]))
    if lists[0] != lists[1] or len(entries) != len(parts["weights"]) or not len(starts):
        raise ValueError("the lists of the term index have different lengths")
    if starts[0] != 0 or (np.diff(starts) < 0).any() or starts[-1] != len(entries):
        raise ValueError("the starts do not match the lists of the term index")
    for name, limit in (("entries", len(parts["lengths"])), ("terms", terms)):
        if parts[name].size and not 0 <= parts[name].min() <= parts[name].max() < limit:
            raise ValueError(f"{name} of a term index are not all numbers below {limit}")
