"""A worker's part: one history, indexed and answered, and what the driver is told of it.

Its calls go out from the worker; the keeper keeps and counts them.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from remem.config.instantiation import SharedInstance
from remem.config.run_config import RunConfig
from remem.protocols import StopRunError
from remem.run.experiment import Experiment
from remem.run.remote_calls import (
    Line,
    RemoteBooks,
    RemoteEmbeddingCalls,
    RemoteVectors,
)
from remem.run.runner import Attempt, IndexedHistory, IndexReport
from remem.run.thread_runner import ThreadRunner
from remem.types import History, Question

CHAT_MODEL = "remem.llm.chat_model.StoredChatModel"
VECTORS = "remem.llm.vector_store.VectorStore"
EMBEDDING_CALLS = "remem.llm.embedding_calls.StoredEmbeddingCalls"

ACCOUNTED = ("index_usage", "failures", "index_counts", "index_health")
"""What the driver takes account of, where a memory has it."""

Said = IndexReport | Attempt | StopRunError
"""What a worker says: of the index, of each question, and why it goes on no more."""


def configuration(config: RunConfig) -> str:
    """Return a run as a worker is told of it."""
    return json.dumps({"resolved": config.resolved, "nowhere": config.without_paths})


def kept_chat_model(config: RunConfig) -> Mapping[str, Any] | None:
    """Return the build of the language model whose calls the keeper keeps."""
    model = config.chat_model
    return model.build if model is not None and model.build["_target_"] == CHAT_MODEL else None


class HistoryWorker:
    """The parts of a run in a worker, which serve for one history after the other."""

    def __init__(self, configuration: str, line: Line) -> None:
        told = json.loads(configuration)
        resolved, llm = told["resolved"], told["resolved"]["llm"].get("build", {})
        self._books = RemoteBooks(line, Path(llm.get("store", "")))
        shared = _shared(resolved, llm, self._books, line)
        model = SharedInstance(shared["llm"]["build"]) if llm else None
        self._experiment = Experiment.of(RunConfig(shared, told["nowhere"], model))

    def answers(self, name: str, history: History, questions: Sequence[Question]) -> Iterator[Said]:
        """Index a history and answer its questions; what stops the run is the last that is said.

        Args:
            name: Under which the keeper notes what is held meanwhile.
            history: What is indexed.
            questions: What is asked of it.
        """
        self._books.worker = name
        runner = ThreadRunner(workers=self._experiment.config.workers)
        try:
            indexed = self._experiment.index(history, questions)
            yield _accounted(indexed.report)
            steps = _Indexed(self._experiment.config, self._experiment, indexed)
            yield from runner.answers(steps, [(history, questions)], lambda _, report: None)
        except StopRunError as reason:
            yield reason


@dataclass(frozen=True, slots=True)
class _Indexed:
    """The steps of a run whose one history is indexed already."""

    config: RunConfig
    experiment: Experiment
    indexed: IndexedHistory

    def index(self, history: History, questions: Sequence[Question]) -> IndexedHistory:
        return self.indexed

    def answer(self, indexed: IndexedHistory, question: Question) -> Attempt:
        return self.experiment.answer(indexed, question)


def _accounted(report: IndexReport) -> IndexReport:
    """Leave of a memory what an account is taken of."""
    parts = {
        name: getattr(report.memory, name) for name in ACCOUNTED if hasattr(report.memory, name)
    }
    return replace(report, memory=SimpleNamespace(**parts))


def _shared(node: Any, llm: Mapping[str, Any], books: RemoteBooks, line: Line) -> Any:
    """Put the keeper's parts in the place of those that would open a store or count by themselves.

    All mentions of the language model stay equal, so that they stay one.
    """
    if isinstance(node, list):
        return [_shared(one, llm, books, line) for one in node]
    if not isinstance(node, dict):
        return node
    target = node.get("_target_")
    if target == VECTORS:
        return RemoteVectors(line, (node["store"], node["model"], node["dimension"]))
    if target == EMBEDDING_CALLS:
        return RemoteEmbeddingCalls(line, node["store"])
    if target == CHAT_MODEL and node == llm:
        limited = {"limits": books} if "limits" in node["endpoint"] else {}
        return {**node, "store": books, "endpoint": {**node["endpoint"], **limited}}
    return {key: _shared(value, llm, books, line) for key, value in node.items()}
