"""An embedder without weights: words and their character trigrams, hashed to signed buckets.

It gives the same vectors on every machine, and can replace the paper's NV-Embed-v2 if no model can
be loaded. Every table marks results that were computed with it.
"""

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from remem.protocols import QueryTarget, Vectors

WORD = re.compile(r"\w+")
GRAM = 3
BATCH = 1024
WORDS_KEPT = 1 << 14
"""Size of the cache of hashed words; without a limit, a long run would fill memory."""

Feature = tuple[NDArray[np.int64], NDArray[np.float64]]
"""The buckets of a word, and its signed weight in each of them."""


class HashingEmbedder:
    """Embeds a text as the hashed sum of its words; queries and documents are treated alike.

    A word's weight is its length, which approximates rarity without a stop list or corpus. Its
    trigrams together weigh as much as the word, so that inflected forms match. A word that occurs
    n times counts 1 + ln n. A text without words, or whose features cancel out, becomes the first
    unit vector.
    """

    def __init__(self, *, dimension: int) -> None:
        if dimension < 1:
            raise ValueError(f"the dimension of an embedding must be at least 1, found {dimension}")
        self._dimension = dimension
        self._feature = lru_cache(WORDS_KEPT)(self._hashed)

    @property
    def dimension(self) -> int:
        """Return the length of a vector."""
        return self._dimension

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of texts to be searched, shape (n, dimension)."""
        vectors = np.empty((len(texts), self._dimension), dtype=np.float32)
        for start in range(0, len(texts), BATCH):
            vectors[start : start + BATCH] = _unit_rows(self._sums(texts[start : start + BATCH]))
        return vectors

    def embed_queries(self, texts: Sequence[str], target: QueryTarget) -> Vectors:
        """Return the vectors of queries; `target` is ignored, because there are no instructions."""
        return self.embed_documents(texts)

    def _sums(self, texts: Sequence[str]) -> NDArray[np.float64]:
        rows: list[int] = []
        counts: list[int] = []
        features: list[Feature] = []
        for row, text in enumerate(texts):
            for word, count in Counter(WORD.findall(text.lower())).items():
                rows.append(row)
                counts.append(count)
                features.append(self._feature(word))
        if not features:
            return np.zeros((len(texts), self._dimension))
        sizes = [len(buckets) for buckets, _ in features]
        cells = np.concatenate([buckets for buckets, _ in features])
        weights = np.concatenate([weights for _, weights in features])
        cells += np.repeat(np.array(rows) * self._dimension, sizes)
        weights *= np.repeat(1.0 + np.log(counts), sizes)
        sums = np.bincount(cells, weights=weights, minlength=len(texts) * self._dimension)
        return sums.astype(np.float64).reshape(len(texts), self._dimension)

    def _hashed(self, word: str) -> Feature:
        edged = f"<{word}>"
        # A word of up to three letters is its own trigram: E7 and E75 must not meet.
        starts = range(len(edged) - GRAM + 1) if len(word) > GRAM else range(0)
        grams = [edged[start : start + GRAM] for start in starts]
        hashes = [_hash(word), *(_hash(f"#{gram}") for gram in grams)]
        weights = [float(len(word)), *(len(word) / sqrt(len(grams)) for _ in grams)]
        signs = [1.0 if value & 1 else -1.0 for value in hashes]
        buckets = [(value >> 1) % self._dimension for value in hashes]
        return np.array(buckets, dtype=np.int64), np.array(weights) * np.array(signs)


def _hash(feature: str) -> int:
    return int.from_bytes(blake2b(feature.encode(), digest_size=8).digest())


def _unit_rows(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    norms = np.sqrt((sums * sums).sum(axis=1))
    sums[norms == 0, 0] = 1.0
    return sums / np.where(norms == 0, 1.0, norms)[:, None]
