"""HippoRAG 2, the graph: phrase and passage nodes connected by facts, mentions and synonymy.

Nodes are numbered in the order in which they are added; passages follow the phrases.
"""

import re
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.hipporag2_openie import Triple
from remem.index.numpy_dense import pairs_by_blocks
from remem.index.ranking import Pairs, Positions, Scores, score_pairs
from remem.protocols import Mask, Vectors

MOST_SYNONYMS = 101
"""Maximum number of synonyms of a phrase, as in the package."""


@dataclass(frozen=True, slots=True)
class Links:
    """Directed weights between nodes."""

    sources: NDArray[np.int64]
    targets: NDArray[np.int64]
    weights: NDArray[np.float64]

    @classmethod
    def joined(cls, parts: Sequence["Links"]) -> "Links":
        """Return the links of all parts."""
        return cls(
            np.concatenate([part.sources for part in parts]),
            np.concatenate([part.targets for part in parts]),
            np.concatenate([part.weights for part in parts]),
        )

    def select(self, which: Mask | Positions) -> "Links":
        """Return the chosen links, in the chosen order."""
        return Links(self.sources[which], self.targets[which], self.weights[which])


class Synonyms:
    """All pairs of phrases with a similarity of at least `threshold`."""

    def __init__(self, *, threshold: float) -> None:
        self._threshold = threshold
        self.pairs: Pairs = np.empty((0, 2), dtype=np.int64)
        self.scores: Scores = np.empty(0)

    def add(self, rows: Vectors, earlier_rows: int) -> None:
        """Add all similar pairs that include a new row; the first `earlier_rows` are not new."""
        new_pairs = pairs_by_blocks(rows, self._threshold, earlier_rows)
        self.restore(
            np.concatenate([self.pairs, new_pairs]),
            np.concatenate([self.scores, score_pairs(rows, new_pairs)]),
        )

    def restore(self, pairs: Pairs, scores: Scores) -> None:
        """Replace the pairs with saved ones."""
        self.pairs, self.scores = pairs, scores

    def links(self, sources: Mask, targets: Mask) -> Links:
        """Return the links from each source to its most similar targets."""
        pairs = np.concatenate([self.pairs, self.pairs[:, ::-1]])
        both = Links(pairs[:, 0], pairs[:, 1], np.concatenate([self.scores, self.scores]))
        return _strongest(both.select(sources[both.sources] & targets[both.targets]))


def _strongest(links: Links) -> Links:
    order = np.lexsort((links.targets, -links.weights, links.sources))
    links = links.select(order)
    first = np.searchsorted(links.sources, links.sources)
    return links.select(np.arange(len(order)) - first < MOST_SYNONYMS)


CHANGE = {np.dtype(np.float64): 1e-10, np.dtype(np.float32): 1e-6}
"""The iteration ends when the sum of all changes in the probabilities is below this value."""
LOOKS = 3
"""Number of products between two checks for convergence; a check costs half a product."""
COLUMNS = 32
"""Number of walks computed together; more do not fit into the CPU's cache."""

Weights = NDArray[np.float64]
Rough = NDArray[np.float32]


class Walk:
    """Random walks with restarts on an undirected graph."""

    def __init__(self, links: Links, *, size: int, damping: float) -> None:
        from scipy.sparse import csr_array  # type: ignore[import-untyped]  # ships no types

        nodes = np.int32 if size < np.iinfo(np.int32).max else np.int64
        ends = (links.targets.astype(nodes), links.sources.astype(nodes))
        one_way: Any = csr_array((links.weights, ends), shape=(size, size))
        damped = (one_way + one_way.T).tocsr()
        strength = np.asarray(damped.sum(axis=0)).ravel()
        inverse = np.divide(damping, strength, out=np.zeros(size), where=strength > 0)
        damped.data *= inverse[damped.indices]
        self._damped = {
            dtype: csr_array(
                (damped.data.astype(dtype), damped.indices, damped.indptr), (size, size)
            )
            for dtype in CHANGE
        }
        self._damping = damping

    def visited(self, reset: Weights) -> Weights:
        """Return the probability of each node, for walks that restart at `reset`."""
        return self._visited(reset, 1)

    def visited_by_many(self, resets: Rough) -> Rough:
        """Return the probability of each node to 6 digits, with one column for each reset vector.

        A product with many columns in single precision is much faster per column.
        """
        blocks = [resets[:, at : at + COLUMNS] for at in range(0, resets.shape[1], COLUMNS)]
        return np.concatenate([self._visited(block, LOOKS) for block in blocks], axis=1)

    def _visited(self, reset: NDArray[Any], looks: int) -> NDArray[Any]:
        """Solve the system for each column, checking for convergence after every `looks` products.

        The eigenvalues of d T are real and in [-d, d], so Chebyshev's semi-iteration needs half as
        many products as power iteration.
        """
        damped, enough = self._damped[reset.dtype], CHANGE[reset.dtype]
        reset = reset / _total(reset)
        before, visits, pace = np.zeros_like(reset), reset, 2.0
        for step in count(1):
            pace = 1 / (1 - self._damping**2 * pace / 4)
            after = damped @ visits
            after += reset
            after -= before
            after *= pace
            after += before
            before, visits = visits, after
            if step % looks == 0 and _total(np.abs(visits - before)).max() <= enough:
                break
        return np.asarray(visits / _total(visits))


def _total(columns: NDArray[Any]) -> NDArray[Any]:
    return np.asarray(columns.sum(axis=0, dtype=np.float64)).astype(columns.dtype)


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
        """Return both phrases of each fact, and the number of passages with each phrase."""
        counts = np.bincount(_pairs(self._mentions)[:, 1], minlength=len(self.phrases))
        return Ends(_pairs(self._ends), counts.astype(np.float32))

    def links(self, synonyms: Synonyms) -> Links:
        """Return the directed links.

        The weight of an edge is the sum of the weights of its two directions. A fact adds 1 to both
        directions for every passage that states it. A synonymy link replaces this count with its
        own weight, in the direction of the link. A mention adds a link of weight 1 from the passage
        to the phrase.
        """
        stated, alike = self._fact_links(), synonyms.links(*self._linkable())
        size = len(self.phrases)
        replaced = np.isin(
            stated.sources * size + stated.targets, alike.sources * size + alike.targets
        )
        mentions = _pairs(self._mentions)
        mention_links = Links(mentions[:, 0] + size, mentions[:, 1], np.ones(len(mentions)))
        return Links.joined((stated.select(~replaced), alike, mention_links))

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
