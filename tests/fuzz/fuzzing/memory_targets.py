"""What reads memories that are mapped from their files, and what was added."""

import io
import json
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from random import Random
from typing import NamedTuple

import numpy as np
from fuzzing.data_targets import folder
from fuzzing.harness import Target
from fuzzing.mutation import changed_bytes, changed_document, deep
from fuzzing.store_targets import npy

from remem.embed.hashing import HashingEmbedder
from remem.index.bm25_lexical import Bm25sLexical
from remem.index.numpy_dense import NumpyDense
from remem.memory.block_sums import FILE_NAME as SUMS
from remem.memory.block_sums import sum_of, sums_of
from remem.memory.mapped_checks import DAMAGES
from remem.memory.mapped_index import MANIFEST_NAME
from remem.memory.remem_memory import REMem
from remem.memory.scripted_planners import ScriptedPlanner
from remem.memory.tool_rules import ToolRules
from remem.memory.tools import RETRIEVAL_AND_EXPLORATION
from remem.protocols import DamagedIndexError
from remem.time_scope import TimePoint, TimeScope
from remem.types import Episode, Extraction, Fact, Gist, History, Message, ToolCall, Usage

DIMENSION = 8
ITEMS = 3
"""Gists, and facts, before something is added."""
CALLS = (
    ToolCall("semantic_retrieve", {"query": "Ann sails to Ulm", "start_time": "2001"}),
    ToolCall("lexical_retrieve", {"query": "Bonn sails"}),
    ToolCall("find_gist_contexts", {"gist_id": "g2"}),
    ToolCall("find_entity_contexts", {"object": "wn", "aggregation": "count_unique_objects"}),
)


class Sailing:
    """A gist and a fact for each message."""

    def extract(self, episode: Episode) -> Extraction:
        gists, facts = [], []
        for message in episode.messages:
            time = TimeScope(TimePoint(2000 + int(message.id)))
            gists.append(Gist("", f"Ann sails to {message.text}", time, "", (message.id,)))
            facts.append(Fact("", "Ann", "sails to", message.text, None, "", (message.id,)))
        return Extraction(tuple(gists), tuple(facts), Usage(1, 2, 3))


def _history(first: int) -> History:
    towns = ("Ulm", "Bonn", "New Town")
    messages = tuple(Message(str(first + at), "", town) for at, town in enumerate(towns))
    return History("h", (Episode(f"s{first}", messages),))


def _empty() -> REMem:
    return REMem(
        extractor=Sailing(),
        episode_unit="session",
        parallel_episodes=1,
        embedder=HashingEmbedder(dimension=DIMENSION),
        dense=NumpyDense,
        lexical=lambda: Bm25sLexical(k1=1.5, b=0.75, method="lucene"),
        planner=ScriptedPlanner(),
        max_steps=5,
        top_k=4,
        synonymy_threshold=0.8,
        rules=ToolRules(
            "record_time", "gists_and_facts", "episode_and_similar", "any", "all", "error"
        ),
        fact_string="bars",
        use_gists=True,
        use_facts=True,
        use_synonymy=True,
        tools=dict.fromkeys(RETRIEVAL_AND_EXPLORATION, True),
    )


@cache
def mapped() -> Mapping[str, bytes]:
    """Return the files of a mapped memory to which something was added."""
    place = folder() / "mapped"
    place.mkdir(exist_ok=True)
    memory = _empty()
    memory.index(_history(0))
    memory.save_mapped(place)
    opened = _empty()
    opened.open_mapped(place)
    opened.append_mapped(place, _history(3))
    return {path.name: path.read_bytes() for path in place.iterdir()}


class Files(NamedTuple):
    """Changed files of a folder, by name; None where one is missing."""

    changed: dict[str, bytes | None]


def _mapped(rng: Random) -> Files:
    names = [name for name in mapped() if not name.startswith("addition")]
    changed = {name: _changed(rng, name) for name in rng.sample(names, rng.choice((1, 1, 2)))}
    return Files(_with_sums(changed) if rng.random() < 0.7 else changed)


