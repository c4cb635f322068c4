"""Mem0, run by its own package with our models (paper, Methods for Comparison).

The pinned release has the algorithm that Mem0 used when the paper was written: it extracts the
facts of a message, then decides what to do with each fact. Later major versions use another method.
Losses that Mem0 does not report are counted, not repaired.
"""

import os
import re
import sys
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from importlib import import_module
from tempfile import TemporaryDirectory
from typing import Any

from baselines.mem0_calls import Mem0Calls, losses
from remem.config.extras import installed_version
from remem.errors import NothingStoredError, StopRunError
from remem.passages import undated_line
from remem.protocols import ChatModel, Embedder
from remem.types import Evidence, Fact, History, IndexHealth, Message, Passage, Query, Usage

PINNED = {"mem0ai": "1.0.11"}
PINNED_FOR_GRAPH = PINNED | {"kuzu": "0.11.3", "rank-bm25": "0.2.2"}
MOST_GRAPH_BYTES = 1 << 36
"""Maximum size of a Kuzu graph; by default each reserves 8 TiB and the 16th per process fails."""


def new_store(dimension: int, graph: bool) -> Any:
    """Return an empty in-memory Mem0, without telemetry and without files in the home folder."""
    with TemporaryDirectory() as folder:
        if "mem0" not in sys.modules:
            os.environ |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": folder}  # read only on import
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
    """Raise ImportError unless the pinned releases are installed.

    Other releases may work differently.
    """
    pinned = PINNED_FOR_GRAPH if graph else PINNED
    installed = {name: installed_version(name) for name in pinned}
    if any(installed[name] != pin for name, pin in pinned.items()):
        needed = " ".join(f"{name}=={pin}" for name, pin in pinned.items())
        have = ", ".join(f"{name} {release or 'missing'}" for name, release in installed.items())
        method = "mem0_graph" if graph else "mem0"
        raise ImportError(
            f"method={method} does not work with these releases: {have}; install the pinned ones: "
            f"pip install {needed}"
        )


FAILED = (ValueError, LookupError, TypeError, AttributeError, RuntimeError)
"""Errors that Mem0 raises for an unexpected reply."""
LONGEST_REASON = 200
COUNTED = ("facts", "ADD", "UPDATE", "DELETE", "rejected", "unreadable replies")
"""The counts of an index; `rejected` are facts without an action."""
UNREADABLE = re.compile("Error in new_retrieved_facts|Invalid JSON|Empty response|.*are not JSON")
"""Log messages of Mem0 about an unreadable reply."""


