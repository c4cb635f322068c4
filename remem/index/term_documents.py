"""Texts as a flat array of term numbers, with a tenth of the memory of lists of words."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int32]


class TermDocuments:
    """Texts as term numbers; a term gets the next number when it is first added."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self._terms: list[Numbers] = [np.empty(0, dtype=np.int32)]
        self._lengths: list[Numbers] = [np.empty(0, dtype=np.int32)]

    @property
    def size(self) -> int:
        """Return the number of texts."""
        return len(self.lengths)

    @property
    def terms(self) -> Numbers:
        """Return the term numbers of all texts in one array."""
        self._terms = [_joined(self._terms)]
        return self._terms[0]

    @property
    def lengths(self) -> Numbers:
        """Return the number of terms of each text."""
        self._lengths = [_joined(self._lengths)]
        return self._lengths[0]

    def append(self, texts: Sequence[Sequence[str]]) -> None:
        """Append texts, given as terms; new terms get their numbers in alphabetical order."""
        for term in sorted({term for text in texts for term in text}):
            self.numbers.setdefault(term, len(self.numbers))
        lengths = np.fromiter(map(len, texts), dtype=np.int32, count=len(texts))
        row = (self.numbers[term] for text in texts for term in text)
        self._terms.append(np.fromiter(row, dtype=np.int32, count=int(lengths.sum())))
        self._lengths.append(lengths)

    def restore(self, numbers: dict[str, int], terms: Numbers, lengths: Numbers) -> None:
        """Restore saved content."""
        self.numbers, self._terms, self._lengths = numbers, [terms], [lengths]


def _joined(parts: list[Numbers]) -> Numbers:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)
