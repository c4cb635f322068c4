"""Compare implicit context edges (gist -> episode <- phrase) with every edge kept on its own."""

import sys
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np

from measure.beside import beside, scaled
from measure.line import Goal, MeasuredLine, MemoryGrowth, Sample
from remem.memory.graph import EpisodeContext, MemoryGraph
from remem.types import Extraction, Fact, Gist

GISTS, FACTS = 27, 17
"""Gists and facts per episode, about those of a LoCoMo session in the paper's table of graphs."""
SEEDS = 10
"""Number of gists whose phrases are looked up together."""
AT_ONCE = 50
MOST_OF_NETWORKX = 10_000
"""Number of gists up to which networkx is measured; each edge takes it hundreds of bytes."""
NEW_INTEGER = 28
"""Bytes of an integer object that is not shared."""


@dataclass(frozen=True, slots=True)
class EdgePeer:
    """All edges as another package holds them."""

    label: str
    megabytes: float
    phrases: Callable[[list[int]], list[Any]]
    """Look up the phrases of each of some gists."""

    @classmethod
    def of_scipy(cls, matrix: Any) -> "EdgePeer":
        """Return the sparse matrix itself."""
        return cls(
            f"CSR of scipy {version('scipy')}",
            _sparse_bytes(matrix) / 1e6,
            lambda gists: _row_entries(matrix, gists),
        )

    @classmethod
    def of_networkx(cls, matrix: Any) -> "EdgePeer":
        """Return a graph with an edge for each entry; a phrase is a negative number."""
        from networkx import Graph

        rows, columns = matrix.nonzero()
        pairs = list(zip(rows.tolist(), (-1 - columns).tolist(), strict=True))
        tracemalloc.start()
        graph: Any = Graph(pairs)
        held, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return cls(
            f"a Graph of networkx {version('networkx')}",
            held / 1e6,
            lambda gists: [list(graph.adj[gist]) for gist in gists],
        )


def measure_edges(sizes: tuple[int, ...], repeats: int) -> Iterator[MeasuredLine | MemoryGrowth]:
    """Compare memory and lookups at each number of gists."""
    medians = []
    for size in sizes:
        graph = _graph(size)
        matrix = _matrix(graph)
        held, edges = _held_bytes(graph) / 1e6, f"{matrix.nnz:,} edges"
        medians.append(held)
        peers = [EdgePeer.of_scipy(matrix)]
        if size <= MOST_OF_NETWORKX:
            peers.append(EdgePeer.of_networkx(matrix))
        for peer in peers:
            yield MeasuredLine(
                name=f"context edges of {size:,} gists, memory",
                unit="MB",
                ours=Sample.of([held]),
                against=peer.label,
                peer=Sample.of([peer.megabytes]),
                goal=Goal("<=", 1.0),
                note=edges,
            )
            yield _lookups(graph, peer, size, repeats, edges)
    yield MemoryGrowth("context edges", "MB", sizes, tuple(medians))


def _lookups(
    graph: MemoryGraph, peer: EdgePeer, size: int, repeats: int, edges: str
) -> MeasuredLine:
    seeds = np.random.default_rng(size).integers(0, len(graph.gists), SEEDS).tolist()
    ours, theirs = beside(
        lambda: [phrases_of(graph, seeds) for _ in range(AT_ONCE)],
        lambda: [peer.phrases(seeds) for _ in range(AT_ONCE)],
        repeats,
    )
    return MeasuredLine(
        name=f"phrases of {SEEDS} gists among {size:,}",
        unit="us",
        ours=scaled(ours, 1e6 / AT_ONCE),
        against=peer.label,
        peer=scaled(theirs, 1e6 / AT_ONCE),
        note=edges,
    )


def phrases_of(graph: MemoryGraph, seeds: list[int]) -> list[list[int]]:
    """Look up the phrases that share an episode with each gist."""
    return [list(graph.context(graph.gists[at].episode_id).phrases) for at in seeds]


def _graph(gists: int) -> MemoryGraph:
    graph, rng = MemoryGraph(), np.random.default_rng(gists)
    for number in range(-(-gists // GISTS)):
        names = [f"entity {name}" for name in rng.zipf(1.3, 2 * FACTS) % gists]
        facts = [
            Fact("", subject, "knows", other, None, "", ("m",))
            for subject, other in zip(names[::2], names[1::2], strict=True)
        ]
        extracted = tuple(Gist("", "text", None, "", ("m",)) for _ in range(GISTS))
        graph.add_episode(f"e{number}", Extraction(extracted, tuple(facts)))
    return graph


def _matrix(graph: MemoryGraph) -> Any:
    """Return all edges as a sparse matrix with a row for each gist and a column for each phrase."""
    from scipy.sparse import csr_array  # type: ignore[import-untyped]  # ships no types

    lists = [list(graph.context(gist.episode_id).phrases) for gist in graph.gists]
    starts = np.concatenate([[0], np.cumsum([len(items) for items in lists])]).astype(np.int32)
    columns = np.concatenate([np.array(items, dtype=np.int32) for items in lists])
    ones = np.ones(len(columns), dtype=np.int8)
    return csr_array((ones, columns, starts), shape=(len(lists), len(graph.phrases)))


def _row_entries(matrix: Any, seeds: list[int]) -> list[Any]:
    return [matrix.indices[matrix.indptr[at] : matrix.indptr[at + 1]] for at in seeds]


def _sparse_bytes(matrix: Any) -> int:
    return int(matrix.data.nbytes + matrix.indices.nbytes + matrix.indptr.nbytes)


def _held_bytes(graph: MemoryGraph) -> int:
    contexts = graph.episodes.values()
    return sys.getsizeof(graph.episodes) + sum(map(_context_bytes, contexts))


def _context_bytes(context: EpisodeContext) -> int:
    parts = (context, context.gists, context.phrases)
    return sum(map(sys.getsizeof, parts)) + NEW_INTEGER * len(context.gists)
