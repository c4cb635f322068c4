"""Stops a run that could say nothing of its memory: empty, undated, retrieved whole, told nothing.

What such a run gives looks like a score. `run.health=warn` goes on all the same.
"""

import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from remem.config.run_config import RunConfig
from remem.protocols import AccountsForIndex, Benchmark, StopRunError, TellsHealth
from remem.types import History, IndexHealth, Question, Usage

log = logging.getLogger(__name__)


class UnhealthyMemoryError(StopRunError):
    """What is in a memory cannot be what was meant."""


def all_questions(benchmark: Benchmark) -> Iterator[Question]:
    """Iterate over the questions of all histories."""
    for history in benchmark.histories():
        yield from benchmark.questions(history.id)


def missing_information(config: RunConfig, questions: Iterable[Question]) -> str:
    """Return why a reference that is told the evidence has nothing to go by; empty if it has.

    Without evidence it is No memory under another name, and its refusals look like a score.
    """
    if not config.sees_gold or any(question.gold.evidence for question in questions):
        return ""
    return (
        f"{config.label} needs the evidence of each question, and no question of {config.dataset} "
        f"states it; choose a dataset whose questions do"
    )


@dataclass(slots=True)
class HealthCheck:
    """Looks at the index of each history; `histories` is how many there will be.

    A history with no more items than a query gets tells nothing of retrieval. Some of a benchmark
    may be so (10 of the 560 of Test of Time); a run is stopped when all are.
    """

    stops: bool
    histories: int
    whole: list[str] = field(default_factory=list)
    """The histories of which every query gets everything."""

    @classmethod
    def of(cls, config: RunConfig, histories: int) -> "HealthCheck":
        """Return the check that a run asks for."""
        return cls(config.settings.run.health == "stop", histories)

    def look_at(self, memory: object, history: History) -> None:
        """Look at the index of a history.

        Raises:
            UnhealthyMemoryError: It is empty or undated, or all indexes are no larger than k.
        """
        if isinstance(memory, AccountsForIndex):
            _tell_cut_replies(memory.index_usage, history)
        if not isinstance(memory, TellsHealth) or not any(history.messages()):
            return
        health = memory.index_health
        if health.items == 0:
            self._complain(f"the memory of history {history.id} is empty; check the model")
        elif health.dated == 0 and any(message.time for message in history.messages()):
            self._complain(
                f"history {history.id} has dates, but none of the {health.items} items of its "
                f"memory does; check the extraction"
            )
        elif health.top_k >= health.items:
            self._note_whole(history, health)

    def look_at_gold(self, config: RunConfig, questions: Iterable[Question]) -> None:
        """Look at what the memory will be told of all questions of the run.

        Raises:
            UnhealthyMemoryError: It lives of the evidence, and there is none.
        """
        if reason := missing_information(config, questions):
            self._complain(reason)

    def _note_whole(self, history: History, health: IndexHealth) -> None:
        self.whole.append(history.id)
        if len(self.whole) == self.histories:
            self._complain(
                f"every query retrieves the whole memory (history {history.id} has {health.items} "
                f"items, k is {health.top_k}), so nothing is ranked out; set a smaller "
                f"method.build.top_k"
            )

    def _complain(self, reason: str) -> None:
        if self.stops:
            raise UnhealthyMemoryError(f"{reason}; run.health=warn continues anyway")
        log.warning("%s", reason)


def _tell_cut_replies(usage: Usage, history: History) -> None:
    """Warn of cut replies, which no memory takes for whole ones, but which cost calls or items."""
    if usage.cut_replies:
        log.warning(
            "history %s: %d of %d replies reached the token limit during indexing; raise "
            "llm.build.endpoint.max_output_tokens if the model allows more",
            *(history.id, usage.cut_replies, usage.calls),
        )
