"""Generated texts and vectors of any number, for timing a memory alone.

Words follow a Zipf law, and one vector in five has a near copy; everything comes from a seed.
"""

import numpy as np

from remem.memory.tools import ToolRules
from remem.protocols import Vectors

VOCABULARY = 30_000
ITEMS_PER_EPISODE = 10
NEAR_COPY = 0.9
"""The cosine similarity of a gist and its near copy; the synonymy threshold is 0.8."""
RULES = ToolRules("keep", "gists_and_facts", "episode_and_similar", "any", "all", "error")
"""The rules of the timed tools."""


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