def _with_sums(changed: dict[str, bytes | None]) -> dict[str, bytes | None]:
    """Add the right sums of what was changed: behind them more is looked at."""
    if SUMS in changed:
        return changed
    sums = json.loads(mapped()[SUMS])
    for name, content in changed.items():
        if content is None:
            del sums[name]
        elif name.endswith(".json"):
            sums[name] = sums_of(name, np.frombuffer(content, np.uint8))
        else:
            with suppress(*DAMAGES, MemoryError):  # what is no array has no sum
                array = np.lib.format.read_array(io.BytesIO(content), allow_pickle=False)
                sums[name] = sums_of(
                    name, array[:ITEMS] if name.endswith("_vectors.npy") else array
                )
    return {**changed, SUMS: json.dumps(sums).encode()}


def _changed(rng: Random, name: str) -> bytes | None:
    content = mapped()[name]
    kind = rng.randrange(8)
    if kind == 0:
        return None
    if name.endswith(".json"):
        return changed_document(rng, json.loads(content))
    array = np.load(io.BytesIO(content))
    if kind == 1:
        odd = rng.choice(("<f8", "<i4", "S4", "U3", "?", "<i8", "|u1", ">f4", "<f4"))
        return npy(np.zeros(array.shape, np.dtype(odd)))
    if kind == 2:
        shapes = (array[: len(array) // 2], array.reshape(-1, 1), array.ravel(), array[:0])
        return npy(rng.choice(shapes))
    if kind == 3 and array.size:
        changed = array.copy()
        limit = rng.choice((-1, 0, 1, 3, 100, 255))
        changed.ravel()[rng.randrange(array.size)] = np.asarray(limit).astype(array.dtype)
        return npy(changed)
    if kind == 4:
        return content[: rng.randrange(len(content))]
    return changed_bytes(rng, content, 2)


def open_changed(files: Files) -> None:
    """Map a memory, read all of it and use every tool."""
    write_files("mapped", mapped(), files)
    memory = _empty()
    memory.open_mapped(folder() / "mapped")
    assert len(list(memory.graph.gists)) == len(memory.graph.gists)
    assert len(list(memory.graph.facts)) == len(memory.graph.facts)
    for call in CALLS:
        memory.toolbox().execute(call, "Where does Ann sail to?")


def _addition(rng: Random) -> Files:
    [name] = (name for name in mapped() if name.startswith("addition"))
    if rng.random() < 0.3:
        return Files({name: changed_bytes(rng, mapped()[name], 2)})
    with np.load(io.BytesIO(mapped()[name])) as parts:
        arrays = {part: np.asarray(parts[part]) for part in parts.files}
    part = rng.choice(list(arrays))
    array = arrays[part]
    kind = rng.randrange(5)
    if part == "content" and kind < 4:
        text = (
            deep(rng).encode()
            if rng.random() < 0.02
            else changed_document(rng, json.loads(array.tobytes()))
        )
        arrays[part] = np.frombuffer(text, np.uint8)
    elif kind == 0:
        del arrays[part]
    elif kind == 1:
        arrays[part] = array.astype(rng.choice(("<f8", "<i4", "U3", "?", "<f4")))
    elif kind == 2 and array.size:
        changed = array.copy()
        changed.ravel()[rng.randrange(array.size)] = rng.choice((0, 1, 7, 100))
        arrays[part] = changed
    else:
        arrays[part] = rng.choice((array[:1], array.reshape(-1, 1), array[:, None], array[:0]))
    if rng.random() < 0.7:
        owner = {MANIFEST_NAME: np.frombuffer(mapped()[MANIFEST_NAME], np.uint8)}
        summed = {one: value for one, value in arrays.items() if one != "sum"}
        arrays["sum"] = np.array([sum_of(name, {**summed, **owner})])
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for one, value in arrays.items():
            archive.writestr(zipfile.ZipInfo(f"{one}.npy"), npy(value))
    return Files({name: out.getvalue()})


def write_files(name: str, whole: Mapping[str, bytes], files: Files) -> None:
    place = folder() / name
    for inner, content in {**whole, **files.changed}.items():
        # Not in place: what an earlier input has mapped must not change under it.
        (place / inner).unlink(missing_ok=True)
        if content is not None:
            (place / inner).write_bytes(content)


TARGETS = (
    Target("memories: mapped", _mapped, open_changed, (ValueError, DamagedIndexError)),
    Target("memories: additions", _addition, open_changed, (ValueError, DamagedIndexError)),
)
