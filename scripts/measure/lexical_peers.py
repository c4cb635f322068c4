"""Compare our lexical search with bm25s, which it is built on, tantivy and rank-bm25."""

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from itertools import cycle
from typing import Any

import numpy as np

from measure.beside import beside, scaled
from measure.line import Goal, MeasuredLine, MemoryGrowth, Sample
from measure.workload import sentences
from remem.index.bm25_lexical import Bm25sLexical

K1, B, METHOD, TOP_K = 1.5, 0.75, "lucene", 10
QUERY_WORDS = 8
LEAST_TIMES_RANK_BM25 = 100.0
GOAL_SIZE = 100_000
"""Minimum number of texts for the goal; with fewer, parsing the query dominates a search."""
Search = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class Peers:
    """The compared indexes, and their queries."""

    texts: Sequence[str]
    queries: Sequence[str]
    ours: Bm25sLexical

    @classmethod
    def of(cls, size: int) -> "Peers":
        """Index texts of a Zipf vocabulary."""
        rng = np.random.default_rng(size)
        texts = sentences(size, rng)
        queries = [" ".join(text.split()[:QUERY_WORDS]) for text in sentences(20, rng)]
        ours = Bm25sLexical(k1=K1, b=B, method=METHOD)
        ours.add(texts)
        return cls(texts, queries, ours)

    def by_ours(self, query: str) -> object:
        """Search like the tools do."""
        return self.ours.search(query, TOP_K)

    def bm25s(self, backend: str) -> Search:
        """Return the search of bm25s alone, by numpy or by numba."""
        import bm25s  # type: ignore[import-untyped]  # ships no types

        logging.getLogger("bm25s").setLevel(logging.WARNING)
        bare = bm25s.BM25(k1=K1, b=B, method=METHOD, backend=backend)
        bare.index(_tokens(self.texts), show_progress=False)
        return lambda query: bare.retrieve(_tokens([query]), k=TOP_K, show_progress=False)

    def tantivy(self) -> Search:
        """Return the search of tantivy, in memory and with its English stemmer."""
        import tantivy

        schema = tantivy.SchemaBuilder().add_text_field("text", tokenizer_name="en_stem").build()
        index = tantivy.Index(schema)
        writer = index.writer(num_threads=1)
        for text in self.texts:
            writer.add_document(tantivy.Document(text=text))
        writer.commit()
        writer.wait_merging_threads()
        index.reload()
        searcher = index.searcher()
        return lambda query: searcher.search(index.parse_query(query, ["text"]), TOP_K).hits

    def rank_bm25(self) -> Search:
        """Return the search of rank-bm25."""
        from rank_bm25 import BM25Okapi  # type: ignore[import-untyped]  # ships no types

        rank = BM25Okapi([text.split() for text in self.texts])

        def search(query: str) -> object:
            scores = rank.get_scores(query.split())
            best = np.argpartition(-scores, TOP_K)[:TOP_K]
            return best[np.argsort(-scores[best])]

        return search


def measure_lexical(sizes: tuple[int, ...], queries: int) -> Iterator[MeasuredLine | MemoryGrowth]:
    """Search at each size; each round is one query."""
    medians = []
    for size in sizes:
        peers = Peers.of(size)
        ours, bare = _in_turns(peers, peers.bm25s("numpy"), queries)
        medians.append(ours.median)
        name = f"lexical search, {size:,} texts"
        yield MeasuredLine(
            name=name,
            unit="ms",
            ours=ours,
            against=f"tokenize and retrieve of bm25s {version('bm25s')}, by numpy",
            peer=bare,
            goal=Goal("<=", 1.0) if size >= GOAL_SIZE else None,
            note="ours ranks in float64, ties by position, without what shares no word",
        )
        yield from _others(peers, name, ours, queries)
        ours, rank = _in_turns(peers, peers.rank_bm25(), max(queries // 4, 2))
        yield MeasuredLine(
            name=name,
            unit="ms",
            ours=ours,
            against=f"BM25Okapi of rank-bm25 {version('rank-bm25')}",
            peer=rank,
            times_less=True,
            goal=Goal(">=", LEAST_TIMES_RANK_BM25) if size >= GOAL_SIZE else None,
        )
    yield MemoryGrowth("lexical search", "ms", sizes, tuple(medians))


def _others(peers: Peers, name: str, alone: Sample, queries: int) -> Iterator[MeasuredLine]:
    """Compare with peers that need a package of their own; without it, they are not measured.

    numba is not in the extra `bench`: bm25s imports it wherever it is, which would add its memory
    to all other lines.
    """
    searches: dict[str, tuple[str, Callable[[], Search]]] = {
        "numba": ("tokenize and retrieve of bm25s, by numba", lambda: peers.bm25s("numba")),
        "tantivy": ("tantivy in memory, with its English stemmer", peers.tantivy),
    }
    for package, (label, search) in searches.items():
        if find_spec(package) is None:
            yield MeasuredLine(name, "ms", alone, label, note=f"pip install {package}")
            continue
        ours, peer = _in_turns(peers, search(), queries)
        yield MeasuredLine(name, "ms", ours, f"{label} ({package} {version(package)})", peer)


def _in_turns(peers: Peers, search: Search, queries: int) -> tuple[Sample, Sample]:
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
