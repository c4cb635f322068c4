"""Measure a memory of a million gists and a million facts: `make bench-1m`.

The vectors are those of real sentences, the queries real questions. The memory is indexed with the
approximate index, saved, opened again from its files, asked, and added to.
"""

import gc
import resource
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from measure.generated_history import numbered_history
from measure.large_memory import THRESHOLD, TOP, Workload, ask, asked, seconds
from measure.line import Goal, Growth, Line, Sample
from measure.real_vectors import RealVectors, near_duplicates, prepared, read, why_not
from measure.tools_at_scale import MOST_OF_NUMPY, PEER, nearest
from measure.workload import ITEMS_PER_EPISODE
from remem.index.faiss_dense import Approximation, FaissDense
from remem.index.numpy_dense import NumpyDense
from remem.memory.remem_memory import REMem
from remem.protocols import DenseIndex
from remem.types import ToolCall

SIZES = (10_000, 100_000, 1_000_000)
QUICK_SIZES = (5_000, 20_000)
SENTENCES_OF_A_QUICK_RUN = 5_000
REPEATS = 200
NEAR = 0.95
"""Similarity from which two vectors are near-duplicates."""
APPENDED_EPISODES = 1_000
SEED = 11
LEAST_RECALL = 0.97
MOST_OF_INDEXING = 0.005
"""The most that appending 1,000 episodes takes of the time of indexing all."""
CHECKED = 2_000
"""Number of gists whose exact synonymy edges measure the recall of the approximate ones."""

SHARES = {"50%": 0.5, "5%": 0.05, "0.1%": 0.001}
"""Shares of the entries that pass a time filter."""
FILTERED_MS = 15.0
LIMITS = {
    "reopen, memory-mapped": ("s", 2.0),
    "peak memory": ("GB", 12.0),
    "semantic_retrieve, gists": ("ms", 10.0),
    "semantic_retrieve, facts": ("ms", 10.0),
    "lexical_retrieve": ("ms", 10.0),
    "find_gist_contexts": ("ms", 10.0),
    "find_entity_contexts, exact": ("ms", 10.0),
    "find_entity_contexts, substring": ("ms", 10.0),
    "find_entity_contexts, count": ("ms", 10.0),
    **{
        f"semantic_retrieve, {store}, {name} of the time": ("ms", FILTERED_MS)
        for store in ("gists", "facts (contiguous)")
        for name in SHARES
    },
}
NOTES = {
    "index and save, synonymy left out": "every item once",
    "save (with the lexical indexes built)": "every item once",
    "synonymy alone": "every item is compared with some of √n lists",
    "semantic_retrieve, gists": "reads every compressed vector",
    "semantic_retrieve, facts": "reads every compressed vector",
    "exact search, gists": "reads every vector",
    "numpy, gists": "reads every vector",
}
"""Reasons why a time grows linearly with the items, or faster."""
INSTALL = "pip install -e '.[cpu]'"
NOTHING = Sample(0, 0, 0, 0)


@dataclass(slots=True)
class Found:
    """The measurements at one size."""

    samples: dict[str, Sample] = field(default_factory=dict)
    recalls: dict[str, float] = field(default_factory=dict)

    def once(self, name: str, value: float) -> None:
        """Record a single measurement."""
        self.samples[name] = Sample.of([value])


def measure(*, quick: bool) -> Iterator[Line | Growth]:
    """Yield the lines of the largest memory, and the growth of everything."""
    missing = why_not() or ("" if find_spec("faiss") else f"not measured: {INSTALL}")
    if missing:
        yield Line("1m: real sentences in an approximate index", "ms", NOTHING, note=missing)
        return
    folder = prepared(most=SENTENCES_OF_A_QUICK_RUN if quick else None)
    sizes = QUICK_SIZES if quick else SIZES
    yield from _content(read(folder), sizes[-1])
    yield from compare(partial(read, folder), sizes, REPEATS, 20 if quick else APPENDED_EPISODES)


