"""The straight line: index each history, recall for each query, read, record.

Everything else of the project is a detail of one of these steps.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path

from remem.config.run_config import RunConfig
from remem.files.unfinished_files import remove_left_over
from remem.llm.served import Served, ServesModel
from remem.protocols import AccountsForIndex, Benchmark
from remem.run.answer_history import HistoryLine, IndexTold, Tell
from remem.run.answer_question import Attempt
from remem.run.health import HealthCheck
from remem.run.interruption import stopping_at_interrupt
from remem.run.local_models import check_local_model
from remem.run.manifest import Manifest
from remem.run.store import RECORDS, RunStore, open_run, read_records
from remem.run.workers import answer_all
from remem.types import History, Question, Record, Usage

Asked = list[tuple[History, Sequence[Question]]]
"""Histories with the questions that are asked of them."""

OnProgress = Callable[[int, int], None]
"""Called with the number of questions that have a record and the number there are."""


class NotRunError(LookupError):
    """A run is wanted that has not been."""


@dataclass(frozen=True, slots=True)
class RunResult:
    """What a run left behind: the records of the questions asked, of this or an earlier start.

    `not_asked` are the records of its other questions: a limit leaves them out of this command.
    """

    folder: Path
    records: tuple[Record, ...]
    not_asked: tuple[Record, ...] = ()

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
    line = HistoryLine.of(config)
    benchmark = benchmark or config.build_benchmark()
    asked = _asked(benchmark, config.histories, config.limit)
    health = HealthCheck.of(config, len(asked))
    health.look_at_gold(config, (question for _, questions in asked for question in questions))
    fingerprint = config.fingerprint(benchmark.files())
    folder = config.run_folder(fingerprint)
    for place in (folder, config.results / "cache" / "indexes"):
        remove_left_over(place)
    with open_run(folder, fingerprint) as store, stopping_at_interrupt(config.chat_model):
        store.set_aside_unknown(_query_ids(benchmark))
        manifest = Manifest.start(store, config, benchmark.files())
        total = sum(len(questions) for _, questions in asked)
        if total == 0:
            raise ValueError(f"{config.dataset} has no questions: its data are empty")
        done = total - sum(len(store.pending(questions)) for _, questions in asked)
        on_progress(done, total)
        # A resumed run answers what has no answer yet.
        waiting = [one for one in asked if store.pending(one[1])]
        if waiting:
            check_local_model(f"llm={config.settings.llm.name}", config.chat_model)
        indexed = count(1)
        on_index(0, len(waiting))
        account = _Account(
            manifest=manifest,
            health=health,
            on_indexed=lambda: on_index(next(indexed), len(waiting)),
            on_usage=on_usage,
        )
        left: Asked = [(history, store.pending(questions)) for history, questions in waiting]
        for record, timing in _answers(line, left, account.take):
            store.append(record, timing)
            on_usage(record.recall_usage + record.read_usage)
            done += 1
            on_progress(done, total)
        manifest.served += _served(config)
        return _finish(store, manifest, benchmark, asked)


def _served(config: RunConfig) -> Served:
    """End the server that the model of a run may have, and return what it has answered."""
    parts = config.chat_model.made() if config.chat_model else ()
    served = (part.end_server() for part in parts if isinstance(part, ServesModel))
    return sum(served, Served())


def _answers(line: HistoryLine, asked: Asked, tell: Tell) -> Iterator[Attempt]:
    """Yield the attempts at all questions, each when it is done."""
    if line.config.settings.runner.name == "ray":
        from remem.run.ray_runner import answer_on_ray

        return answer_on_ray(line.config, asked, tell)
    histories = (partial(line.index, history, questions, tell) for history, questions in asked)
    return answer_all(histories, line.config.workers)


@dataclass(frozen=True, slots=True)
class _Account:
    """What is written down, and told, of the index of each history."""

    manifest: Manifest
    health: HealthCheck
    on_indexed: Callable[[], None]
    on_usage: Callable[[Usage], None]

    def take(self, history: History, told: IndexTold) -> None:
        """Account for the index of a history, if it could be made."""
        if told.indexed is not None:
            memory = told.memory
            self.manifest.indexed(
                told.indexed.seconds, waited=told.waited, reused=told.indexed.reused
            )
            if isinstance(memory, AccountsForIndex):
                self.manifest.account(history.id, memory)
                self.on_usage(memory.index_usage)
            self.health.look_at(memory, history)
        self.on_indexed()


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
    fingerprint = config.fingerprint(benchmark.files())
    folder = config.run_folder(fingerprint)
    if not (folder / RECORDS).exists():
        raise NotRunError("no records")
    asked = _asked(benchmark, config.histories, config.limit)
    return _result(folder, read_records(folder, fingerprint), benchmark, asked)


def _asked(benchmark: Benchmark, histories: int | None, limit: int | None) -> Asked:
    return [
        (history, benchmark.questions(history.id)[:limit])
        for history in benchmark.histories()[:histories]
    ]


def _query_ids(benchmark: Benchmark) -> frozenset[str]:
    histories = benchmark.histories()
    return frozenset(one.query.id for of in histories for one in benchmark.questions(of.id))


def _finish(store: RunStore, manifest: Manifest, benchmark: Benchmark, asked: Asked) -> RunResult:
    records = store.write_canonical()
    there_are = sum(len(benchmark.questions(one.id)) for one in benchmark.histories())
    manifest.finish(there_are, records)
    return _result(store.folder, records, benchmark, asked)


def _result(
    folder: Path, records: Sequence[Record], benchmark: Benchmark, asked: Asked
) -> RunResult:
    """Keep the records of the questions asked and of the others apart.

    A line of another data set in the log is in neither.
    """
    asked_ids = _ids(asked)
    other_ids = _ids(_asked(benchmark, None, None)) - asked_ids
    return RunResult(
        folder,
        tuple(record for record in records if record.query_id in asked_ids),
        tuple(record for record in records if record.query_id in other_ids),
    )


def _ids(asked: Asked) -> set[str]:
    return {question.query.id for _, questions in asked for question in questions}
