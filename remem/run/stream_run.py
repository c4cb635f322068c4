"""The loop of a run that asks questions while the memory grows (`run.stream=session`).

The memory of a history is appended to, session by session, and the questions of each checkpoint are
answered before the next session is indexed. At the last checkpoint the memory has every session, as
in a run without `run.stream`.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol

from remem.config.run_config import RunConfig
from remem.protocols import (
    AccountsForIndex,
    Benchmark,
    KnowsChanges,
    Memory,
    PersistentMemory,
    SeesGold,
)
from remem.run.checkpoint_store import CheckpointStore, Growth, MarkedRecord, open_checkpoints
from remem.run.health import check_before_questions
from remem.run.index_cache import Indexed
from remem.run.progress import Asked, HistoryAsked, Progress
from remem.run.question_record import recordable
from remem.run.run_result import EarlierCheckpoints
from remem.run.runner import Attempt, IndexedHistory, IndexedSteps, IndexReport, Runner, Steps
from remem.run.started_run import EndpointWaits, IndexAccount, StartedRun
from remem.run.stream_plan import Checkpoint, CheckpointMark, DueQuestion, FormerGolds, checkpoints
from remem.types import History, Question, Usage


class GrowingSteps(Steps, Protocol):
    """The steps of a run whose memories grow session by session."""

    @property
    def make_memory(self) -> Callable[[], Memory]:
        """Return the function that builds a new memory."""

    @property
    def waits(self) -> EndpointWaits:
        """Return the object that reads how long a timed run waits for endpoints."""


@dataclass(frozen=True, slots=True)
class _PendingHistory:
    """A history and its checkpoints; each checkpoint has the questions still to be asked there."""

    history: History
    questions: Sequence[Question]
    checkpoints: tuple[Checkpoint, ...]

    @property
    def asks(self) -> int:
        """Return how many answers are still missing."""
        return sum(len(checkpoint.due) for checkpoint in self.checkpoints)


def answer_while_growing(
    steps: GrowingSteps,
    runner: Runner,
    run: StartedRun,
    asked: Asked,
    account: IndexAccount,
) -> EarlierCheckpoints:
    """At each checkpoint, ask the questions that are due there and have no answer there yet.

    Raises:
        UsageError: The runner sends complete histories to other processes.
        UnhealthyMemoryError: The memory failed a check that stops the run.
    """
    config = steps.config
    failures: list[str] = []
    with open_checkpoints(run.store.folder, run.manifest.content["fingerprint"]) as store:
        former = former_golds(run.benchmark)
        plans = [_plan(config, of_history, former) for of_history in asked]
        pending = [_pending(plan, run, store) for plan in plans]
        left = [plan for plan in pending if plan.asks]
        total = sum(plan.asks for plan in plans)
        done = total - sum(plan.asks for plan in left)
        account.progress.now = Progress(done, total, histories=len(left))
        if left:
            check_before_questions(config, run.manifest, steps.make_memory)
            steps.waits.since_last()  # the checks are no part of the first index
        account.progress.start()
        for plan in left:
            failures += _Growing(steps, runner, run, store, account, plan).answer()
        run.manifest.content["checkpoint_lines"] = store.write_canonical()
    return EarlierCheckpoints(total, tuple(failures))


def planned_asks(config: RunConfig, benchmark: Benchmark, asked: Asked) -> int:
    """Return how many questions are asked in total over all checkpoints."""
    former = former_golds(benchmark)
    return sum(_plan(config, of_history, former).asks for of_history in asked)


def former_golds(benchmark: Benchmark) -> FormerGolds:
    """Return a function that returns a question's former gold answers, if the benchmark has any."""
    return benchmark.former_golds if isinstance(benchmark, KnowsChanges) else lambda query_id: ()


