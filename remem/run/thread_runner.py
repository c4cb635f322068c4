"""Threads that answer the questions of all histories, while one more indexes the next history.

The last questions of a history keep few workers busy, and an index that a model makes keeps none.
"""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from queue import SimpleQueue
from typing import Any

from remem.config.composed_shape import at_least_one
from remem.protocols import StopRunError
from remem.run.asked_questions import Asked, HistoryAsked
from remem.run.experiment import SerialRunner
from remem.run.runner import Account, Attempt, IndexedHistory, Steps
from remem.types import Question


class ThreadRunner:
    """Answers as many questions at once as there are workers, and indexes one history meanwhile.

    A second memory is there while the next history is indexed, and the model has at most twice as
    many calls in flight as workers. With one worker nothing is done at once.
    """

    def __init__(self, *, workers: int) -> None:
        self._workers = at_least_one("runner.workers", workers)

    def answers(self, steps: Steps, asked: Asked, account: Account) -> Iterator[Attempt]:
        """Index the histories in their order; yield each attempt when it is done."""
        if self._workers == 1:
            yield from SerialRunner(workers=1).answers(steps, asked, account)
            return
        with ThreadPoolExecutor(self._workers) as answering, ThreadPoolExecutor(1) as indexing:
            # Two for each worker: a future keeps its result, those of all would fill the memory.
            pools = _Pools(answering, indexing, most=2 * self._workers)
            try:
                yield from _Work(steps, account, iter(asked), pools).attempts()
            finally:
                answering.shutdown(cancel_futures=True)


@dataclass(frozen=True, slots=True)
class _Pools:
    """The threads, and what they have done; `most` is how many questions are given to them."""

    answering: ThreadPoolExecutor
    indexing: ThreadPoolExecutor
    most: int
    done: SimpleQueue[Future[Any]] = field(default_factory=SimpleQueue)


@dataclass(slots=True)
class _Work:
    """What the threads have to do: the questions of indexed histories, and the other histories."""

    steps: Steps
    account: Account
    histories: Iterator[HistoryAsked]
    pools: _Pools
    questions: Iterator[tuple[IndexedHistory, Question]] = field(default_factory=lambda: iter(()))
    begun: int = 0
    index: Future[tuple[HistoryAsked, IndexedHistory]] | None = None
    stopped: StopRunError | None = None

    def attempts(self) -> Iterator[Attempt]:
        """Yield each attempt when it is done."""
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
        """Give the threads what they have room for; tell whether they are at work."""
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
        """Account for a history; its questions are the next."""
        self.index = None
        try:
            (history, questions), indexed = index.result()
            self.account(history, indexed.report)
        except StopRunError as error:
            self.stopped = error  # what was asked before it is still answered
            return
        self.questions = ((indexed, question) for question in questions)
