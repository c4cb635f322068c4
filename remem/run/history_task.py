"""A worker's part: one history, indexed and answered, and what the driver is told of it.

Its calls go out from the worker; the keeper keeps and counts them.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from remem.config.instantiation import SharedPart
from remem.config.run_config import RunConfig
from remem.protocols import StopRunError
from remem.run.answer_history import HistoryLine, IndexTold
from remem.run.answer_question import Attempt
from remem.run.remote_calls import (
    Line,
    RemoteBooks,
    RemoteEmbeddingCalls,
    RemoteVectors,
)
from remem.run.workers import answer_all
from remem.types import History, Question

CHAT_MODEL = "remem.llm.chat_model.StoredChatModel"
VECTORS = "remem.llm.vector_store.VectorStore"
EMBEDDING_CALLS = "remem.llm.embedding_calls.StoredEmbeddingCalls"

ACCOUNTED = ("index_usage", "failures", "index_counts", "index_health")
"""What the driver takes account of, where a memory has it."""

Said = IndexTold | Attempt | StopRunError
"""What a worker says: of the index, of each question, and why it goes on no more."""


def configuration(config: RunConfig) -> str:
    """Return a run as a worker is told of it."""
    return json.dumps({"resolved": config.resolved, "nowhere": config.located_nowhere})


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
        model = SharedPart(shared["llm"]["build"]) if llm else None
        self._line = HistoryLine.of(RunConfig(shared, told["nowhere"], model))

    def answers(self, name: str, history: History, questions: Sequence[Question]) -> Iterator[Said]:
        """Index a history and answer its questions; what stops the run is the last that is said.

        Args:
            name: Under which the keeper notes what is held meanwhile.
            history: What is indexed.
            questions: What is asked of it.
        """
        self._books.worker = name
        told: list[IndexTold] = []
        try:
            index = self._line.index(history, questions, lambda _, one: told.append(one))
            tasks = index()
            yield from map(_accounted, told)
            yield from answer_all([lambda: lambda: tasks], self._line.config.workers)
        except StopRunError as reason:
            yield reason


def _accounted(told: IndexTold) -> IndexTold:
    """Leave of a memory what an account is taken of."""
    parts = {name: getattr(told.memory, name) for name in ACCOUNTED if hasattr(told.memory, name)}
    return IndexTold(told.indexed, SimpleNamespace(**parts), told.waited)


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
