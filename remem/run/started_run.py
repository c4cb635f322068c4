"""A run in progress: its open folder, log and manifest, and what is recorded about its indexes."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from remem.benchmarks.loaded import accounts_of
from remem.config.instantiation import SharedInstance
from remem.config.run_config import RunConfig
from remem.config.settings import Settings
from remem.embed.vector_account import SOURCE
from remem.files.disk import remove_left_over
from remem.llm.endpoint import Served, ServesModel
from remem.protocols import AccountsForIndex, AccountsForVectors, Benchmark
from remem.run.health import HealthCheck
from remem.run.interruption import stopping_at_interrupt
from remem.run.manifest import ManifestWriter
from remem.run.progress import Asked, ProgressCount, asked_questions, query_ids, questions_of
from remem.run.run_result import RunResult, check_run_server, run_result
from remem.run.runner import IndexReport
from remem.run.script_note import script_note
from remem.run.store import RunStore, open_run
from remem.types import History, Usage

if TYPE_CHECKING:
    from remem.llm.call_store import CallStore

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class StartedRun:
    """A run whose folder is open for writing."""

    config: RunConfig
    benchmark: Benchmark
    store: RunStore
    manifest: ManifestWriter

    def pending(self, asked: Asked) -> Asked:
        """Return the histories that have unanswered questions, with these questions.

        Raises:
            ValueError: There are no questions at all.
        """
        if not questions_of(asked):
            raise ValueError(f"{self.config.dataset} has no questions; its data files are empty")
        left = [(history, self.store.pending(questions)) for history, questions in asked]
        return [(history, questions) for history, questions in left if questions]

    def finish(self, asked: Asked) -> RunResult:
        """Write the sorted records and the final manifest, and return the result."""
        self.manifest.served += _served(self.config)
        records = self.store.write_canonical()
        self.manifest.finish(records)
        return run_result(self.store.folder, records, self.benchmark, asked)


@dataclass(frozen=True, slots=True)
class IndexAccount:
    """Records, reports and checks the index of each history."""

    manifest: ManifestWriter
    health: HealthCheck
    progress: ProgressCount

    def take(self, history: History, report: IndexReport) -> None:
        """Record and check the index of a history, if it was built, and report the progress.

        Raises:
            UnhealthyMemoryError: The memory fails the health check.
        """
        usage = Usage()
        if report.index is not None:
            index, memory = report.index, report.memory
            self.manifest.indexed(
                history.id, index.seconds, waited=report.waited_seconds, reused=index.reused
            )
            if isinstance(memory, AccountsForIndex):
                self.manifest.account(history.id, memory)
                usage = memory.index_usage
            self.health.look_at(memory, history)
        self.progress.index_done(usage)


class EndpointWaits:
    """The seconds that a timed run waits for endpoints, read from the call store of the run."""

    def __init__(self, settings: Settings) -> None:
        # With questions in parallel, waits could not be attributed to one of them.
        alone = settings.bypasses_caches and settings.runner.workers == 1
        self._path = Path(settings.cache.calls) if settings.cache and alone else None
        self._store: CallStore | None = None
        self._last = 0

    def since_last(self) -> float | None:
        """Return the seconds waited since the previous call of this method; None if unknown."""
        if self._path is None:
            return None
        if self._store is None and self._path.exists():
            from remem.llm.call_store import CallStore

            self._store = CallStore(self._path)
        if self._store is None:  # nothing was sent
            return 0.0
        seconds, self._last = self._store.waited_since(self._last)
        return seconds


@contextmanager
def started_run(
    config: RunConfig, benchmark: Benchmark, embedder: SharedInstance
) -> Iterator[StartedRun]:
    """Open the folder of a new or resumed run, and write the initial manifest.

    The counts of the embedder's server are written at the end, even if the run fails.
    """
    fingerprint = config.fingerprint(benchmark.files())
    folder = config.run_folder(fingerprint)
    check_run_server(config, folder)
    for place in (folder, config.results / "cache" / "indexes"):
        remove_left_over(place)
    with open_run(folder, fingerprint) as store, stopping_at_interrupt(config.chat_model):
        every_question = asked_questions(benchmark)
        store.set_aside_unknown(query_ids(every_question))
        questions = questions_of(every_question)
        if note := script_note(
            config, [each.query.text for each in questions], [each.gold for each in questions]
        ):
            log.warning("%s", note)
        manifest = ManifestWriter.start(
            store, config, benchmark.files(), len(questions), accounts_of(benchmark)
        )
        try:
            yield StartedRun(config, benchmark, store, manifest)
        finally:
            for part in embedder.built():
                if isinstance(part, AccountsForVectors) and part.vector_account is not None:
                    manifest.keep_account(SOURCE, part.vector_account)


def _served(config: RunConfig) -> Served:
    """Stop the local model server of the run, if any, and return its counts."""
    parts = config.chat_model.built() if config.chat_model else ()
    served = (part.end_server() for part in parts if isinstance(part, ServesModel))
    return sum(served, Served())
