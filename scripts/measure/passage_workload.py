"""Generated passages, triples and vectors for HippoRAG 2, the same for us and for its package.

Passages have about 42 words and six triples each, over twice as many entities. One in ten entities
is nearly the same as another. Every text has its own vector. This file needs only numpy, because
the package's Python loads it too.
"""

import re
from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

DIMENSION = 384
WORDS = 39
TRIPLES = 6
PREDICATES = 40
VOCABULARY = 5000
TWINS = 10
"""One entity in this many is a twin of the entity before it."""
LIKENESS = 0.894
"""The cosine similarity of twins; the synonymy threshold is 0.8."""
KEPT = 3
"""Number of shown facts that the filter selects."""

Triple = tuple[str, str, str]

_PASSAGE = re.compile(r"passage (\d+) of (\d+):")
_TWIN = re.compile(r"twin of (item \d+)")


def passage(number: int, of: int) -> str:
    """Return a passage; its number and the total determine its triples."""
    words = np.random.default_rng((1, number)).integers(0, VOCABULARY, WORDS).tolist()
    return f"passage {number} of {of}: {' '.join(f'word{word}' for word in words)}"


def triples_of(text: str) -> list[Triple]:
    """Return the triples of a passage."""
    match = _PASSAGE.match(text)
    if match is None:
        raise ValueError(f"{text[:60]!r} is no passage of this workload")
    number, of = int(match[1]), int(match[2])
    rng = np.random.default_rng((2, number))
    ends = rng.integers(0, 2 * of, (TRIPLES, 2)).tolist()
    predicates = rng.integers(0, PREDICATES, TRIPLES).tolist()
    return [
        (_entity(subject), f"relation {predicate}", _entity(other))
        for (subject, other), predicate in zip(ends, predicates, strict=True)
    ]


def vectors_of(texts: Sequence[str], kind: str) -> NDArray[np.float32]:
    """Return a unit vector for each text; the same text has another vector as another `kind`."""
    rows = [_vector(text, kind) for text in texts]
    vectors: NDArray[np.float32] = np.array(rows, dtype=np.float32).reshape(len(texts), DIMENSION)
    return vectors


def direction(text: str) -> NDArray[np.float64]:
    """Return a random unit vector that only depends on the text."""
    seed = int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")
    values = np.random.default_rng(seed).standard_normal(DIMENSION)
    unit: NDArray[np.float64] = values / np.linalg.norm(values)
    return unit


def _entity(number: int) -> str:
    return f"twin of item {number - 1}" if number % TWINS == TWINS - 1 else f"item {number}"


def _vector(text: str, kind: str) -> NDArray[np.float64]:
    own = direction(f"{kind} {text}")
    twin = _TWIN.fullmatch(text)
    if twin is None:
        return own
    other = direction(f"{kind} {twin[1]}")
    across = own - (own @ other) * other
    across /= np.linalg.norm(across)
    mixed: NDArray[np.float64] = LIKENESS * other + np.sqrt(1 - LIKENESS**2) * across
    return mixed