def compare(
    vectors: Callable[[], RealVectors], sizes: Sequence[int], repeats: int, appended: int
) -> Iterator[Line | Growth]:
    """Measure memories of these sizes; `appended` episodes are added to each."""
    found = []
    for size in sizes:  # the vectors are read anew, so that only those of one memory are held
        load = Workload.real(size, appended * ITEMS_PER_EPISODE, vectors(), SEED)
        found.append(_measured(load, repeats))
    yield from _lines(found[-1], f"memory of {sizes[-1]:,}")
    for name in found[-1].samples:
        medians = tuple(measured.samples[name].median for measured in found)
        note = NOTES.get(name, "")
        yield Growth(f"mapped: {name}", _unit(name), tuple(sizes), medians, note)


def _content(vectors: RealVectors, size: int) -> Iterator[Line]:
    """Say what the vectors are, and how many of them are near-duplicates."""
    whole = len(vectors.sentences)
    kinds = {f"{whole:,} sentences": vectors.sentences}
    if size > whole:
        kinds[f"{size:,} sentences and parts of them"] = vectors.rows(size, SEED)
    for name, rows in kinds.items():
        share = Sample.of([near_duplicates(rows, NEAR)])
        yield Line(f"real vectors: near-duplicates (cosine {NEAR}) of {name}", "of 1", share)


def _lines(found: Found, at: str) -> Iterator[Line]:
    samples = found.samples
    for name, sample in samples.items():
        if name in LIMITS:
            unit, limit = LIMITS[name]
            goal = Goal("<=", limit, "median")
            yield Line(f"{at}: {name}", unit, sample, f"{limit:g} {unit}", goal=goal)
        else:
            yield Line(f"{at}: {name}", _unit(name), sample)
    for name, recall in found.recalls.items():
        goal = Goal(">=", LEAST_RECALL, "median")
        yield Line(f"{at}: {name}", "", Sample.of([recall]), "exact search", goal=goal)
    yield Line(
        *(f"{at}: exact search of the gists", "ms", samples["exact search, gists"]),
        *(PEER, samples["numpy, gists"]),
        goal=Goal("<=", MOST_OF_NUMPY),
    )
    yield Line(
        *(f"{at}: append, durable, synonymy left out", "s", samples["append, synonymy left out"]),
        *("indexing and saving anew", samples["index and save, synonymy left out"]),
        goal=Goal("<=", MOST_OF_INDEXING),
    )


def _unit(name: str) -> str:
    if name.startswith(("index", "reopen", "append", "synonymy", "first", "save")):
        return "s"
    return "GB" if name.startswith("peak") else "ms"


def approximate() -> DenseIndex:
    """Return the index of `index=faiss_cpu`, approximate at every measured size."""
    return FaissDense(device="cpu", approximation=Approximation(1_000, LEAST_RECALL))


def _measured(load: Workload, repeats: int) -> Found:
    found = Found()
    with tempfile.TemporaryDirectory(prefix="remem-1m-") as folder:
        _index(load, found, Path(folder))
        found.once("peak memory, indexed and saved", _peak())
        gc.collect()
        _open(load, found, Path(folder))
        _search(load, found, Path(folder), repeats)
        _append(load, found, Path(folder))
    found.once("peak memory", _peak())
    return found


