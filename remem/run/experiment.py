"""The main loop: index each history, then recall, read and record for each query.

Other modules implement these steps.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from remem.config.instantiation import SharedInstance
from remem.config.run_config import RunConfig
from remem.errors import UsageError
from remem.protocols import Benchmark, Memory, Reader, SeesGold
from remem.run.health import HealthCheck, check_before_questions
from remem.run.index_cache import IndexCache
from remem.run.progress import (
    Asked,
    OnProgress,
    ProgressCount,
    asked_questions,
    not_shown,
    questions_of,
)
from remem.run.question_record import Recorder, reader_of_run, recordable, recorder_of_run
from remem.run.run_result import RunResult
from remem.run.runner import Account, Attempt, IndexedHistory, IndexReport, Runner, Steps
from remem.run.started_run import EndpointWaits, IndexAccount, started_run
from remem.run.store import Timing
from remem.types import History, Question


def run_experiment(
    config: RunConfig,
    *,
    benchmark: Benchmark | None = None,
    on_progress: OnProgress = not_shown,
) -> RunResult:
    """Answer all questions that have no answer yet, and return the records of all questions.

    Args:
        config: The run's configuration.
        benchmark: The benchmark of `config`, if the caller has already built it.
        on_progress: Called at the start, and after every history and question.
    """
    experiment = Experiment.of(config)
    runner: Runner = config.build_runner()
    benchmark = benchmark or config.build_benchmark()
    asked = asked_questions(benchmark, config.histories, config.limit)
    health = HealthCheck.of(config, len(asked))
    health.look_at_gold(config, questions_of(asked))
    with started_run(config, benchmark, experiment.embedder) as run:
        pending = run.pending(asked)
        progress = ProgressCount.of(asked, pending, on_progress)
        account = IndexAccount(run.manifest, health, progress)
        if config.is_stream:
            from remem.run.stream_run import answer_while_growing

            earlier = answer_while_growing(experiment, runner, run, asked, account)
            return replace(run.finish(asked), earlier=earlier)
        if pending:
            check_before_questions(config, run.manifest, experiment.make_memory)
            experiment.waits.since_last()  # the checks are not part of the first index
        progress.start()
        for record, timing in runner.answers(experiment, pending, account.take):
            run.store.append(record, timing)
            progress.attempt_done(record)
        return run.finish(asked)


class SerialRunner:
    """Runs one history at a time, and asks the questions of a history one at a time."""

    def __init__(self, *, workers: int) -> None:
        if workers != 1:
            raise UsageError(
                f"runner.workers is {workers!r}, but runner=serial answers one question at a time; "
                f"choose runner=threads"
            )

    def answers(self, steps: Steps, asked: Asked, account: Account) -> Iterator[Attempt]:
        """Index each history, answer its questions one by one, and yield each attempt."""
        for history, questions in asked:
            indexed = steps.index(history, questions)
            account(history, indexed.report)
            for question in questions:
                yield steps.answer(indexed, question)


@dataclass(frozen=True, slots=True)
class Experiment:
    """The components of a run, with methods that index a history and answer a question."""

    config: RunConfig
    make_memory: Callable[[], Memory]
    indexes: IndexCache
    reader: Reader
    recorder: Recorder
    waits: EndpointWaits
    embedder: SharedInstance

    @classmethod
    def of(cls, config: RunConfig) -> "Experiment":
        """Build the components of a run."""
        embedder = SharedInstance(config.settings.embedder.build)
        return cls(
            config=config,
            make_memory=config.memory_factory(embedder),
            indexes=IndexCache(config),
            reader=reader_of_run(config),
            recorder=recorder_of_run(config),
            waits=EndpointWaits(config.settings),
            embedder=embedder,
        )

    def index(self, history: History, questions: Sequence[Question]) -> IndexedHistory:
        """Index a history in a new memory, so that nothing leaks from one history to the next."""
        memory = self.make_memory()
        try:
            index = self.indexes.index(memory, history)
        except Exception as error:  # noqa: BLE001  the run goes on with other histories
            cause = recordable(error, f"history {history.id} could not be indexed")
            return IndexedHistory(memory, IndexReport(None), cause)
        report = IndexReport(memory, index, self.waits.since_last() or 0.0)
        if self.config.sees_gold and isinstance(memory, SeesGold):
            memory.see_gold(questions)
        return IndexedHistory(memory, report)

    def answer(self, indexed: IndexedHistory, question: Question) -> Attempt:
        """Answer a question about an indexed history."""
        if indexed.error is not None:
            return self.recorder.failed(question, indexed.error)
        record, timing = answer_question(indexed.memory, self.reader, question, self.recorder)
        return record, replace(timing, waited_seconds=self.waits.since_last())


def answer_question(
    memory: Memory, reader: Reader, question: Question, recorder: Recorder
) -> Attempt:
    """Recall evidence, read the answer and record it; errors are recorded but never scored."""
    started, evidence = time.perf_counter(), None
    try:
        evidence, cut = recorder.handed_over(memory.recall(question.query), reader)
        recalled = time.perf_counter()
        answer = reader.read(question.query, evidence)
    except Exception as error:  # noqa: BLE001  an error is recorded, it is not an answer
        cause = recordable(error, f"question {question.query.id} could not be answered")
        return recorder.failed(question, cause, evidence)
    timing = Timing(question.query.id, recalled - started, time.perf_counter() - recalled)
    return recorder.answered(question, evidence, answer, cut), timing
