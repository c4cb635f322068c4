"""A memory stored as a folder of memory-mapped arrays, which opens at once at any size.

Each later addition is a separate file in the folder and is applied whenever the memory is opened,
so an append costs only what it adds. A file gets its final name only when it is complete.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from remem.files.adapters import adapter
from remem.index.array_archive import read_arrays
from remem.memory.block_sums import FILE_NAME as SUMS_NAME
from remem.memory.block_sums import Blocks, read_sums, sum_of, sums_json, sums_of
from remem.memory.fact_table import FactTable
from remem.memory.graph import EpisodeContext, MemoryGraph
from remem.memory.index_file import Account
from remem.memory.item_store import named
from remem.memory.mapped_checks import check_ends, check_numbers, check_parts, whole_memory
from remem.memory.stored_items import StoredItems, as_lines
from remem.protocols import Vectors
from remem.types import Fact, Gist

FORMAT = "remem mapped memory, version 4"
MANIFEST_NAME = "memory.json"
READ_LATER = ("gist_vectors", "fact_vectors", "gist_lines", "fact_lines")
"""The largest parts; their blocks are verified when a block is first read."""
ROOM = 4
"""Number of stored vectors for each free row behind them."""
Parts = dict[str, NDArray[Any]]


@dataclass(frozen=True, slots=True)
class Manifest:
    """The format and size of a stored memory, without later additions."""

    format: str
    gists: int
    facts: int
    dimension: int
    account: Account


@dataclass(frozen=True, slots=True)
class Addition:
    """The content of one addition: its items with their ids, and its new synonymy edges."""

    gists: list[Gist]
    facts: list[Fact]
    gist_vectors: Vectors
    fact_vectors: Vectors
    synonyms: NDArray[np.int64]
    account: Account


def write(folder: Path, manifest: Manifest, parts: Mapping[str, NDArray[Any]]) -> None:
    """Write the arrays, one file each, then their checksums, then the manifest."""
    content = adapter(Manifest).dump_json(manifest) + b"\n"
    sums = {MANIFEST_NAME: sums_of(MANIFEST_NAME, np.frombuffer(content, np.uint8))}
    for name, part in parts.items():
        path = folder / f"{name}.npy"
        if name.endswith("_vectors"):
            _write_with_room(path, part)
        else:
            np.save(path, part)
        with path.open("rb") as file:
            os.fsync(file.fileno())
        written = np.lib.format.open_memmap(path, mode="r")
        sums[path.name] = sums_of(path.name, _without_room(manifest, name, written))
    _replace(folder / SUMS_NAME, sums_json(sums))
    _replace(folder / MANIFEST_NAME, content)


def read(folder: Path, *, dimension: int) -> tuple[Manifest, Parts, Mapping[str, Blocks]]:
    """Memory-map the arrays; return the manifest, the arrays, and the blocks to verify later.

    Raises:
        ValueError: The folder is incomplete, not a mapped index, or of another embedder.
    """
    with whole_memory(folder):
        content = (folder / MANIFEST_NAME).read_bytes()
        manifest = adapter(Manifest).validate_json(content, strict=True)
        parts: Parts = {
            path.stem: np.lib.format.open_memmap(path, mode="c")
            for path in sorted(folder.glob("*.npy"))
        }
        _check(manifest, parts, dimension)
        blocks = _blocks(folder, manifest, parts)
    return manifest, parts, blocks


def _blocks(folder: Path, manifest: Manifest, parts: Parts) -> Mapping[str, Blocks]:
    """Verify the files by their checksums; return the blocks that are verified when first read."""
    sums = read_sums(folder)
    content = np.frombuffer((folder / MANIFEST_NAME).read_bytes(), np.uint8)
    Blocks(folder / MANIFEST_NAME, content, sums.get(MANIFEST_NAME, [])).check()
    later = {}
    for name, part in parts.items():
        path = folder / f"{name}.npy"
        blocks = Blocks(path, _without_room(manifest, name, part), sums.get(path.name, []))
        if name in READ_LATER:
            later[name] = blocks
        else:
            blocks.check()
    if missing := sums.keys() - {MANIFEST_NAME, *(f"{name}.npy" for name in parts)}:
        raise ValueError(f"{sorted(missing)[0]} is missing")
    return later


def _without_room(manifest: Manifest, name: str, part: NDArray[Any]) -> NDArray[Any]:
    """Return an array without the free rows behind its vectors."""
    counts = {"gist_vectors": manifest.gists, "fact_vectors": manifest.facts}
    return part[: counts[name]] if name in counts else part


def write_addition(folder: Path, addition: Addition) -> None:
    """Write an addition as the next file of the folder."""
    content = adapter(tuple[list[Gist], list[Fact], Account]).dump_json(
        (addition.gists, addition.facts, addition.account)
    )
    path = _addition_path(folder, len(_additions(folder)) + 1)
    part = path.with_suffix(".part")
    arrays: Parts = {
        "content": np.frombuffer(content, dtype=np.uint8),
        "gist_vectors": addition.gist_vectors,
        "fact_vectors": addition.fact_vectors,
        "synonyms": addition.synonyms,
    }
    with part.open("wb") as file:
        np.savez(
            file,
            content=arrays["content"],
            gist_vectors=addition.gist_vectors,
            fact_vectors=addition.fact_vectors,
            synonyms=addition.synonyms,
            sum=np.array([_addition_sum(path, arrays)]),
        )
        os.fsync(file.fileno())
    part.rename(path)
    _fsync_folder(folder)


def read_additions(folder: Path) -> Iterator[Addition]:
    """Yield the additions in order."""
    reader = adapter(tuple[list[Gist], list[Fact], Account])
    for number, path in enumerate(_additions(folder), start=1):
        parts: Parts = read_arrays(path)
        if path != _addition_path(folder, number):
            raise ValueError(f"{_addition_path(folder, number).name} is missing")
        gists, facts, account = reader.validate_json(parts["content"].tobytes(), strict=True)
        vectors = parts["gist_vectors"], parts["fact_vectors"]
        for of, count in zip(vectors, (len(gists), len(facts)), strict=True):
            if of.dtype != np.float32 or of.ndim != 2 or len(of) != count:
                raise ValueError(f"{path.name}: found {of.dtype} vectors of shape {of.shape}")
        added = Addition(gists, facts, *vectors, parts["synonyms"], account)
        if parts.pop("sum").tolist() != [_addition_sum(path, parts)]:
            raise ValueError(
                f"{path.name} changed since it was written, or belongs to another memory"
            )
        yield added


def _addition_sum(path: Path, arrays: Parts) -> int:
    """Return the checksum of an addition, which also covers the manifest of its memory.

    A file that was copied from another memory therefore has a wrong checksum.
    """
    owner = (path.parent / MANIFEST_NAME).read_bytes()
    return sum_of(path.name, {**arrays, MANIFEST_NAME: np.frombuffer(owner, np.uint8)})


def _addition_path(folder: Path, number: int) -> Path:
    return folder / f"addition-{number:06d}.npz"


def graph_parts(graph: MemoryGraph, table: FactTable) -> Parts:
    """Return the arrays of a graph, by name."""
    numbers = {episode: number for number, episode in enumerate(graph.episodes)}
    parts: Parts = {
        "episodes": _texts(list(numbers)),
        "synonyms": graph.synonym_edges.pairs(),
        "triples": table.columns,
        "predicates": _texts(list(table.predicates.numbers)),
        "phrases": _texts(list(table.phrases.numbers)),
    }
    for kind, items in ((Gist, graph.gists), (Fact, graph.facts)):
        name = kind.__name__.lower()
        parts |= {f"{name}_{part}": array for part, array in as_lines(kind, items).items()}
        parts[f"{name}_episodes"] = np.array([numbers[item.episode_id] for item in items], np.int32)
    for name, names in (("phrase", table.phrases), ("predicate", table.predicates)):
        text, ends = names.folded_names()
        parts[f"{name}_text"] = np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8)
        parts[f"{name}_ends"] = ends
    return parts


def restore_graph(parts: Parts, blocks: Mapping[str, Blocks], table: FactTable) -> MemoryGraph:
    """Rebuild a graph and fill its table from arrays; gists and facts stay in their files."""
    for name, names in (("phrase", table.phrases), ("predicate", table.predicates)):
        text = parts[f"{name}_text"].tobytes().decode("utf-8", "surrogatepass")
        listed, ends = _read_texts(parts[f"{name}s"]), parts[f"{name}_ends"]
        check_ends(f"{name}_ends", ends, len(text))
        if len(listed) != len(ends) or len(set(listed)) != len(listed):
            raise ValueError(f"{name}s are not {len(ends)} different names")
        names.restore(listed, text, ends)
    for column, names in zip(
        parts["triples"], (table.phrases, table.predicates, table.phrases), strict=True
    ):
        check_numbers("triples", column, len(names.numbers))
    table.restore(parts["triples"])
    graph = MemoryGraph()
    gists, facts = blocks["gist_lines"].check, blocks["fact_lines"].check
    graph.gists = StoredItems(Gist, parts["gist_lines"], parts["gist_ends"], gists)
    graph.facts = StoredItems(Fact, parts["fact_lines"], parts["fact_ends"], facts)
    graph.phrases = dict(table.phrases.numbers)
    graph.episodes = _contexts(parts)
    graph.add_synonyms(parts["synonyms"])
    return graph


def _contexts(parts: Parts) -> dict[str, EpisodeContext]:
    names = _read_texts(parts["episodes"])
    for kind in ("gist", "fact"):
        check_numbers(f"{kind}_episodes", parts[f"{kind}_episodes"], len(names))
    gists, facts = (_grouped(parts[f"{kind}_episodes"], len(names)) for kind in ("gist", "fact"))
    subjects, _, objects = (column.tolist() for column in parts["triples"])
    contexts = {}
    for name, of_gists, of_facts in zip(names, gists, facts, strict=True):
        phrases = dict.fromkeys(phrase for at in of_facts for phrase in (subjects[at], objects[at]))
        contexts[name] = EpisodeContext(of_gists, of_facts, phrases)
    return contexts


def _grouped(episodes: NDArray[np.int32], count: int) -> Iterator[list[int]]:
    """Yield the positions of each episode's items."""
    order = np.argsort(episodes, kind="stable").tolist()
    ends = np.cumsum(np.bincount(episodes, minlength=count)).tolist()
    return (order[begin:end] for begin, end in zip([0, *ends[:-1]], ends, strict=True))