@dataclass(slots=True)
class _Growing:
    """The growing memory of one history, and the questions asked while it grows."""

    steps: GrowingSteps
    runner: Runner
    run: StartedRun
    kept: CheckpointStore
    account: IndexAccount
    plan: _PendingHistory
    indexed: IndexedHistory | None = None
    sessions: int = 0
    seconds: float = 0.0
    waited: float = 0.0
    _marks: dict[str, CheckpointMark] = field(default_factory=dict)

    def answer(self) -> list[str]:
        """Append the sessions, and ask the unanswered questions of each checkpoint.

        Checkpoints before the first one with unanswered questions are skipped.

        Returns:
            The error of each question that failed, except at the last checkpoint.
        """
        failures = []
        first = next(at for at, checkpoint in enumerate(self.plan.checkpoints) if checkpoint.due)
        for checkpoint in self.plan.checkpoints[first:]:
            indexed = self._grow(checkpoint)
            if checkpoint.is_last:
                self._account(indexed)
            self._marks = {due.mark.query_id: due.mark for due in checkpoint.due}
            for attempt in self._attempts(indexed, checkpoint.due):
                self._keep(attempt)
                if attempt[0].status == "error" and not checkpoint.is_last:
                    failures.append(attempt[0].error)
        return failures

    def _grow(self, checkpoint: Checkpoint) -> IndexedHistory:
        """Bring the memory to a checkpoint; after an error, all later checkpoints fail as well."""
        if self.indexed is not None and self.indexed.error is not None:
            return self.indexed
        rebuild = self.indexed is None or not self.steps.config.settings.method.appends
        since = 0 if rebuild else self.sessions
        memory = self.steps.make_memory() if rebuild or not self.indexed else self.indexed.memory
        part = checkpoint.sessions(since)
        due = [ask.question for ask in checkpoint.due]
        self.indexed = _appended(self.steps, memory, part, due)
        if self.indexed.report.index is not None:
            self.seconds += self.indexed.report.index.seconds
            self.waited += self.indexed.report.waited_seconds
            self.kept.grown(self._growth(checkpoint, self.indexed, since))
        self.sessions = checkpoint.end
        return self.indexed

    def _growth(self, checkpoint: Checkpoint, indexed: IndexedHistory, since: int) -> Growth:
        memory, so_far = indexed.memory, list(checkpoint.sessions(0).messages())
        return Growth(
            history_id=checkpoint.history.id,
            checkpoint=checkpoint.number,
            since=since,
            sessions=checkpoint.end,
            messages=len(so_far),
            text_bytes=sum(len(message.text.encode()) for message in so_far),
            seconds=indexed.report.index.seconds if indexed.report.index else 0.0,
            index_bytes=_saved_bytes(memory, self.kept.folder),
            rebuilt=not self.steps.config.settings.method.appends,
            usage=memory.index_usage if isinstance(memory, AccountsForIndex) else Usage(),
        )

    def _account(self, indexed: IndexedHistory) -> None:
        """Account for the index of the history once, as if it had been built in one step."""
        report = indexed.report
        if report.index is not None:
            whole = Indexed(self.seconds, reused=False)
            report = replace(report, index=whole, waited_seconds=self.waited)
        self.account.take(self.plan.history, report)

    def _attempts(self, indexed: IndexedHistory, due: Sequence[DueQuestion]) -> Iterator[Attempt]:
        if due:
            questions = [ask.question for ask in due]
            steps = IndexedSteps(self.steps, indexed)
            yield from self.runner.answers(
                steps, [(self.plan.history, questions)], lambda history, report: None
            )

    def _keep(self, attempt: Attempt) -> None:
        """Store an attempt; at the last checkpoint, its record goes to `records.jsonl`."""
        record, timing = attempt
        mark = self._marks[record.query_id]
        if mark.is_last:
            self.kept.append(MarkedRecord(mark, None))
            self.run.store.append(record, timing)
        else:
            self.kept.append(MarkedRecord(mark, record), timing)
        self.account.progress.attempt_done(record)


def _appended(
    steps: GrowingSteps, memory: Memory, part: History, questions: Sequence[Question]
) -> IndexedHistory:
    """Index the next part of a history in a memory."""
    begun = time.perf_counter()
    try:
        memory.index(part)
    except Exception as error:  # noqa: BLE001  the run goes on with other histories
        cause = recordable(error, f"history {part.id} could not be indexed")
        return IndexedHistory(memory, IndexReport(None), cause)
    index = Indexed(time.perf_counter() - begun, reused=False)
    if steps.config.sees_gold and isinstance(memory, SeesGold):
        memory.see_gold(questions)
    return IndexedHistory(memory, IndexReport(memory, index, steps.waits.since_last() or 0.0))


def _plan(config: RunConfig, asked: HistoryAsked, former: FormerGolds) -> _PendingHistory:
    history, questions = asked
    run = config.settings.run
    every, rule = run.stream_every, run.stream_rule
    planned = checkpoints(history, questions, every=every, rule=rule, former=former)
    return _PendingHistory(history, questions, planned)


def _pending(plan: _PendingHistory, run: StartedRun, store: CheckpointStore) -> _PendingHistory:
    """Return the plan without the questions that already have an answer at their checkpoint."""
    at_the_end = {question.query.id for question in run.store.pending(plan.questions)}

    def is_open(due: DueQuestion) -> bool:
        if due.mark.is_last:
            return due.mark.query_id in at_the_end
        return not store.has(due.mark)

    left = tuple(
        replace(checkpoint, due=tuple(filter(is_open, checkpoint.due)))
        for checkpoint in plan.checkpoints
    )
    return replace(plan, checkpoints=left)


def _saved_bytes(memory: Memory, folder: Path) -> int | None:
    """Return the size of the saved index; None for a memory that saves none."""
    if not isinstance(memory, PersistentMemory):
        return None
    with TemporaryDirectory(prefix=".growth-", dir=folder) as place:
        memory.save(Path(place))
        return sum(path.stat().st_size for path in Path(place).rglob("*") if path.is_file())
