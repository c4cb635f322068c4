"""Triples and vectors of sessions of a conversation, the same for us and for HippoRAG 2's package.

They are made of the words of a text, so that phrases and questions with the same words are alike.
This file needs only numpy, because the package's Python loads it too.
"""

import re
from collections.abc import Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from measure.passage_workload import DIMENSION, Triple, direction

TRIPLES = 2
"""The most triples of a message."""
SHORTEST = 4
"""Letters of a word in a triple, at least."""
OWN = 0.3
"""How much of a vector only this text has, so that no two passages tie."""

_WORD = re.compile(r"[^\W_]+")


def triples_of(text: str) -> list[Triple]:
    """Return the longer words of each message in threes."""
    triples: list[Triple] = []
    for line in text.splitlines():
        words = [word for word in _words(line.partition(": ")[2]) if len(word) >= SHORTEST]
        triples += islice(zip(words[::3], words[1::3], words[2::3], strict=False), TRIPLES)
    return list(dict.fromkeys(triples))


def vectors_of(texts: Sequence[str], kind: str) -> NDArray[np.float32]:
    """Return a unit vector for each text; the same text is a little different as another `kind`."""
    rows = np.empty((len(texts), DIMENSION), dtype=np.float32)
    for row, text in zip(rows, texts, strict=True):
        whole = OWN * direction(f"{kind} {text}")
        for word in _words(text):
            whole = whole + direction(word)
        row[:] = whole / np.linalg.norm(whole)
    return rows


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())
