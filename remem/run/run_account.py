"""Progress, health checks and accounts while a run indexes histories and answers questions."""

import logging
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace

from remem.llm.prices import Price
from remem.protocols import AccountsForIndex
from remem.run.asked_questions import Asked, questions_of
from remem.run.health import HealthCheck
from remem.run.manifest import Manifest
from remem.run.runner import IndexReport
from remem.types import History, Record, Usage

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far long work is: what is done of all questions and of the histories to index.

    `failed` counts the questions that failed at this start. `usage` is the model usage of this
    start.
    """

    done: int
    questions: int
    indexed: int = 0
    histories: int = 0
    failed: int = 0
    usage: Usage = field(default_factory=Usage)


OnProgress = Callable[[Progress], None]
"""Called at the start and after every history and question."""
ShowProgress = Callable[[str, Price | None], AbstractContextManager[OnProgress]]
"""Shows the progress of one run, given its label and the price of its model, if that is known."""


def not_shown(progress: Progress) -> None:
    """Show nothing."""


def no_view(label: str, price: Price | None) -> AbstractContextManager[OnProgress]:
    """Show the progress of no run."""
    return nullcontext(not_shown)


@dataclass(slots=True)
class ProgressCount:
    """Counts the progress of a run and reports it."""

    now: Progress
    on_progress: OnProgress

    @classmethod
    def of(cls, asked: Asked, pending: Asked, on_progress: OnProgress) -> "ProgressCount":
        """Return the progress at a start that still has the `pending` questions to answer."""
        questions = len(questions_of(asked))
        done = questions - len(questions_of(pending))
        return cls(Progress(done, questions, histories=len(pending)), on_progress)

    def start(self) -> None:
        """Report the initial progress of this start."""
        self.on_progress(self.now)

    def index_done(self, usage: Usage) -> None:
        """Count an indexed history and report it."""
        self._report(replace(self.now, indexed=self.now.indexed + 1, usage=self.now.usage + usage))

    def attempt_done(self, record: Record) -> None:
        """Count an attempt at a question, successful or not, and report it.

        Only the first failure is a warning: the others usually have the same reason, and the end of
        the run counts them.
        """
        has_failed = record.status == "error"
        if has_failed and not self.now.failed:
            log.warning("question %s failed: %s", record.query_id, record.error)
        self._report(
            replace(
                self.now,
                done=self.now.done + 1,
                failed=self.now.failed + has_failed,
                usage=self.now.usage + record.recall_usage + record.read_usage,
            )
        )

    def _report(self, now: Progress) -> None:
        self.now = now
        self.on_progress(now)


@dataclass(frozen=True, slots=True)
class IndexAccount:
    """Records, reports and checks the index of each history."""

    manifest: Manifest
    health: HealthCheck
    progress: ProgressCount

    def take(self, history: History, report: IndexReport) -> None:
        """Record, report and check the index of a history, if it could be built.

        Raises:
            UnhealthyMemoryError: The memory fails the health check.
        """
        usage = Usage()
        if report.index is not None:
            index, memory = report.index, report.memory
            self.manifest.indexed(
                history.id, index.seconds, waited=report.waited_seconds, reused=index.reused
            )
            if isinstance(memory, AccountsForIndex):
                self.manifest.account(history.id, memory)
                usage = memory.index_usage
            self.health.look_at(memory, history)
        self.progress.index_done(usage)
