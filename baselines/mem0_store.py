"""A repeatable Mem0 of the pinned release, with empty in-memory stores and no telemetry."""

import os
import re
import sys
from dataclasses import replace
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from tempfile import TemporaryDirectory
from typing import Any

from remem.errors import StopRunError
from remem.types import Message

PINNED = {"mem0ai": "1.0.11"}
PINNED_FOR_GRAPH = PINNED | {"kuzu": "0.11.3", "rank-bm25": "0.2.2"}
MOST_GRAPH_BYTES = 1 << 36
"""Maximum size of a Kuzu graph; by default each reserves 8 TiB and the 16th per process fails."""


def new_store(dimension: int, graph: bool) -> Any:
    """Return an empty in-memory Mem0, without telemetry and without files in the home folder."""
    with TemporaryDirectory() as folder:
        if "mem0" not in sys.modules:
            os.environ |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": folder}  # read on import alone
        main = import_module("mem0.memory.main")
    if main.MEM0_TELEMETRY:
        raise StopRunError("mem0 was imported with its telemetry on: set MEM0_TELEMETRY=False")
    unused = {"provider": "openai", "config": {"api_key": "unused"}}
    config: dict[str, Any] = {
        "llm": unused,
        "embedder": {**unused, "config": {"api_key": "unused", "embedding_dims": dimension}},
        "vector_store": {
            "provider": "qdrant",
            "config": {"path": ":memory:", "embedding_model_dims": dimension, "on_disk": True},
        },
        "history_db_path": ":memory:",
    }
    if graph:
        config["graph_store"] = {"provider": "kuzu", "config": {"db": ":memory:"}}
    store = main.Memory.from_config(config)
    if graph:
        _make_repeatable(store.graph)
    return store


def _make_repeatable(graph: Any) -> None:
    """Give the graph a database with one thread, so that equal scores keep their order."""
    kuzu = import_module("kuzu")
    graph.db = kuzu.Database(":memory:", max_db_size=MOST_GRAPH_BYTES)
    graph.graph = kuzu.Connection(graph.db, num_threads=1)
    graph.kuzu_create_schema()


def dated_prompt(message: Message) -> str:
    """Return Mem0's extraction prompt with the date of the message instead of the current date.

    Deviation: the released package always uses the current date, so "yesterday" is relative to the
    day of the run.
    """
    day = str(replace(message.time, minute=None)) if message.time else "unknown"
    prompt: str = import_module("mem0.configs.prompts").FACT_RETRIEVAL_PROMPT
    return re.sub(r"(?<=Today's date is )\d{4}-\d\d-\d\d", day, prompt)


def require_packages(*, graph: bool) -> None:
    """Raise ImportError unless the pinned packages are installed; others may work differently."""
    pinned = PINNED_FOR_GRAPH if graph else PINNED
    found = {name: _installed(name) for name in pinned}
    if any(found[name] != pin for name, pin in pinned.items()):
        needed = " ".join(f"{name}=={pin}" for name, pin in pinned.items())
        have = ", ".join(f"{name} {release or 'missing'}" for name, release in found.items())
        method = "mem0_graph" if graph else "mem0"
        raise ImportError(
            f"method={method} finds {have}; it is compared as released: pip install {needed}"
        )


def _installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
