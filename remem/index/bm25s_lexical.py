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
from remem.index.bm25_segment import segment
from remem.index.bm25_weights import Weighing, weighed
from remem.index.postings import Postings
from remem.index.ranking import full_mask, rank
from remem.index.stemmed_terms import StemmedTerms
from remem.index.term_documents import TermDocuments
from remem.protocols import Hit, Mask

METHODS = ("lucene", "robertson", "atire")
SHARE = 10
"""Minimum number of indexed entries per entry of a segment; below it, the index is rebuilt."""

STORED = {"terms": "i4", "lengths": "i4", "weights": "f8", "entries": "i4", "starts": "i8"}
"""The data types of the arrays of `stored`."""


class Bm25sLexical:
    """Score entries with BM25 over stemmed words.

    Every weight depends on all entries, so the index is built at the first search after an add.
    From `segments_from` entries on, a small add becomes a separate segment, whose weights use the
    statistics of the earlier entries. The next complete build makes these weights exact.
    """

    def __init__(
        self, *, k1: float, b: float, method: str, segments_from: int | None = None
    ) -> None:
        if method not in METHODS:
            raise ValueError(f"unknown BM25 method {method!r}, expected one of {METHODS}")
        self._weighing = Weighing(k1, b, method)
        self._segments_from = segments_from
        self._terms = StemmedTerms()
        self._documents = TermDocuments()
        self._built: list[Postings] = []
        """The postings of the base index, followed by those of the segment if there is one."""

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
        found, begin = [], 0
        for postings in self._postings():
            end = begin + postings.size
            positions, scores = postings.search(terms, mask[begin:end], top_k)
            found.append((positions + begin, scores))
            begin = end
        positions, scores = (np.concatenate(parts) for parts in zip(*found, strict=True))
        return rank(positions, scores, top_k)

    def stored(self) -> dict[str, NDArray[np.generic]]:
        """Merge all segments and return the arrays that `restore` needs."""
        base = self._base()
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
        self._built = [Postings(**lists, size=len(parts["lengths"]))]

    def _postings(self) -> list[Postings]:
        """Return postings of all entries."""
        size = self._documents.size
        if sum(postings.size for postings in self._built) == size:
            return self._built
        base = self._built[0] if self._built else None
        least = self._segments_from
        if base is None or least is None or base.size < max(least, (size - base.size) * SHARE):
            return [self._base()]
        documents = self._documents
        added = segment(self._weighing, base, documents.terms, documents.lengths)
        self._built = found = [base, added]
        return found

    def _base(self) -> Postings:
        """Build the index of all entries, unless it is up to date."""
        documents = self._documents
        if [postings.size for postings in self._built] != [documents.size]:
            vocabulary = len(documents.numbers)
            built = weighed(self._weighing, documents.terms, documents.lengths, vocabulary)
            self._built = [built]
        return self._built[0]


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
