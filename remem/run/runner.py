"""What runs the steps of an experiment: the interface of the classes that `conf/runner` names.

A runner decides where each step runs and how many questions are in work at once, nothing else.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from remem.config.run_config import RunConfig
from remem.protocols import Memory
from remem.run.asked_questions import Asked
from remem.run.index_cache import Indexed
from remem.run.store import Timing
from remem.types import History, Question, Record

Attempt = tuple[Record, Timing]
"""What came of one question, and how long it took."""


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What is accounted for of a history: its memory, and how long the index took.

    Only what the accounts need of a memory leaves the process that it is in. `index` is None where
    there is no index, and all questions of the history fail.
    """

    memory: object
    index: Indexed | None = None
    waited_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class IndexedHistory:
    """A memory that has taken in a history, or the error that kept it from doing so."""

    memory: Memory
    report: IndexReport
    error: Exception | None = None


Account = Callable[[History, IndexReport], None]
"""Called, in the thread that iterates, when a history is indexed and nothing is asked of it yet."""


class Steps(Protocol):
    """The two steps that a runner runs. Both may be called from any thread."""

    @property
    def config(self) -> RunConfig:
        """Return the configuration, for a runner that builds the parts in another process."""

    def index(self, history: History, questions: Sequence[Question]) -> IndexedHistory:
        """Index a history in a fresh memory."""

    def answer(self, indexed: IndexedHistory, question: Question) -> Attempt:
        """Answer a question of an indexed history."""


class Runner(Protocol):
    """Indexes histories and answers their questions."""

    def answers(self, steps: Steps, asked: Asked, account: Account) -> Iterator[Attempt]:
        """Yield each attempt when it is done.

        Raises:
            StopRunError: The run cannot go on. What was asked before has been yielded.
        """
