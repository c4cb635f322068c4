"""Answer the questions of all histories in threads while another thread indexes the next history.

This keeps the workers busy during the last questions of a history and during indexing.
"""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from queue import SimpleQueue
from typing import Any

from remem.config.untrusted_composed import at_least_one
from remem.errors import StopRunError
from remem.run.experiment import SerialRunner
from remem.run.progress import Asked, HistoryAsked
from remem.run.runner import Account, Attempt, IndexedHistory, Steps
from remem.types import Question


class ThreadRunner:
    """Answers one question per worker at a time, and indexes one history meanwhile.

    Two memories exist while the next history is indexed, and at most two model calls per worker
    are in flight. With one worker nothing runs in parallel.
    """

    def __init__(self, *, workers: int) -> None:
        self._workers = at_least_one("runner.workers", workers)

    def answers(self, steps: Steps, asked: Asked, account: Account) -> Iterator[Attempt]:
        """Index the histories in order; yield each attempt as soon as it is finished."""
        if self._workers == 1:
            yield from SerialRunner(workers=1).answers(steps, asked, account)
            return
        with ThreadPoolExecutor(self._workers) as answering, ThreadPoolExecutor(1) as indexing:
            # Two for each worker: futures keep their results, so submitting all would fill memory.
            pools = _Pools(answering, indexing, most=2 * self._workers)
            try:
                yield from _Work(steps, account, iter(asked), pools).attempts()
            finally:
                answering.shutdown(cancel_futures=True)


@dataclass(frozen=True, slots=True)
class _Pools:
    """The thread pools and their results; `most` limits the number of questions in progress."""

    answering: ThreadPoolExecutor
    indexing: ThreadPoolExecutor
    most: int
    done: SimpleQueue[Future[Any]] = field(default_factory=SimpleQueue)


@dataclass(slots=True)
class _Work:
    """The remaining work: questions of indexed histories, and histories to index."""

    steps: Steps
    account: Account
    histories: Iterator[HistoryAsked]
    pools: _Pools
    questions: Iterator[tuple[IndexedHistory, Question]] = field(default_factory=lambda: iter(()))
    begun: int = 0
    index: Future[tuple[HistoryAsked, IndexedHistory]] | None = None
    stopped: StopRunError | None = None

    def attempts(self) -> Iterator[Attempt]:
        """Yield each attempt as soon as it is finished."""
        while self._begin():
            done = self.pools.done.get()
            if done is self.index:
                self._take_index(done)
            else:
                self.begun -= 1
                yield done.result()
        if self.stopped is not None:
            raise self.stopped

    def _begin(self) -> bool:
        """Submit work to free threads; return whether any work is in progress."""
        for indexed, question in islice(self.questions, self.pools.most - self.begun):
            answering = self.pools.answering.submit(self.steps.answer, indexed, question)
            answering.add_done_callback(self.pools.done.put)
            self.begun += 1
        idle = self.index is None and self.stopped is None and self.begun < self.pools.most
        if idle and (following := next(self.histories, None)):
            self.index = self.pools.indexing.submit(self._indexed, following)
            self.index.add_done_callback(self.pools.done.put)
        return self.index is not None or self.begun > 0

    def _indexed(self, asked: HistoryAsked) -> tuple[HistoryAsked, IndexedHistory]:
        return asked, self.steps.index(*asked)

    def _take_index(self, index: Future[tuple[HistoryAsked, IndexedHistory]]) -> None:
        """Account for an indexed history and queue its questions."""
        self.index = None
        try:
            (history, questions), indexed = index.result()
            self.account(history, indexed.report)
        except StopRunError as error:
            self.stopped = error  # the questions before it are still answered
            return
        self.questions = ((indexed, question) for question in questions)
