"""The terms of texts as numbers, one after the other: a tenth of the memory of lists of words."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int32]


class TermDocuments:
    """Texts as the numbers of their terms, which are given in the order of their first add."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self._terms: list[Numbers] = [np.empty(0, dtype=np.int32)]
        self._lengths: list[Numbers] = [np.empty(0, dtype=np.int32)]

    @property
    def size(self) -> int:
        """Return how many texts there are."""
        return len(self.lengths)

    @property
    def terms(self) -> Numbers:
        """Return the terms of all texts in a row."""
        self._terms = [_joined(self._terms)]
        return self._terms[0]

    @property
    def lengths(self) -> Numbers:
        """Return how many terms each text has."""
        self._lengths = [_joined(self._lengths)]
        return self._lengths[0]

    def append(self, texts: Sequence[Sequence[int]], vocabulary: dict[str, int]) -> None:
        """Append texts as numbers of a vocabulary of their own."""
        own = np.zeros(len(vocabulary), dtype=np.int32)
        for term in sorted(vocabulary):  # their own numbers are in no order
            own[vocabulary[term]] = self.numbers.setdefault(term, len(self.numbers))
        lengths = np.fromiter(map(len, texts), dtype=np.int32, count=len(texts))
        row = (term for text in texts for term in text)
        self._terms.append(own[np.fromiter(row, dtype=np.int32, count=int(lengths.sum()))])
        self._lengths.append(lengths)

    def restore(self, numbers: dict[str, int], terms: Numbers, lengths: Numbers) -> None:
        """Restore saved content."""
        self.numbers, self._terms, self._lengths = numbers, [terms], [lengths]

    def as_lists(self) -> list[list[int]]:
        """Return the terms of each text."""
        shared = np.array(range(len(self.numbers)), dtype=object)  # one object for each number
        row: list[int] = shared[self.terms].tolist()
        ends = np.cumsum(self.lengths).tolist()
        begins = [0, *ends[:-1]]
        return [row[begin:end] for begin, end in zip(begins, ends, strict=True)]


def _joined(parts: list[Numbers]) -> Numbers:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)
