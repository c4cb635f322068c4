"""What is done for one history: a fresh memory indexes it, then each question is answered.

The runners differ in where that happens and how many questions are in work at once.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from remem.config.run_config import RunConfig
from remem.files.disk import stop_at_disk_error
from remem.prompts.chosen import whose
from remem.protocols import Memory, Reader, SeesGold, StopRunError
from remem.run.answer_question import Answerer, Attempt
from remem.run.index_cache import IndexCache, Indexed
from remem.run.timing import EndpointWaits
from remem.run.workers import Tasks
from remem.types import History, Question

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class IndexTold:
    """What is told of a history before its questions are answered.

    `memory` is the memory, or what of it an account is taken of. `indexed` is None where there is
    no index: its questions end in an error.
    """

    indexed: Indexed | None
    memory: object = None
    waited: float = 0.0


Tell = Callable[[History, IndexTold], None]


@dataclass(frozen=True, slots=True)
class HistoryLine:
    """What stays the same from history to history."""

    config: RunConfig
    make_memory: Callable[[], Memory]
    reader: Reader
    cache: IndexCache
    waits: EndpointWaits
    prompts: str

    @classmethod
    def of(cls, config: RunConfig) -> "HistoryLine":
        """Build the parts of a run."""
        return cls(
            config=config,
            make_memory=config.memory_factory(),
            reader=config.build_reader(),
            cache=IndexCache(config),
            waits=EndpointWaits(config.settings),
            prompts=whose(config.prompts),
        )

    def index(self, history: History, questions: Sequence[Question], tell: Tell) -> Tasks:
        """Index the history; return what tells of it and then answers each of the questions."""
        memory = self.make_memory()
        answerer = Answerer(
            memory, self.reader, self.config.final_answer, self.config.llm, self.prompts
        )
        try:
            indexed = self.cache.index(memory, history)
        except StopRunError:
            raise
        except Exception as error:  # the record border: the run goes on with other histories
            stop_at_disk_error(error)
            log.warning("history %s could not be indexed: %s", history.id, error)
            log.debug("history %s", history.id, exc_info=True)
            tell_nothing = partial(tell, history, IndexTold(None))
            return partial(_failed, answerer, questions, error, tell_nothing)
        told = IndexTold(indexed, memory, self.waits.since_last() or 0.0)
        return partial(self._tasks, answerer, questions, partial(tell, history, told))

    def _tasks(
        self, answerer: Answerer, questions: Sequence[Question], tell: Callable[[], None]
    ) -> Sequence[Callable[[], Attempt]]:
        tell()
        memory = answerer.memory
        if self.config.sees_gold and isinstance(memory, SeesGold):
            memory.see_gold(questions)
        return [partial(self._answer, answerer, question) for question in questions]

    def _answer(self, answerer: Answerer, question: Question) -> Attempt:
        record, timing = answerer.answer(question)
        return record, replace(timing, waited_seconds=self.waits.since_last())


def _failed(
    answerer: Answerer,
    questions: Sequence[Question],
    error: Exception,
    tell: Callable[[], None],
) -> Sequence[Callable[[], Attempt]]:
    tell()
    return [partial(answerer.failed, question, error) for question in questions]
