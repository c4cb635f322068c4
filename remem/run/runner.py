"""The interface of runners: classes, named in `conf/runner`, that execute the steps of a run.

A runner only decides where each step runs and how many questions are answered in parallel.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from remem.config.run_config import RunConfig
from remem.protocols import Memory
from remem.run.index_cache import Indexed
from remem.run.progress import Asked
from remem.run.store import Timing
from remem.types import History, Question, Record

Attempt = tuple[Record, Timing]
"""The record of a question, and its times."""


@dataclass(frozen=True, slots=True)
class IndexReport:
    """The memory of a history and the seconds its index took, to be recorded in the manifest.

    If another process built the index, `memory` has only the attributes that are recorded. `index`
    is None if indexing failed; then all questions of the history fail.
    """

    memory: object
    index: Indexed | None = None
    waited_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class IndexedHistory:
    """A memory that has indexed a history, or the error that prevented it."""

    memory: Memory
    report: IndexReport
    error: Exception | None = None


Account = Callable[[History, IndexReport], None]
"""Called in the iterating thread after a history is indexed and before its questions are asked."""


class Steps(Protocol):
    """The two steps that a runner executes, `index` and `answer`; any thread may call them."""

    @property
    def config(self) -> RunConfig:
        """Return the configuration, from which the steps can be built in another process."""

    def index(self, history: History, questions: Sequence[Question]) -> IndexedHistory:
        """Index a history in a new memory."""

    def answer(self, indexed: IndexedHistory, question: Question) -> Attempt:
        """Answer a question about an indexed history."""


@dataclass(frozen=True, slots=True)
class IndexedSteps:
    """The steps of a run whose only history is already indexed."""

    steps: Steps
    indexed: IndexedHistory

    @property
    def config(self) -> RunConfig:
        """Return the configuration of the run."""
        return self.steps.config

    def index(self, history: History, questions: Sequence[Question]) -> IndexedHistory:
        """Return the indexed history."""
        return self.indexed

    def answer(self, indexed: IndexedHistory, question: Question) -> Attempt:
        """Answer a question about the indexed history."""
        return self.steps.answer(indexed, question)


class Runner(Protocol):
    """Indexes histories and answers their questions."""

    def answers(self, steps: Steps, asked: Asked, account: Account) -> Iterator[Attempt]:
        """Yield each attempt as soon as it is finished.

        Raises:
            StopRunError: The run cannot go on. All earlier attempts have been yielded.
        """
