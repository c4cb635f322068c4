"""The straight line: index each history, recall for each query, read, record.

Everything else of the project is a detail of one of these steps.
"""

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from remem.answering import Answerer, Attempt
from remem.config import RunConfig
from remem.health import HealthCheck
from remem.index_cache import IndexCache
from remem.interruption import stopping_at_interrupt
from remem.manifest import Manifest
from remem.prompts.chosen import whose
from remem.protocols import AccountsForIndex, Benchmark, Memory, Reader, SeesGold, StopRunError
from remem.store import RECORDS, RunStore, open_run, read_records
from remem.timing import EndpointWaits
from remem.types import History, Question, Record, Usage

log = logging.getLogger(__name__)

Asked = list[tuple[History, Sequence[Question]]]
"""Histories with the questions that are asked of them."""

OnProgress = Callable[[int, int], None]
"""Called with the number of questions that have a record and the number there are."""


class NotRunError(LookupError):
    """A run is wanted that has not been."""


@dataclass(frozen=True, slots=True)
class RunResult:
    """What a run left behind: the records of the questions asked, of this or an earlier start."""

    folder: Path
    records: tuple[Record, ...]

    @property
    def total(self) -> int:
        """Count the questions that have been asked."""
        return len(self.records)

    @property
    def errors(self) -> int:
        """Count the questions that ended in an error."""
        return sum(record.status == "error" for record in self.records)


def run_experiment(
    config: RunConfig,
    *,
    benchmark: Benchmark | None = None,
    on_progress: OnProgress = lambda done, total: None,
    on_index: OnProgress = lambda done, total: None,
    on_usage: Callable[[Usage], None] = lambda usage: None,
) -> RunResult:
    """Answer all questions that have no answer yet and return the records of all.

    Args:
        config: What to run.
        benchmark: The benchmark of `config`, when the caller has already built it.
        on_progress: Told after every question.
        on_index: Told before and after every history that is indexed in this start.
        on_usage: Told what an index or an answer took.
    """
    make_memory, reader = config.memory_factory(), config.build_reader()
    benchmark = benchmark or config.build_benchmark()
    asked = _asked(benchmark, config.histories, config.limit)
    folder = config.run_folder(config.fingerprint(benchmark.files()))
    with open_run(folder) as store, stopping_at_interrupt(config.chat_model):
        manifest = Manifest.start(store, config, benchmark.files())
        cache, waits = IndexCache(config), EndpointWaits(config.resolved)
        health = HealthCheck.of(config, len(asked))
        line = _Line(
            config, reader, cache, manifest, waits, health, on_usage, whose(config.prompts)
        )
        total = sum(len(questions) for _, questions in asked)
        if total == 0:
            raise ValueError(f"{config.dataset} has no questions: its data are empty")
        done = total - sum(len(store.pending(questions)) for _, questions in asked)
        on_progress(done, total)
        # A resumed run answers what has no answer yet.
        waiting = [one for one in asked if store.pending(one[1])]
        indexed = 0
        on_index(indexed, len(waiting))
        for number, (history, questions) in enumerate(waiting, start=1):
            for record, timing in line.answers(make_memory(), history, store.pending(questions)):
                if number > indexed:  # the first answer comes when there is an index
                    indexed = number
                    on_index(indexed, len(waiting))
                store.append(record, timing)
                on_usage(record.recall_usage + record.read_usage)
                done += 1
                on_progress(done, total)
        return _finish(store, manifest, benchmark, asked)


@dataclass(frozen=True, slots=True)
class _Line:
    """What stays the same from history to history."""

    config: RunConfig
    reader: Reader
    cache: IndexCache
    manifest: Manifest
    waits: EndpointWaits
    health: HealthCheck
    on_usage: Callable[[Usage], None]
    prompts: str

    def answers(
        self, memory: Memory, history: History, questions: Sequence[Question]
    ) -> Iterator[Attempt]:
        """Index the history, then recall and read for each of its questions."""
        answerer = Answerer(
            memory, self.reader, self.config.final_answer, self.config.llm, self.prompts
        )
        try:
            indexed = self.cache.index(memory, history)
        except StopRunError:
            raise
        except Exception as error:  # the record border: the run goes on with other histories
            log.warning("history %s could not be indexed: %s", history.id, error)
            log.debug("history %s", history.id, exc_info=True)
            yield from (answerer.failed(question, error, Usage()) for question in questions)
            return
        waited = self.waits.since_last() or 0.0
        self.manifest.indexed(indexed.seconds, waited=waited, reused=indexed.reused)
        if isinstance(memory, AccountsForIndex):
            self.manifest.account(history.id, memory)
            self.on_usage(memory.index_usage)
        self.health.look_at(memory, history)
        if self.config.sees_gold and isinstance(memory, SeesGold):
            memory.see_gold(questions)
        for record, timing in answerer.answer_all(questions, self.config.workers):
            yield record, replace(timing, waited_seconds=self.waits.since_last())


def kept_run(
    config: RunConfig,
    *,
    benchmark: Benchmark | None = None,
    on_progress: OnProgress = lambda done, total: None,
) -> RunResult:
    """Return what `run_experiment` has left behind, without a part being built or a question asked.

    Raises:
        NotRunError: There is nothing.
    """
    benchmark = benchmark or config.build_benchmark()
    folder = config.run_folder(config.fingerprint(benchmark.files()))
    if not (folder / RECORDS).exists():
        raise NotRunError("no records")
    asked = _asked(benchmark, config.histories, config.limit)
    return RunResult(folder, _of_those_asked(read_records(folder), asked))


def _asked(benchmark: Benchmark, histories: int | None, limit: int | None) -> Asked:
    return [
        (history, benchmark.questions(history.id)[:limit])
        for history in benchmark.histories()[:histories]
    ]


def _finish(store: RunStore, manifest: Manifest, benchmark: Benchmark, asked: Asked) -> RunResult:
    store.write_canonical()
    there_are = sum(len(benchmark.questions(one.id)) for one in benchmark.histories())
    manifest.finish(there_are)
    return RunResult(store.folder, _of_those_asked(store.records(), asked))


def _of_those_asked(records: Sequence[Record], asked: Asked) -> tuple[Record, ...]:
    """Leave records out that a limit, or a line of another data set in the log, is not to score."""
    ids = {question.query.id for _, questions in asked for question in questions}
    return tuple(record for record in records if record.query_id in ids)
