"""Fuzz the loading of stored memories and of additions to them."""

import json
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np
from fuzzing.data_targets import folder
from fuzzing.harness import Target
from fuzzing.mutation import changed_bytes, changed_document

from remem.embed.hashing import HashingEmbedder
from remem.errors import DamagedIndexError
from remem.index.bm25_lexical import Bm25sLexical
from remem.index.numpy_dense import NumpyDense
from remem.index.stored_arrays import (
    ARRAYS_NAME,
    LIST_NAME,
    open_arrays,
    write_arrays,
)
from remem.memory.planners import ScriptedPlanner
from remem.memory.remem_memory import REMem
from remem.memory.stored_memory import FORMAT
from remem.memory.tools import RETRIEVAL_AND_EXPLORATION, ToolRules
from remem.time_scope import TimePoint, TimeScope
from remem.types import Episode, Extraction, Fact, Gist, History, Message, ToolCall, Usage

DIMENSION = 8
CALLS = (
    ToolCall("semantic_retrieve", {"query": "Ann sails to Ulm", "start_time": "2001"}),
    ToolCall("lexical_retrieve", {"query": "Bonn sails"}),
    ToolCall("find_gist_contexts", {"gist_id": "g2"}),
    ToolCall("find_entity_contexts", {"object": "wn", "aggregation": "count_unique_objects"}),
)


class Sailing:
    """Extracts a gist and a fact from each message."""

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


class Files(NamedTuple):
    """The changed files of a folder, by name; None for a missing file."""

    changed: dict[str, bytes | None]


@cache
def stored() -> Mapping[str, Mapping[str, bytes]]:
    """Return the files of a memory, and of an addition to it."""
    for name in ("memory", "addition", "changed"):
        (folder() / name).mkdir(exist_ok=True)
    memory = _empty()
    memory.index(_history(0))
    memory.save(folder() / "memory")
    memory.index(_history(3))
    memory.append(folder() / "addition")
    return {
        name: {path.name: path.read_bytes() for path in (folder() / name).iterdir()}
        for name in ("memory", "addition")
    }


def changed(of: str) -> Callable[[Random], Files]:
    """Return a function that changes a few arrays or their list, mostly with right checksums."""

    def draw(rng: Random) -> Files:
        whole = stored()[of]
        if rng.random() < 0.2:
            name = rng.choice(list(whole))
            return Files({name: rng.choice((None, changed_bytes(rng, whole[name], 2)))})
        if rng.random() < 0.3:
            return Files({LIST_NAME: _changed_list(rng, whole)})
        write_files("changed", whole, Files({}))
        arrays = open_arrays(folder() / "changed", FORMAT)
        for name in rng.sample(list(arrays), rng.choice((1, 1, 2))):
            arrays[name] = _changed_array(rng, arrays[name])
        write_arrays(folder() / "changed", FORMAT, arrays)
        return Files({name: (folder() / "changed" / name).read_bytes() for name in whole})

    return draw


def _changed_list(rng: Random, whole: Mapping[str, bytes]) -> bytes:
    """Return a changed list of the arrays, with the checksum of the changed list."""
    listed = json.loads(whole[LIST_NAME])
    content = changed_document(rng, listed["arrays"])
    with suppress(ValueError, RecursionError):
        arrays = json.dumps(json.loads(content), separators=(",", ":"))
        listed["checksum"] = zlib.crc32(arrays.encode(), zlib.crc32(whole[ARRAYS_NAME]))
    return b'{"format":%b,"arrays":%b,"checksum":%d}' % (
        json.dumps(listed["format"]).encode(),
        content,
        listed["checksum"],
    )


def _changed_array(rng: Random, array: Any) -> Any:
    kind = rng.randrange(6)
    if array.dtype == np.uint8 and array[:1].tobytes() in (b"{", b"["):
        with suppress(ValueError):  # of several lines
            value = json.loads(array.tobytes())
            return np.frombuffer(changed_document(rng, value), np.uint8)
    if kind == 1:
        return np.zeros(array.shape, rng.choice(("<f8", "<i4", "S4", "U3", "?", "<i8", "|u1")))
    if kind == 2:
        shapes = (array[: len(array) // 2], array.reshape(-1, 1), array.ravel(), array[:0])
        return rng.choice(shapes)
    if kind == 3:
        return np.frombuffer(changed_bytes(rng, array.tobytes(), 2), np.uint8)
    other = array.copy()
    if array.size:
        limit = rng.choice((-1, 0, 1, 3, 100, 255))
        other.ravel()[rng.randrange(array.size)] = np.asarray(limit).astype(array.dtype)
    return other


def load_changed(files: Files) -> None:
    """Load the changed memory, read all of it and use every tool."""
    write_files("memory", stored()["memory"], files)
    _use(folder() / "memory")


def load_changed_addition(files: Files) -> None:
    """Load a memory with the changed addition, read all of it and use every tool."""
    write_files("memory", stored()["memory"], Files({}))
    write_files("addition", stored()["addition"], files)
    _use(folder() / "memory", folder() / "addition")


def _use(*folders: Path) -> None:
    memory = _empty()
    memory.load(*folders)
    assert len(list(memory.graph.gists)) == len(memory.graph.gists)
    assert len(list(memory.graph.facts)) == len(memory.graph.facts)
    for call in CALLS:
        memory.toolbox().execute(call, "Where does Ann sail to?")


def write_files(name: str, whole: Mapping[str, bytes], files: Files) -> None:
    place = folder() / name
    for inner, content in {**whole, **files.changed}.items():
        # Not in place: what an earlier input has mapped must not change under it.
        (place / inner).unlink(missing_ok=True)
        if content is not None:
            (place / inner).write_bytes(content)


DAMAGED = (DamagedIndexError,)
TARGETS = (
    Target("memories: stored", changed("memory"), load_changed, DAMAGED),
    Target("memories: additions", changed("addition"), load_changed_addition, DAMAGED),
)
