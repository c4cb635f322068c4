"""Time every tool on growing memories, with the exact default indexes.

Vectors are prepared, so that only the memory is timed, not its models.
"""

import time
from collections.abc import Iterator
from functools import partial

import numpy as np

from measure.generated_history import numbered_history
from measure.large_memory import TOP, Workload, ask, asked, seconds
from measure.line import Goal, MeasuredLine, MemoryGrowth, Sample
from measure.workload import ITEMS_PER_EPISODE
from remem.index.numpy_dense import NumpyDense
from remem.memory.remem_memory import REMem
from remem.protocols import Vectors

SIZES = (10_000, 30_000, 100_000)
QUICK_SIZES = (10_000, 20_000)
DIMENSION = 384
REPEATS = 40
LIMITS = {
    "semantic_retrieve, a time filter that keeps 5%": 3.0,
    "lexical_retrieve": 1.0,
    "find_gist_contexts": 0.2,
    "find_entity_contexts, exact": 0.2,
    "find_entity_contexts, substring": 1.0,
    "find_entity_contexts, count": 0.1,
    "append an episode (10 gists, 10 facts)": 50.0,
}
"""The most milliseconds of a call; each is close to what it took when the limit was set."""
MOST_OF_NUMPY = 1.1
NOTES = {
    "index, synonymy left out": "every item once",
    "index, synonymy only": "exact: every pair of gists",
    "first lexical search (builds)": "every text once",
    "semantic_retrieve": "exact: reads every vector",
    "append an episode (10 gists, 10 facts)": "compares its gists with all others",
}
"""Reasons why a time grows linearly with the items, or faster."""
SEED = 7
PEER = f"numpy {np.__version__} vecdot + argpartition"
Figures = dict[str, Sample]


def measure(*, quick: bool) -> Iterator[MeasuredLine | MemoryGrowth]:
    """Yield the lines of the largest memory, and the growth of each tool's time."""
    yield from compare(QUICK_SIZES if quick else SIZES, DIMENSION, REPEATS)


def compare(
    sizes: tuple[int, ...], dimension: int, repeats: int
) -> Iterator[MeasuredLine | MemoryGrowth]:
    """Measure memories of these sizes."""
    measured = [_tools(size, dimension, repeats) for size in sizes]
    at = f"tools at {sizes[-1]:,}"
    largest, peer = measured[-1]
    for name, sample in largest.items():
        if name == "semantic_retrieve":
            yield MeasuredLine(
                *(f"{at}: {name}, both stores, exact", "ms", sample),
                *(PEER, peer),
                goal=Goal("<=", MOST_OF_NUMPY),
            )
        elif name in LIMITS:
            goal = Goal("<=", LIMITS[name], "median")
            limit = f"a limit of {LIMITS[name]:g} ms"
            yield MeasuredLine(f"{at}: {name}", "ms", sample, limit, goal=goal)
        else:
            yield MeasuredLine(f"{at}: {name}", "s", sample)
    for name in largest:
        unit = "s" if name.startswith(("index", "first")) else "ms"
        medians = tuple(medians[name].median for medians, _ in measured)
        yield MemoryGrowth(f"tools: {name}", unit, sizes, medians, NOTES.get(name, ""))


def _tools(size: int, dimension: int, repeats: int) -> tuple[Figures, Sample]:
    """Return the times of each tool, and of the peer of semantic_retrieve."""
    appended = 2 * repeats * ITEMS_PER_EPISODE
    load = Workload.draw(size, appended, dimension, repeats, SEED)
    memory = load.memory(NumpyDense)
    calls = load.calls(repeats)
    index = seconds(lambda: memory.index(numbered_history(0, size))) - load.extractor.seconds
    pairs = load.pairs[0].seconds
    figures = {
        "index, synonymy left out": Sample.of([index - pairs]),
        "index, synonymy only": Sample.of([pairs]),
        "first lexical search (builds)": Sample.of(
            [seconds(lambda: ask(memory, calls["lexical_retrieve"][0]))]
        ),
    }
    figures["semantic_retrieve"], peer = _beside_numpy(memory, load, repeats)
    filtered = "semantic_retrieve, a time filter that keeps 5%"
    figures[filtered] = asked(memory, load.semantic(repeats, 0.05))
    figures |= {name: asked(memory, each) for name, each in calls.items()}
    singles = [
        1000 * seconds(partial(memory.index, numbered_history(at, at + ITEMS_PER_EPISODE)))
        for at in range(size, size + repeats * ITEMS_PER_EPISODE, ITEMS_PER_EPISODE)
    ]
    figures["append an episode (10 gists, 10 facts)"] = Sample.of(singles)
    return figures, peer


def _beside_numpy(memory: REMem, load: Workload, repeats: int) -> tuple[Sample, Sample]:
    """Time searches of both stores, and the same with numpy in turns."""
    gists, facts = load.gists[: load.size], load.facts[: load.size]
    calls = load.semantic(repeats, None)
    ours, peers = [], []
    for call, query in zip(calls, load.queries, strict=True):
        ours.append(ask(memory, call)[0])
        begun = time.perf_counter()
        for rows in (gists, facts):
            nearest(rows, query)
        peers.append(1000 * (time.perf_counter() - begun))
    return Sample.of(ours), Sample.of(peers)


def nearest(rows: Vectors, query: Vectors) -> "np.typing.NDArray[np.int64]":
    """Return the nearest rows, computed with numpy in the way that is fastest for one query."""
    return np.argpartition(-np.vecdot(rows, query), TOP)[:TOP]
