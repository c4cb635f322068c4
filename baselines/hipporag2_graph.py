"""HippoRAG 2, the graph: phrase and passage nodes connected by facts, mentions and synonymy.

Nodes are numbered in the order in which they are added; passages follow the phrases.
"""

import re
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from baselines.hipporag2_openie import Triple
from baselines.hipporag2_synonyms import Links, Synonyms
from remem.protocols import Mask

Numbers = NDArray[np.int64]

_NOT_PLAIN = re.compile("[^A-Za-z0-9 ]")
TEXTS_KEPT = 1 << 14
"""Size of the cache of normalized texts; names and predicates are often repeated."""
SHORT = 2
"""A phrase with at most this many letters and digits gets no synonyms."""


def phrase(text: str) -> str:
    """Return the normal form of a phrase, as in the package; non-ASCII characters are lost.

    >>> phrase("José's Bar-B-Q ")
    'jos  s bar b q'
    """
    return _NOT_PLAIN.sub(" ", text.lower()).strip()


@dataclass(frozen=True, slots=True)
class Ends:
    """The subject and object of each fact, and the number of passages with each phrase."""

    of_facts: Numbers
    passages: NDArray[np.float32]


class PhraseGraph:
    """The distinct phrases and facts of the passages."""

    def __init__(self) -> None:
        self.passages: list[tuple[Triple, ...]] = []
        self.phrases: dict[str, int] = {}
        self.facts: dict[Triple, int] = {}
        self._phrase = lru_cache(TEXTS_KEPT)(phrase)
        self._ends = array("q")
        """The subject and object numbers of each distinct fact, in one flat array."""
        self._stated = array("q")
        self._mentions = array("q")
        """Pairs of a passage number and a phrase number, in one flat array."""

    def add(self, triples: Sequence[Triple]) -> None:
        """Add a passage with its extracted triples."""
        plain = self._phrase
        normal = tuple((plain(s), plain(p), plain(o)) for s, p, o in triples)
        ends: list[int] = []
        for triple in normal:
            pair = self._number(triple[0]), self._number(triple[2])
            ends.extend(pair)
            if triple not in self.facts:
                self.facts[triple] = len(self.facts)
                self._ends.extend(pair)
        self._stated.extend(ends)
        here = len(self.passages)
        self._mentions.extend(number for end in dict.fromkeys(ends) for number in (here, end))
        self.passages.append(normal)

    def ends(self) -> Ends:
        """Return the phrases of each fact, and the number of passages with each phrase."""
        counts = np.bincount(_pairs(self._mentions)[:, 1], minlength=len(self.phrases))
        return Ends(_pairs(self._ends), counts.astype(np.float32))

    def links(self, synonyms: Synonyms) -> Links:
        """Return the directed weights; the weight of an edge is the sum of both directions.

        A fact counts once in each direction for every passage that states it. A synonymy link
        replaces that count in its direction. A mention weighs 1, in one direction.
        """
        stated, alike = self._fact_links(), synonyms.links(*self._linkable())
        size = len(self.phrases)
        replaced = np.isin(
            stated.sources * size + stated.targets, alike.sources * size + alike.targets
        )
        mentions = _pairs(self._mentions)
        told = Links(mentions[:, 0] + size, mentions[:, 1], np.ones(len(mentions)))
        return Links.joined((stated.taken(~replaced), alike, told))

    def _fact_links(self) -> Links:
        size = max(len(self.phrases), 1)
        stated = _pairs(self._stated)
        stated = stated[stated[:, 0] != stated[:, 1]]
        keys = np.concatenate([stated, stated[:, ::-1]]) @ np.array([size, 1])
        pairs, counts = np.unique(keys, return_counts=True)
        return Links(pairs // size, pairs % size, counts.astype(np.float64))

    def _linkable(self) -> tuple[Mask, Mask]:
        """Return masks of the phrases that may have synonyms and of those that may be a synonym."""
        sizes = np.array([len(text.replace(" ", "")) for text in self.phrases], dtype=np.int64)
        return sizes > SHORT, sizes > 0

    def _number(self, text: str) -> int:
        return self.phrases.setdefault(text, len(self.phrases))


def _pairs(numbers: "array[int]") -> Numbers:
    return np.array(numbers, dtype=np.int64).reshape(-1, 2)