def _check(manifest: Manifest, parts: Parts, dimension: int) -> None:
    if manifest.format != FORMAT:
        raise ValueError(f"found the format {manifest.format!r}, expected {FORMAT!r}")
    if manifest.dimension != dimension:
        raise ValueError(f"its vectors have {manifest.dimension} dimensions, expected {dimension}")
    check_parts(parts)
    for kind, count in (("gist", manifest.gists), ("fact", manifest.facts)):
        of_kind = named(parts, f"{kind}_")
        found = (of_kind["ends"].shape, of_kind["episodes"].shape, of_kind["scopes"].shape)
        vectors = of_kind["vectors"]
        if found != ((count,), (count,), (5, count)) or vectors.shape != (_room(count), dimension):
            raise ValueError(f"the arrays of {kind}s do not have {count} rows each")


def _write_with_room(path: Path, vectors: Vectors) -> None:
    """Write vectors followed by free rows: a sparse region that additions fill in memory."""
    shape = (_room(len(vectors)), vectors.shape[1])
    file = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=shape)
    file[: len(vectors)] = vectors
    file.flush()


def _room(count: int) -> int:
    return count + count // ROOM + 1


def _texts(texts: list[str]) -> NDArray[np.uint8]:
    return np.frombuffer(adapter(list[str]).dump_json(texts), dtype=np.uint8)


def _read_texts(part: NDArray[np.uint8]) -> list[str]:
    return adapter(list[str]).validate_json(part.tobytes())


def _additions(folder: Path) -> list[Path]:
    return sorted(folder.glob("addition-*.npz"))


def _replace(path: Path, content: bytes) -> None:
    part = path.with_suffix(".part")
    with part.open("wb") as file:
        file.write(content)
        os.fsync(file.fileno())
    part.rename(path)
    _fsync_folder(path.parent)


def _fsync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
