"""Threads that answer the questions of all histories, while one more indexes the next history.

The last questions of a history keep few workers busy, and an index that a model makes keeps none.
"""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from queue import SimpleQueue
from typing import Any

from remem.protocols import StopRunError
from remem.run.answer_question import Attempt

Tasks = Callable[[], Iterable[Callable[[], Attempt]]]
"""Called when a history is indexed, in the thread that runs the line: what is left to answer."""

Indexing = Callable[[], Tasks]
"""Indexes a history, perhaps in a thread of its own."""


def answer_all(histories: Iterable[Indexing], workers: int) -> Iterator[Attempt]:
    """Index histories in their order and answer their questions; yield each when it is done.

    With one worker nothing is done at once. With more, a second memory is there while the next
    history is indexed, and the model has at most twice as many calls in flight as workers.
    """
    if workers == 1:
        for index in histories:
            for answer in index()():
                yield answer()
        return
    with ThreadPoolExecutor(workers) as answering, ThreadPoolExecutor(1) as indexing:
        try:
            # Two for each worker: a future keeps its result, those of all would fill the memory.
            yield from _side_by_side(iter(histories), answering, indexing, 2 * workers)
        finally:
            answering.shutdown(cancel_futures=True)


def _side_by_side(
    histories: Iterator[Indexing],
    answering: ThreadPoolExecutor,
    indexing: ThreadPoolExecutor,
    most: int,
) -> Iterator[Attempt]:
    ended: SimpleQueue[Future[Any]] = SimpleQueue()
    waiting: Iterator[Callable[[], Attempt]] = iter(())
    index: Future[Tasks] | None = None
    stopped: StopRunError | None = None
    asked = 0
    while True:
        for task in islice(waiting, most - asked):
            answering.submit(task).add_done_callback(ended.put)
            asked += 1
        idle = index is None and stopped is None and asked < most
        if idle and (following := next(histories, None)):
            index = indexing.submit(following)
            index.add_done_callback(ended.put)
        if index is None and asked == 0:
            break
        one = ended.get()
        if one is not index:
            asked -= 1
            yield one.result()
            continue
        index = None
        try:
            waiting = iter(one.result()())
        except StopRunError as error:
            stopped = error  # what was asked before it is still answered
    if stopped is not None:
        raise stopped
