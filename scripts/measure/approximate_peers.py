"""Compare ways to find the candidates of an approximate search, on vectors of real sentences.

For docs/million.md: `python scripts/bench.py approximate`. Each way scores its candidates again
from the full vectors. Its setting is the cheapest that has the recall on half of the questions;
time and recall are those of the other half.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from math import isqrt
from typing import Any

import numpy as np

from measure.line import Line, Sample
from measure.real_vectors import prepared, read, why_not
from remem.index.faiss_dense import Approximation, FaissDense
from remem.index.ranking import TOLERANCE, Positions, rank_candidates
from remem.protocols import Hit, Vectors

SIZES = (200_000, 1_000_000)
QUICK_SIZES = (5_000,)
QUESTIONS, LEAST_RECALL, TOP = 200, 0.97, 10
LARGEST_GRAPH = 200_000
"""A graph of more vectors takes too long to build."""
CANDIDATES = 42
"""Candidates that are scored again by a way whose setting is another number."""
THREADS = 2
SEED = 11
Search = Callable[[Vectors], list[Hit]]


@dataclass(frozen=True, slots=True)
class Way:
    """One kind of faiss index and its setting."""

    name: str
    make: Callable[[Any, int, int], Any]
    """Takes faiss, the number of vectors and the dimension."""
    setting: str
    """The attribute that trades time for recall; "" is the number of candidates."""
    most: int = 100_000_000
    """The largest number of vectors that is tried."""


def _lists(faiss: Any, count: int, dimension: int) -> Any:
    coarse = faiss.IndexFlatIP(dimension)
    metric = faiss.METRIC_INNER_PRODUCT
    return faiss.IndexIVFScalarQuantizer(coarse, dimension, isqrt(count), 0, metric)


WAYS = (
    Way("inverted lists, int8", _lists, "nprobe"),
    Way(
        "int8, flat",
        lambda faiss, n, d: faiss.IndexScalarQuantizer(d, 0, faiss.METRIC_INNER_PRODUCT),
        "",
    ),
    Way(
        "RaBitQ, flat",
        lambda faiss, n, d: faiss.IndexRaBitQFastScan(d, faiss.METRIC_INNER_PRODUCT),
        "",
    ),
    Way(
        "HNSW of 32 links, int8",
        lambda faiss, n, d: faiss.IndexHNSWSQ(d, 0, 32, faiss.METRIC_INNER_PRODUCT),
        "hnsw.efSearch",
        most=LARGEST_GRAPH,
    ),
)


def measure(*, quick: bool) -> Iterator[Line]:
    """Yield our line beside each other way, at each size."""
    missing = why_not() or ("" if find_spec("faiss") else "not measured: pip install -e '.[cpu]'")
    if missing:
        yield Line("ways to find candidates", "ms", Sample(0, 0, 0, 0), note=missing)
        return
    vectors = read(prepared(most=5_000 if quick else None))
    questions = vectors.shuffled_questions(SEED)[: 2 * QUESTIONS]
    for size in QUICK_SIZES if quick else SIZES:
        yield from compare(vectors.rows(size, SEED), questions)


def compare(rows: Vectors, questions: Vectors) -> Iterator[Line]:
    """Measure our index and each other way over the same rows and questions."""
    half = len(questions) // 2
    tuned, asked = questions[:half], questions[half:]
    tenth = np.array([np.partition(np.vecdot(rows, query), -TOP)[-TOP] for query in questions])
    index = FaissDense(device="cpu", approximation=Approximation(1_000, LEAST_RECALL))
    index.add(rows)
    index.search(questions[0], TOP)  # learns the codes
    for way in WAYS:
        if len(rows) > way.most:
            continue
        peer = _Peer(way, rows)
        peer.tune(tuned, tenth[:half])
        ours, theirs, recalls = _beside(
            [lambda query: index.search(query, TOP), peer.search], asked, tenth[half:]
        )
        yield Line(
            f"a search of {len(rows):,} real vectors (recall@10 {recalls[0]:.3f})",
            "ms",
            ours,
            f"{way.name}, {way.setting or 'candidates'} {peer.value} "
            f"(recall@10 {recalls[1]:.3f}, built in {peer.built_in:.0f} s)",
            theirs,
        )


class _Peer:
    """A faiss index over rows, and its setting."""

    def __init__(self, way: Way, rows: Vectors) -> None:
        import faiss

        begun = time.perf_counter()
        faiss.omp_set_num_threads(THREADS)
        self._way, self._rows = way, rows
        self._index = way.make(faiss, len(rows), rows.shape[1])
        order = np.random.default_rng(SEED).permutation(len(rows))
        self._index.train(rows[np.sort(order[: 64 * isqrt(len(rows))])])
        self._index.add(rows)
        faiss.omp_set_num_threads(1)
        self.built_in = time.perf_counter() - begun
        self.value = 8 if way.setting else CANDIDATES

    def tune(self, questions: Vectors, tenth: Vectors) -> None:
        """Double the setting until the recall is reached."""
        while True:
            self._set()
            found = [self.search(query) for query in questions]
            if _recall(found, tenth) >= LEAST_RECALL or self.value > len(self._rows):
                return
            self.value *= 2

    def search(self, query: Vectors) -> list[Hit]:
        """Return the best ten, scored from the full vectors."""
        count = CANDIDATES if self._way.setting else self.value
        found: Positions = self._index.search(query[None], count)[1][0]
        return rank_candidates(self._rows, query, found[found >= 0], TOP)

    def _set(self) -> None:
        *path, last = self._way.setting.split(".")
        owner = self._index
        for name in path:
            owner = getattr(owner, name)
        if last:
            setattr(owner, last, self.value)


def _beside(
    ways: Sequence[Search], questions: Vectors, tenth: Vectors
) -> tuple[Sample, Sample, list[float]]:
    """Time two ways in turns, and return their recalls."""
    times: list[list[float]] = [[] for _ in ways]
    found: list[list[list[Hit]]] = [[] for _ in ways]
    for query in questions:
        for at, search in enumerate(ways):
            begun = time.perf_counter()
            hits = search(query)
            times[at].append(1000 * (time.perf_counter() - begun))
            found[at].append(hits)
    first, second = (Sample.of(each) for each in times)
    return first, second, [_recall(hits, tenth) for hits in found]


def _recall(found: Sequence[list[Hit]], tenth: Vectors) -> float:
    """Return the share of hits that score as high as the tenth of an exact search."""
    shares = [
        sum(score >= least - TOLERANCE for _, score in hits) / TOP
        for hits, least in zip(found, tenth, strict=True)
    ]
    return float(np.mean(shares))