class Mem0Memory:
    """Adds messages one by one to a Mem0 store and recalls the nearest memories.

    If `index` fails, create a new memory and index the history again. The replies of repeated calls
    come from the call store.

    Attributes:
        index_counts: The numbers of extracted facts, of actions on memories, of facts without an
            action, and of replies that Mem0 could not read.

    Args:
        chat_model: Replaces Mem0's own model.
        embedder: Replaces Mem0's own embedder.
        top_k: The number of memories for a query; with `graph`, also the number of relations.
        graph: Whether to store relations in an embedded graph as well.
    """

    def __init__(
        self, *, chat_model: ChatModel, embedder: Embedder, top_k: int, graph: bool
    ) -> None:
        if top_k < 1:
            raise ValueError(f"method.build.top_k must be at least 1, found {top_k}")
        require_packages(graph=graph)
        self._chat_model = chat_model
        self._embedder = embedder
        self._top_k = top_k
        self._graph = graph
        self._mem0: Any = None
        self._user = ""
        self._messages: dict[str, Message] = {}
        self._sources: dict[str, list[str]] = {}
        """The messages that wrote each memory; memories are in order of creation."""
        self._written = 0
        self._unfinished = False
        self.index_usage = Usage()
        self.failures: tuple[tuple[str, str], ...] = ()
        self.index_counts = dict.fromkeys(COUNTED, 0)

    def index(self, history: History) -> None:
        """Add the messages in order; if a model fails, stop instead of skipping a message."""
        if self._unfinished:
            raise RuntimeError(
                f"an earlier failure left this memory of {history.id} half indexed: create a new "
                f"memory"
            )
        if self._mem0 is None:
            self._mem0 = new_store(self._embedder.dimension, self._graph)
        self._user = history.id
        self._unfinished = True
        for message in history.messages():
            self._messages[message.id] = message
            self._add(message)
        self._unfinished = False
        if self.failures and not self._sources:
            raise NothingStoredError(
                f"nothing of history {history.id} was stored; lost replies: {len(self.failures)} "
                f"(the first reason: {self.failures[0][1]}); check the model and start again"
            )

    def recall(self, query: Query) -> Evidence:
        """Return the nearest memories, each with the date of the message that last changed it."""
        if self._mem0 is None or not self._messages:
            return Evidence()
        calls = Mem0Calls(self._chat_model, self._embedder, "recall")
        mem0 = self._driven_by(calls)
        with calls.failing_loudly():
            results = mem0.search(query.text, user_id=self._user, limit=self._top_k)
        return Evidence(
            passages=tuple(self._passage(memory) for memory in results["results"]),
            facts=_relations(results.get("relations") or ()),
            usage=calls.usage,
        )

    @property
    def index_health(self) -> IndexHealth:
        """Return the number of memories, and how many were last changed by a dated message."""
        writers = [self._messages[sources[-1]] for sources in self._sources.values()]
        dated = sum(message.time is not None for message in writers)
        return IndexHealth(len(writers), dated, self._top_k)

    def _add(self, message: Message) -> None:
        calls = Mem0Calls(self._chat_model, self._embedder, "index")
        mem0 = self._driven_by(calls)
        prompt = dated_prompt(message)
        mem0.config = mem0.config.model_copy(update={"custom_fact_extraction_prompt": prompt})
        turns = [{"role": "user", "content": undated_line(message)}]
        with losses(calls) as reasons:
            try:
                with calls.failing_loudly():
                    mem0.add(turns, user_id=self._user, metadata={"message": message.id})
            except FAILED as error:
                if error is calls.failure:
                    raise
                reasons.append(f"{type(error).__name__}: {error}")
        self.index_usage += calls.usage
        self.index_counts["facts"] += len(calls.facts)
        self.failures += tuple((message.id, reason[:LONGEST_REASON]) for reason in reasons)
        self.index_counts["unreadable replies"] += sum(map(bool, map(UNREADABLE.match, reasons)))
        actions = self._note_written(message)
        self.index_counts["rejected"] += max(0, len(calls.facts) - actions)

    def _note_written(self, message: Message) -> int:
        """Read the new actions of a message from Mem0's history, and return their number."""
        rows = self._mem0.db.connection.execute(
            "SELECT memory_id, event FROM history ORDER BY rowid LIMIT -1 OFFSET ?",
            (self._written,),
        ).fetchall()
        self._written += len(rows)
        for memory_id, event in rows:
            self.index_counts[event] += 1
            writers = self._sources.setdefault(memory_id, [])
            if message.id not in writers:
                writers.append(message.id)
        return len(rows)

    def _driven_by(self, calls: Mem0Calls) -> Any:
        """Return a copy of the store that uses these calls; several copies may be used at once."""
        mem0 = copy(self._mem0)
        mem0.llm = mem0.embedding_model = calls
        if self._graph:
            mem0.graph = copy(mem0.graph)
            mem0.graph.llm = mem0.graph.embedding_model = calls
        return mem0

    def _passage(self, memory: Mapping[str, Any]) -> Passage:
        memory_id = str(memory["id"])
        message = self._messages[memory["metadata"]["message"]]
        date = message.date or str(message.time or "")
        text = f"{date}: {memory['memory']}" if date else str(memory["memory"])
        number = list(self._sources).index(memory_id)  # Mem0's own id differs in every run
        return Passage(f"memory-{number}", text, message.time, tuple(self._sources[memory_id]))


def _relations(relations: Sequence[Mapping[str, str]]) -> tuple[Fact, ...]:
    """Return relations as facts; Mem0 stores neither their messages nor their time."""
    return tuple(
        Fact(f"relation-{at}", hit["source"], hit["relationship"], hit["destination"], None, "", ())
        for at, hit in enumerate(relations)
    )
