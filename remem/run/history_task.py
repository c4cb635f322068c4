"""The task of a worker: index one history, answer its questions, and report to the driver.

The worker sends the model calls itself; the keeper stores and counts them.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from remem.config.instantiation import SharedInstance
from remem.config.run_config import RunConfig
from remem.errors import StopRunError
from remem.files.json_text import json_value
from remem.run.experiment import Experiment
from remem.run.message_line import Address, SocketLine
from remem.run.remote_calls import (
    Lines,
    RemoteBooks,
    RemoteEmbeddingCalls,
    RemoteVectors,
)
from remem.run.runner import Attempt, IndexedSteps, IndexReport
from remem.run.thread_runner import ThreadRunner
from remem.types import History, Question

CHAT_MODEL = "remem.llm.chat_model.StoredChatModel"
VECTORS = "remem.llm.vector_store.VectorStore"
EMBEDDING_CALLS = "remem.llm.vector_store.StoredEmbeddingCalls"

ACCOUNTED = ("index_usage", "failures", "index_counts", "index_health")
"""Attributes of a memory that the driver records, if it has them."""


@dataclass(slots=True)
class HistoryJob:
    """A history, its unanswered questions, and how often it was started."""

    history: History
    left: dict[str, Question]
    starts: int = 0

    @property
    def worker(self) -> str:
        """Return a name for this start of the history; the keeper records locks under it."""
        return f"{self.history.id}, start {self.starts}"


@dataclass(frozen=True, slots=True)
class Keepers:
    """The addresses of the two processes that keep the calls and the vectors of a run."""

    calls: Address
    vectors: Address

    def connect(self) -> Lines:
        """Return connections to the two keepers."""
        return Lines(SocketLine(self.calls), SocketLine(self.vectors))


Said = IndexReport | Attempt | StopRunError
"""A message of a worker: on the index, on a question, or the reason why it stops."""


def configuration(config: RunConfig) -> str:
    """Return a run's configuration as JSON, to send to workers."""
    return json.dumps({"resolved": config.resolved, "nowhere": config.without_paths})


def kept_chat_model(config: RunConfig) -> Mapping[str, Any] | None:
    """Return the settings to build the language model if the keeper stores its calls, else None."""
    model = config.chat_model
    return model.build if model is not None and model.build["_target_"] == CHAT_MODEL else None


class HistoryWorker:
    """The components of a run in a worker process, which are reused for each history."""

    def __init__(self, configuration: str, lines: Lines) -> None:
        parts = json_value(configuration)
        resolved, llm = parts["resolved"], parts["resolved"]["llm"].get("build", {})
        self._books = RemoteBooks(lines.calls, Path(llm.get("store", "")))
        shared = _shared(resolved, llm, self._books, lines)
        model = SharedInstance(shared["llm"]["build"]) if llm else None
        self._experiment = Experiment.of(RunConfig(shared, parts["nowhere"], model))

    def answers(self, name: str, history: History, questions: Sequence[Question]) -> Iterator[Said]:
        """Index a history, answer its questions, and yield the results; a fatal error comes last.

        Args:
            name: The name under which the keeper records the worker's locks and reservations.
            history: The history to index.
            questions: The questions to answer about it.
        """
        self._books.worker = name
        runner = ThreadRunner(workers=self._experiment.config.workers)
        try:
            indexed = self._experiment.index(history, questions)
            yield _accounted(indexed.report)
            steps = IndexedSteps(self._experiment, indexed)
            yield from runner.answers(steps, [(history, questions)], lambda _, report: None)
        except StopRunError as reason:
            yield reason


def _accounted(report: IndexReport) -> IndexReport:
    """Replace the memory of a report by the attributes that the accounts need."""
    parts = {
        name: getattr(report.memory, name) for name in ACCOUNTED if hasattr(report.memory, name)
    }
    return replace(report, memory=SimpleNamespace(**parts))


def _shared(node: Any, llm: Mapping[str, Any], books: RemoteBooks, lines: Lines) -> Any:
    """Replace parts that would open a store or count calls with clients of the keepers.

    All occurrences of the language model stay equal, so that it is still built only once.
    """
    if isinstance(node, list):
        return [_shared(item, llm, books, lines) for item in node]
    if not isinstance(node, dict):
        return node
    target = node.get("_target_")
    if target == VECTORS:
        return RemoteVectors(lines.vectors, (node["store"], node["model"], node["dimension"]))
    if target == EMBEDDING_CALLS:
        return RemoteEmbeddingCalls(lines.calls, node["store"])
    if target == CHAT_MODEL and node == llm:
        limited = {"limits": books} if "limits" in node["endpoint"] else {}
        return {**node, "store": books, "endpoint": {**node["endpoint"], **limited}}
    return {key: _shared(value, llm, books, lines) for key, value in node.items()}
