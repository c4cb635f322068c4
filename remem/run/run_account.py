"""Progress, health checks and accounts while a run indexes histories and answers questions."""

from collections.abc import Callable
from dataclasses import dataclass

from remem.protocols import AccountsForIndex
from remem.run.asked_questions import Asked, questions_of
from remem.run.health import HealthCheck
from remem.run.manifest import Manifest
from remem.run.runner import IndexReport
from remem.types import History, Record, Usage

OnProgress = Callable[[int, int], None]
"""Called with the number of finished items and the number of all items."""
OnUsage = Callable[[Usage], None]
"""Called with the model usage of an index or an answer."""


@dataclass(slots=True)
class Progress:
    """The progress of a run, reported to the caller's callbacks."""

    answered: int
    questions: int
    histories: int
    on_progress: OnProgress
    on_index: OnProgress
    on_usage: OnUsage
    indexed: int = 0

    @classmethod
    def of(
        cls,
        asked: Asked,
        pending: Asked,
        on_progress: OnProgress,
        on_index: OnProgress,
        on_usage: OnUsage,
    ) -> "Progress":
        """Return the progress at a start that still has the `pending` questions to answer."""
        questions = len(questions_of(asked))
        answered = questions - len(questions_of(pending))
        return cls(answered, questions, len(pending), on_progress, on_index, on_usage)

    def start(self) -> None:
        """Report the initial progress of this start."""
        self.on_progress(self.answered, self.questions)
        self.on_index(0, self.histories)

    def index_done(self) -> None:
        """Count an indexed history and report it."""
        self.indexed += 1
        self.on_index(self.indexed, self.histories)

    def attempt_done(self, record: Record) -> None:
        """Count an attempt at a question, successful or not, and report it."""
        self.on_usage(record.recall_usage + record.read_usage)
        self.answered += 1
        self.on_progress(self.answered, self.questions)


@dataclass(frozen=True, slots=True)
class IndexAccount:
    """Records, reports and checks the index of each history."""

    manifest: Manifest
    health: HealthCheck
    progress: Progress

    def take(self, history: History, report: IndexReport) -> None:
        """Record, report and check the index of a history, if it could be built.

        Raises:
            UnhealthyMemoryError: The memory fails the health check.
        """
        if report.index is not None:
            index, memory = report.index, report.memory
            self.manifest.indexed(index.seconds, waited=report.waited_seconds, reused=index.reused)
            if isinstance(memory, AccountsForIndex):
                self.manifest.account(history.id, memory)
                self.progress.on_usage(memory.index_usage)
            self.health.look_at(memory, history)
        self.progress.index_done()
