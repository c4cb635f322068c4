"""Prepared texts and vectors of any number, for timing a memory alone.

Words follow a Zipf law, and one vector in five has a near copy; everything comes from a seed.
"""

from collections.abc import Sequence

import numpy as np

from remem.memory.tool_rules import ToolRules
from remem.protocols import QueryTarget, Vectors

VOCABULARY = 30_000
ITEMS_PER_EPISODE = 10
NEAR_COPY = 0.9
"""The cosine similarity of a gist and its near copy; the synonymy threshold is 0.8."""
RULES = ToolRules("keep", "gists_and_facts", "episode_and_similar", "any", "all", "error")
"""The rules of the timed tools."""


class ReadyEmbedder:
    """An embedder that returns prepared vectors in order."""

    def __init__(self, gists: Vectors, facts: Vectors, queries: Vectors) -> None:
        self._left = [gists, facts]  # the memory asks for its new gists, then for its new facts
        self._queries = queries
        self._asked = 0
        self.dimension = gists.shape[1]

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return the next vectors: gists, then facts, in turns."""
        left = self._left.pop(0)
        if len(left) < len(texts):
            raise ValueError(f"found {len(texts)} texts for {len(left)} ready vectors")
        self._left.append(left[len(texts) :])
        return left[: len(texts)]

    def embed_queries(self, texts: Sequence[str], target: QueryTarget) -> Vectors:
        """Return the next ready query vectors."""
        self._asked += len(texts)
        return np.take(self._queries, range(self._asked - len(texts), self._asked), 0, mode="wrap")


def sentences(count: int, rng: np.random.Generator) -> list[str]:
    """Return random sentences of 8 to 40 words."""
    lengths = rng.integers(8, 41, count)
    words = [f"w{word}" for word in (rng.zipf(1.2, int(lengths.sum())) % VOCABULARY).tolist()]
    ends = np.cumsum(lengths).tolist()
    return [
        " ".join(words[end - length : end])
        for end, length in zip(ends, lengths.tolist(), strict=True)
    ]


def unit_vectors(count: int, dimension: int, rng: np.random.Generator) -> Vectors:
    """Return random unit vectors, one in five a near copy of the one before it."""
    vectors = _normalised(rng.standard_normal((count, dimension), dtype=np.float32))
    copies = np.arange(4, count, 5)
    noise = vectors[copies]
    mixed = NEAR_COPY * vectors[copies - 1] + np.sqrt(1 - NEAR_COPY**2).astype(np.float32) * noise
    vectors[copies] = _normalised(mixed.astype(np.float32))
    return vectors


def _normalised(vectors: Vectors) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / lengths, dtype=np.float32)
