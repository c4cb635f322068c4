"""Bytes of a memory that is larger than the machine's, and the cost of a search with an engine.

For docs/larger_memory.md: `python scripts/bench.py engine`. The engine is Milvus' embedded form.
"""

import tempfile
import time
from collections.abc import Iterator
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from measure.beside import beside, scaled
from measure.generated_history import numbered_history
from measure.large_memory import Workload
from measure.line import Growth, Line, Sample
from measure.workload import unit_vectors
from remem.index.milvus_dense import MilvusDense
from remem.index.numpy_dense import NumpyDense
from remem.memory.graph import GraphCounts
from remem.protocols import Mask, Vectors

DIMENSION = 384
SEED = 7
TOP = 10
REPEATS = 7
KINDS = {
    "text, date, sources": ("lines", "ends", "episodes", "scopes"),
    "term index": ("lexical_",),
}
"""The kinds of data of an item besides its vector, by prefix of the file name."""
NAMES = ("phrase", "predicate", "triples")


def measure(*, quick: bool) -> Iterator[Line | Growth]:
    """Measure the bytes of a mapped memory, then searches with numpy and with the engine."""
    yield from measure_bytes(2_000 if quick else 20_000)
    yield from measure_engine(2_000 if quick else 20_000)


def measure_bytes(size: int) -> Iterator[Line]:
    """Count the bytes of each gist, fact and edge of a mapped memory."""
    load = Workload.draw(size, 0, DIMENSION, 1, SEED)
    memory = load.memory(NumpyDense)
    memory.index(numbered_history(0, size))
    with tempfile.TemporaryDirectory(prefix="remem-bytes-") as folder:
        memory.save_mapped(Path(folder))
        files = {path.stem: path.stat().st_size for path in Path(folder).glob("*.npy")}
    held = f"{size:,} gists and as many facts"
    for item in ("gist", "fact"):
        yield _bytes(f"vector of a {item}, d = {DIMENSION}", 4.0 * DIMENSION, held)
        for kind, beginnings in KINDS.items():
            taken = _taken(files, tuple(f"{item}_{beginning}" for beginning in beginnings))
            yield _bytes(f"{kind} of a {item}", taken / size, held)
    yield _bytes("names and triple of a fact", _taken(files, NAMES) / size, held)
    yield from _edge_bytes(files, memory.graph.counts(), held)


def measure_engine(size: int) -> Iterator[Line]:
    """Time the same searches with Milvus and numpy, in turns; their results are equal."""
    if find_spec("milvus_lite") is None:
        nothing, note = Sample(0, 0, 0, 0), "pip install 'remem[milvus]'"
        yield Line("index=milvus", "ms", nothing, "index=numpy", note=note)
        return
    rng = np.random.default_rng(SEED)
    rows, query = unit_vectors(size, DIMENSION, rng), unit_vectors(1, DIMENSION, rng)[0]
    engine, reference = MilvusDense(uri=""), NumpyDense()
    for index in (engine, reference):
        index.add(rows)
    begun = time.perf_counter()
    engine.search(query, TOP)
    sent = Sample.of([1e6 * (time.perf_counter() - begun) / size])
    yield Line(f"index=milvus, sending a vector, {size:,} x {DIMENSION}", "us", sent)
    for name, mask in _masks(size, rng).items():
        yield _search(f"{name} of {size:,} x {DIMENSION}", engine, reference, query, mask)


def _search(
    name: str, engine: MilvusDense, reference: NumpyDense, query: Vectors, mask: Mask | None
) -> Line:
    if engine.search(query, TOP, mask) != reference.search(query, TOP, mask):
        raise ValueError(f"{name}: Milvus and numpy differ, expected the same ranking")
    ours, peer = beside(
        lambda: engine.search(query, TOP, mask),
        lambda: reference.search(query, TOP, mask),
        REPEATS,
        time.perf_counter,
    )
    return Line(
        name=f"index=milvus, {name}",
        unit="ms",
        ours=scaled(ours, 1000),
        against=f"index=numpy (numpy {np.__version__}), the same hits",
        peer=scaled(peer, 1000),
        note=f"milvus-lite {version('milvus-lite')}, pymilvus {version('pymilvus')}",
    )


def _masks(size: int, rng: np.random.Generator) -> dict[str, Mask | None]:
    at = np.arange(size)
    return {
        "all": None,
        "half, in one range": at < size // 2,
        "half, scattered": rng.random(size) < 0.5,
        "5%, scattered": rng.random(size) < 0.05,
        "0.1%, scattered": rng.random(size) < 0.001,
    }


def _edge_bytes(files: dict[str, int], counts: GraphCounts, held: str) -> Iterator[Line]:
    pairs = max(counts.synonymy_edges, 1)
    yield _bytes(f"synonymy edge, of {counts.synonymy_edges:,}", files["synonyms"] / pairs, held)
    implicit = files["episodes"] + files["gist_episodes"] + files["fact_episodes"]
    edges = max(counts.context_edges, 1)
    yield _bytes(f"context edge, of {counts.context_edges:,}", implicit / edges, held)


def _taken(files: dict[str, int], beginnings: tuple[str, ...]) -> int:
    return sum(size for name, size in files.items() if name.startswith(beginnings))


def _bytes(name: str, count: float, held: str) -> Line:
    return Line(f"{name}, {held}", "bytes", Sample.of([count]))
