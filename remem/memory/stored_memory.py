"""Store a REMem memory: one folder for the memory, and one for each later addition.

The folder of a memory contains everything, so nothing is computed when it is opened, and most data
stay on disk. The folder of an addition contains only items, vectors and synonymy edges.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from remem.index.stored_arrays import (
    Arrays,
    arrays_below,
    from_json,
    json_array,
    open_arrays,
    write_arrays,
)
from remem.memory.fact_table import FactTable
from remem.memory.graph import EpisodeContext, MemoryGraph
from remem.memory.item_store import StoredItems, as_lines
from remem.types import Fact, Gist, Usage

FORMAT = "remem memory, version 5"
KINDS = ((Gist, "gist"), (Fact, "fact"))
OF_AN_ADDITION = {
    "synonyms": ("i8", 2),
    **{f"{kind}_lines": ("u1", 1) for _, kind in KINDS},
    **{f"{kind}_ends": ("i8", 1) for _, kind in KINDS},
    **{f"{kind}_vectors": ("f4", 2) for _, kind in KINDS},
}
"""The data type and the number of dimensions of each array of a memory or of an addition."""
OF_A_MEMORY = {
    **dict.fromkeys(("episodes", "predicates", "phrases"), ("u1", 1)),
    "triples": ("i4", 2),
    **{f"{kind}_episodes": ("i4", 1) for _, kind in KINDS},
    **{f"{kind}_scopes": ("i8", 2) for _, kind in KINDS},
}
"""The same for the arrays that only the folder of a memory contains."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """The usage and the failures of the extraction, and the folder that an addition follows.

    Attributes:
        usage: The model usage.
        failures: The id and the reason of each failed episode.
        follows: The checksum of the folder before an addition; None for the folder of a memory.
    """

    usage: Usage
    failures: tuple[tuple[str, str], ...]
    follows: int | None


def write_stored(folder: Path, manifest: Manifest, arrays: Arrays) -> None:
    """Write a memory or an addition into an existing folder."""
    write_arrays(folder, FORMAT, {"manifest": json_array(Manifest, manifest), **arrays})


def open_stored(folder: Path, follows: int | None, dimension: int) -> tuple[Manifest, Arrays]:
    """Open what `write_stored` wrote, and check everything except the content of the items.

    Args:
        folder: The folder.
        follows: The checksum of the previous folder; None for a memory.
        dimension: The length of a vector.

    Raises:
        ValueError: The folder is incomplete, of another kind, or from another embedder.
    """
    arrays = open_arrays(folder, FORMAT)
    manifest = from_json(Manifest, arrays["manifest"].tobytes(), "manifest")
    if manifest.follows != follows:
        raise ValueError(
            "it is an addition to a memory" if follows is None else "it is not the next addition"
        )
    expected = OF_AN_ADDITION | (OF_A_MEMORY if follows is None else {})
    for name, (kind, dimensions) in expected.items():
        array = arrays.get(name)
        if array is None or array.dtype != np.dtype(kind) or array.ndim != dimensions:
            description = (
                "no such array" if array is None else f"{array.dtype} of shape {array.shape}"
            )
            raise ValueError(
                f"{name}: found {description}, expected {np.dtype(kind)} in {dimensions}D"
            )
    for _, kind in KINDS:
        _check_items(kind, arrays_below(arrays, f"{kind}_"), dimension)
    return manifest, arrays


def item_arrays(gists: Sequence[Gist], facts: Sequence[Fact]) -> Arrays:
    """Return gists and facts as arrays: their JSON lines, and the position where each line ends."""
    gist_lines, fact_lines = as_lines(Gist, gists), as_lines(Fact, facts)
    return {f"gist_{part}": array for part, array in gist_lines.items()} | {
        f"fact_{part}": array for part, array in fact_lines.items()
    }


def graph_arrays(graph: MemoryGraph, table: FactTable) -> Arrays:
    """Return an entire graph as arrays."""
    numbers = {episode: number for number, episode in enumerate(graph.episodes)}
    episodes = {
        f"{kind}_episodes": np.array([numbers[item.episode_id] for item in items], np.int32)
        for kind, items in (("gist", graph.gists), ("fact", graph.facts))
    }
    names = {
        "episodes": list(graph.episodes),
        "predicates": list(table.predicates.numbers),
        "phrases": list(table.phrases.numbers),
    }
    return {
        **item_arrays(graph.gists, graph.facts),
        **episodes,
        **{name: json_array(list[str], listed) for name, listed in names.items()},
        "triples": table.columns,
        "synonyms": graph.synonym_edges.pairs(),
    }


def stored_graph(arrays: Arrays) -> tuple[MemoryGraph, FactTable]:
    """Restore the output of `graph_arrays`; gists and facts are read from disk when needed."""
    table = FactTable()
    for name, names in (("phrases", table.phrases), ("predicates", table.predicates)):
        listed = from_json(list[str], arrays[name].tobytes(), name)
        for text in listed:
            names.number(text)
        if len(names.numbers) != len(listed):
            raise ValueError(f"{name} repeat a name, expected {len(listed)} different names")
    if arrays["triples"].shape != (3, len(arrays["fact_ends"])):
        raise ValueError(
            f"triples are of shape {arrays['triples'].shape}, expected 3 rows and a column for "
            f"each fact"
        )
    of_columns = (table.phrases, table.predicates, table.phrases)
    for column, names in zip(arrays["triples"], of_columns, strict=True):
        _check_numbers("triples", column, len(names.numbers))
    table.restore(arrays["triples"])
    graph = MemoryGraph()
    graph.gists, graph.facts = stored_items(arrays)
    graph.phrases = dict(table.phrases.numbers)
    graph.episodes = _contexts(arrays)
    graph.add_synonyms(checked_pairs(arrays["synonyms"], len(graph.gists)))
    return graph, table


def stored_items(
    arrays: Arrays, gists: int = 0, facts: int = 0
) -> tuple[StoredItems[Gist], StoredItems[Fact]]:
    """Restore the output of `item_arrays`; `gists` and `facts` are the numbers of earlier items."""
    return (
        StoredItems(Gist, arrays["gist_lines"], arrays["gist_ends"], gists),
        StoredItems(Fact, arrays["fact_lines"], arrays["fact_ends"], facts),
    )


def checked_pairs(pairs: NDArray[np.int64], gists: int) -> NDArray[np.int64]:
    """Return synonymy pairs; raise ValueError unless they are pairs i < j of gist positions."""
    if pairs.shape[1] != 2:
        raise ValueError(f"synonyms are of shape {pairs.shape}, expected (m, 2)")
    _check_numbers("synonyms", pairs, gists)
    if not (pairs[:, 0] < pairs[:, 1]).all():
        raise ValueError("synonyms has a pair (i, j) with i >= j, expected i < j in every pair")
    return pairs


def _contexts(arrays: Arrays) -> dict[str, EpisodeContext]:
    names = from_json(list[str], arrays["episodes"].tobytes(), "episodes")
    for _, kind in KINDS:
        _check_numbers(f"{kind}_episodes", arrays[f"{kind}_episodes"], len(names))
    gists, facts = (_grouped(arrays[f"{kind}_episodes"], len(names)) for _, kind in KINDS)
    subjects, _, objects = (column.tolist() for column in arrays["triples"])
    contexts = {}
    for name, of_gists, of_facts in zip(names, gists, facts, strict=True):
        phrases = dict.fromkeys(phrase for at in of_facts for phrase in (subjects[at], objects[at]))
        contexts[name] = EpisodeContext(of_gists, of_facts, phrases)
    return contexts


def _grouped(episodes: NDArray[np.int32], count: int) -> Iterator[list[int]]:
    """Yield the positions of each episode's items."""
    order = np.argsort(episodes, kind="stable").tolist()
    ends = np.cumsum(np.bincount(episodes, minlength=count)).tolist()
    return (order[begin:end] for begin, end in zip([0, *ends][:-1], ends, strict=True))


def _check_items(kind: str, arrays: Arrays, dimension: int) -> None:
    """Check that the arrays of gists or of facts have as many rows as there are lines."""
    ends, count = arrays["ends"], len(arrays["ends"])
    ordered = bool((np.diff(ends, prepend=0) >= 0).all())
    if not ordered or (int(ends[-1]) if count else 0) != len(arrays["lines"]):
        raise ValueError(
            f"{kind}_ends do not ascend to {len(arrays['lines'])}, the size of the lines in bytes"
        )
    shapes = {"vectors": (count, dimension), "episodes": (count,), "scopes": (5, count)}
    for name, shape in shapes.items():
        if name in arrays and arrays[name].shape != shape:
            array_shape = arrays[name].shape
            raise ValueError(f"{kind}_{name} are of shape {array_shape}, expected {shape}")


def _check_numbers(name: str, numbers: NDArray[np.integer], count: int) -> None:
    """Check that all numbers are between 0 and count - 1."""
    if numbers.size and not (int(numbers.min()) >= 0 and int(numbers.max()) < count):
        raise ValueError(f"{name} are not all numbers below {count}")
