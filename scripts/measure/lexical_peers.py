"""Compare our lexical search with plain bm25s, which it is built on, and with rank-bm25."""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from itertools import cycle
from typing import Any

import numpy as np

from measure.beside import beside, scaled
from measure.line import Goal, Growth, Line, Sample
from measure.workload import sentences
from remem.index.bm25s_lexical import Bm25sLexical

K1, B, METHOD, TOP_K = 1.5, 0.75, "lucene", 10
QUERY_WORDS = 8
LEAST_TIMES_RANK_BM25 = 100.0
GOAL_SIZE = 100_000
"""Minimum number of texts for the goal; with fewer, parsing the query dominates a search."""


@dataclass(frozen=True, slots=True)
class Peers:
    """The compared indexes, and their queries."""

    ours: Bm25sLexical
    bare: Any
    rank: Any
    queries: Sequence[str]

    @classmethod
    def of(cls, size: int) -> "Peers":
        """Index texts of a Zipf vocabulary."""
        import bm25s  # type: ignore[import-untyped]  # ships no types
        from rank_bm25 import BM25Okapi  # type: ignore[import-untyped]  # ships no types

        logging.getLogger("bm25s").setLevel(logging.WARNING)
        rng = np.random.default_rng(size)
        texts = sentences(size, rng)
        queries = [" ".join(text.split()[:QUERY_WORDS]) for text in sentences(20, rng)]
        ours = Bm25sLexical(k1=K1, b=B, method=METHOD)
        ours.add(texts)
        bare = bm25s.BM25(k1=K1, b=B, method=METHOD, backend="numpy")
        bare.index(_tokens(texts), show_progress=False)
        return cls(ours, bare, BM25Okapi([text.split() for text in texts]), queries)

    def by_ours(self, query: str) -> object:
        """Search like the tools do."""
        return self.ours.search(query, TOP_K)

    def by_bare(self, query: str) -> object:
        """Search with bm25s only."""
        return self.bare.retrieve(_tokens([query]), k=TOP_K, show_progress=False)

    def by_rank(self, query: str) -> object:
        """Search with rank-bm25."""
        scores = self.rank.get_scores(query.split())
        best = np.argpartition(-scores, TOP_K)[:TOP_K]
        return best[np.argsort(-scores[best])]


def measure_lexical(sizes: tuple[int, ...], queries: int) -> Iterator[Line | Growth]:
    """Search at each size; each round is one query."""
    medians = []
    for size in sizes:
        peers = Peers.of(size)
        ours, bare = _in_turns(peers, peers.by_bare, queries)
        medians.append(ours.median)
        name = f"lexical search, {size:,} texts"
        yield Line(
            name=name,
            unit="ms",
            ours=ours,
            against=f"tokenize and retrieve of bm25s {version('bm25s')}, by numpy",
            peer=bare,
            goal=Goal("<=", 1.0) if size >= GOAL_SIZE else None,
            note="ours ranks in float64, ties by position, without what shares no word",
        )
        ours, rank = _in_turns(peers, peers.by_rank, max(queries // 4, 2))
        yield Line(
            name=name,
            unit="ms",
            ours=ours,
            against=f"BM25Okapi of rank-bm25 {version('rank-bm25')}",
            peer=rank,
            times_less=True,
            goal=Goal(">=", LEAST_TIMES_RANK_BM25) if size >= GOAL_SIZE else None,
        )
    yield Growth("lexical search", "ms", sizes, tuple(medians))


def _in_turns(peers: Peers, search: Any, queries: int) -> tuple[Sample, Sample]:
    """Time ours and a peer in milliseconds; each round uses the next query."""
    asked, asked_too = (cycle(peers.queries) for _ in range(2))
    ours, peer = beside(
        lambda: peers.by_ours(next(asked)), lambda: search(next(asked_too)), queries
    )
    return scaled(ours, 1e3), scaled(peer, 1e3)


def _tokens(texts: Sequence[str]) -> Any:
    import bm25s
    from Stemmer import Stemmer  # type: ignore[import-not-found]  # a C extension

    return bm25s.tokenize(list(texts), stemmer=Stemmer("english"), show_progress=False)
