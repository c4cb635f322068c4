"""The questions that a run asks, and its progress."""

import logging
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace

from remem.llm.budget import Price
from remem.protocols import Benchmark
from remem.types import History, Question, Record, Usage

log = logging.getLogger(__name__)

HistoryAsked = tuple[History, Sequence[Question]]
Asked = Sequence[HistoryAsked]


def asked_questions(
    benchmark: Benchmark, histories: int | None = None, limit: int | None = None
) -> Asked:
    """Return the first `histories` histories, each with its first `limit` questions.

    None means all.
    """
    return [
        (history, benchmark.questions(history.id)[:limit])
        for history in benchmark.histories()[:histories]
    ]


def questions_of(asked: Asked) -> Sequence[Question]:
    """Return the questions of all histories."""
    return [question for _, questions in asked for question in questions]


def query_ids(asked: Asked) -> frozenset[str]:
    """Return the ids of all questions."""
    return frozenset(question.query.id for question in questions_of(asked))


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a run: the questions and histories that are done, and their totals.

    `failed` counts the questions that failed, and `usage` is the model usage, both since the run
    was last started or resumed.
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
    """Return a view that shows no progress."""
    return nullcontext(not_shown)


@dataclass(slots=True)
class ProgressCount:
    """Counts the progress of a run and reports it."""

    now: Progress
    on_progress: OnProgress

    @classmethod
    def of(cls, asked: Asked, pending: Asked, on_progress: OnProgress) -> "ProgressCount":
        """Create the counter for a run whose `pending` questions have no answer yet."""
        questions = len(questions_of(asked))
        done = questions - len(questions_of(pending))
        return cls(Progress(done, questions, histories=len(pending)), on_progress)

    def start(self) -> None:
        """Report the progress before any question is asked."""
        self.on_progress(self.now)

    def index_done(self, usage: Usage) -> None:
        """Count an indexed history and report it."""
        self._report(replace(self.now, indexed=self.now.indexed + 1, usage=self.now.usage + usage))

    def attempt_done(self, record: Record) -> None:
        """Count an attempt at a question, successful or not, and report it.

        Only the first failure is logged as a warning: later failures usually have the same reason,
        and the run reports their number when it ends.
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