def _peak() -> float:
    """Return the peak memory of this process in GB, including mapped files."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9


def _index(load: Workload, found: Found, folder: Path) -> None:
    memory = load.memory(approximate)
    history = numbered_history(0, load.size)
    drawn = load.extractor.seconds
    index = seconds(partial(memory.index, history)) - (load.extractor.seconds - drawn)
    synonymy = load.pairs[0].seconds
    saved = seconds(partial(memory.save_mapped, folder))
    found.once("index and save, synonymy left out", index - synonymy + saved)
    found.once("save (with the lexical indexes built)", saved)
    found.once("synonymy alone", synonymy)
    found.recalls["recall of synonymy edges"] = _synonymy_recall(load, memory)


def _synonymy_recall(load: Workload, memory: REMem) -> float:
    """Return the share of some gists' exact edges that were found."""
    rows = load.gists[: load.size]
    chosen = np.linspace(0, load.size - 1, min(CHECKED, load.size), dtype=np.int64)
    expected = hit = 0
    for part in np.array_split(chosen, max(1, len(chosen) // 100)):
        alike = rows[part] @ rows.T >= THRESHOLD
        for gist, near in zip(part.tolist(), alike, strict=True):
            edges = {*np.flatnonzero(near).tolist()} - {gist}
            expected += len(edges)
            hit += len(edges & {*memory.graph.synonyms(gist)})
    return hit / expected if expected else 1.0


def _open(load: Workload, found: Found, folder: Path) -> None:
    memories = [load.memory(approximate) for _ in range(3)]
    times = [seconds(partial(memory.open_mapped, folder)) for memory in memories]
    found.samples["reopen, memory-mapped"] = Sample.of(times)


def _search(load: Workload, found: Found, folder: Path, repeats: int) -> None:
    """Query each store alone, compared with exact search, then both with the other tools."""
    for kind, order in (("gists", ""), ("facts", " (contiguous)")):
        seen = {"use_gists": kind == "gists", "use_facts": kind == "facts"}
        memory, exact = load.memory(approximate, **seen), load.memory(NumpyDense, **seen)
        memory.open_mapped(folder)
        exact.open_mapped(folder)
        name = f"semantic_retrieve, {kind}"
        ask(memory, load.semantic(1, None)[0])
        _semantic(found, name, memory, exact, load.semantic(repeats, None))
        for share, kept in SHARES.items():
            part = f"{name}{order}, {share} of the time"
            _semantic(found, part, memory, exact, load.semantic(repeats, kept))
    memory = load.memory(approximate)
    memory.open_mapped(folder)
    for name, calls in load.calls(repeats).items():
        found.samples[name] = asked(memory, calls)
    _exact(load, found, repeats)


def _semantic(
    found: Found, name: str, memory: REMem, exact: REMem, calls: Sequence[ToolCall]
) -> None:
    """Time searches, then count the results that score as high as the exact ones."""
    asked_for = [ask(memory, call) for call in calls]
    found.samples[name] = Sample.of([time for time, _ in asked_for])
    recalls = []
    for (_, ours), call in zip(asked_for, calls, strict=True):
        expected = ask(exact, call)[1].scores
        if not expected:  # nothing passed the filter
            continue
        as_good = sum(score >= expected[-1] for score in ours.scores)
        recalls.append(as_good / len(expected))
    found.recalls[f"recall@10 of {name}"] = float(np.mean(recalls))


def _exact(load: Workload, found: Found, repeats: int) -> None:
    """Time exact search and numpy in turn."""
    index, rows = NumpyDense(), load.gists[: load.size]
    index.adopt(rows, load.size)
    ours, peers = [], []
    for query in load.queries[:repeats]:
        ours.append(1000 * seconds(partial(index.search, query, TOP)))
        peers.append(1000 * seconds(partial(nearest, rows, query)))
    found.samples["exact search, gists"] = Sample.of(ours)
    found.samples["numpy, gists"] = Sample.of(peers)


def _append(load: Workload, found: Found, folder: Path) -> None:
    """Add episodes durably, search them, and check that they are found after reopening."""
    memory = load.memory(approximate, since=load.size)
    memory.open_mapped(folder)
    synonymy = load.pairs[-2]  # of gists; that of facts is made after it
    drawn = load.extractor.seconds
    more = numbered_history(load.size, load.size + load.appended)
    taken = seconds(partial(memory.append_mapped, folder, more))
    searches = [load.semantic(1, None)[0], load.calls(1)["lexical_retrieve"][0]]
    taken += sum(seconds(partial(ask, memory, call)) for call in searches)
    taken -= load.extractor.seconds - drawn
    found.once("append, synonymy left out", taken - synonymy.seconds)
    found.once("append, synonymy alone", synonymy.seconds)
    again = load.memory(approximate)
    found.once("reopen after the append", seconds(partial(again.open_mapped, folder)))
    if again.graph.counts() != memory.graph.counts():
        raise ValueError("the memory that was opened again is not the one that was added to")
