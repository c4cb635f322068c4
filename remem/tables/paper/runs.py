"""Find the runs behind a table of the paper by their fingerprints, or run them on request.

In a table of conf/table, each row comes from one run (`remem.tables.reproduce`). In a table of the
paper, each cell pools its own runs, and many cells share a run. So each run is looked up only once
for all tables: composing its configuration, hashing its data and reading its records are slow.
"""

import logging
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar

from remem.config.run_config import RunConfig, compose_config, run_config
from remem.errors import (
    NotServedError,
    OtherServerError,
    RunInUseError,
    UnhealthyMemoryError,
    UsageError,
)
from remem.llm.endpoint import STUB
from remem.metrics.convention import ScoreConvention
from remem.metrics.question_scores import QuestionScores
from remem.protocols import Benchmark
from remem.results.class_counts import Classified, classified, published_classes
from remem.results.costs import stage_prices
from remem.results.judging import judge_run
from remem.results.run import Run
from remem.results.temporal_classes import TemporalClass, class_by_rules, classes_file, read_classes
from remem.run.experiment import run_experiment
from remem.run.health import all_questions, missing_evidence
from remem.run.interruption import end_with_parent
from remem.run.manifest import note_own_process
from remem.run.progress import ShowProgress
from remem.run.run_result import RunResult, check_run_server
from remem.run.store import RECORDS, read_manifest, read_records
from remem.tables.paper.rows import llm_free_rows, without_models
from remem.tables.rows import RowOutcome, check_rehearsal, fitted
from remem.tables.table_plan import RowPlan
from remem.types import Record

log = logging.getLogger(__name__)

Made = TypeVar("Made")
WAIT_SECONDS = 1.0
NO_RECORDS = "no records"
"""Why a run is missing that nobody has started."""
Running = Literal["nothing", "llm_free", "all"]
"""Which missing runs are started: none, those that cost nothing, or all."""


class TableRuns:
    """Finds runs, starts missing runs on request, and scores answers; runs are kept for reuse."""

    def __init__(
        self, running: Running, show_progress: ShowProgress, *, allow_stub: bool = False
    ) -> None:
        self._running = running
        self._show_progress = show_progress
        self._allow_stub = allow_stub
        self.stopped: list[str] = []
        """The reason of each run that a health check stopped."""
        self._runs: dict[tuple[str, ...], RowOutcome] = {}
        self._benchmarks: dict[str, tuple[Any, Benchmark]] = {}
        self._scored: dict[tuple[Path, ScoreConvention], Run] = {}
        self._classified: dict[Path, Classified] = {}
        self._classes: dict[tuple[Path, bool], Mapping[str, TemporalClass]] = {}

    def find(self, overrides: Sequence[str], *, llm_free: bool) -> RowOutcome:
        """Return the run with these overrides; start a missing run if `running` allows it.

        Raises:
            UsageError: A row of the paper has no language model, an LLM-free row has one, or the
                model of a row is a loopback stub that is not allowed.
        """
        key = tuple(overrides)
        if key not in self._runs:
            config = run_config(compose_config(list(key)))
            self._check(config, llm_free=llm_free)
            check_rehearsal(config, key)
            self._runs[key] = self._find_run(config, key)
        return self._runs[key]

    def llm_free(
        self,
        dataset: str,
        overrides: Sequence[str],
        added: Sequence[str] = (),
        timed: Sequence[str] = (),
    ) -> Iterator[tuple[str, RowOutcome]]:
        """Yield the label and the run of each LLM-free row, then of each added method."""
        for row in llm_free_rows(dataset, added):
            chosen = fitted((*row.overrides, *timed), without_models(overrides))
            run = self.find(chosen, llm_free=True)
            yield f"{run.config.label} ({row.note})" if row.note else run.config.label, run

    def benchmark(self, config: RunConfig) -> Benchmark:
        """Return the benchmark of a run; the last benchmark is reused if the settings are the same.

        Raises:
            FileNotFoundError: The data files are missing.
        """
        wanted = config.settings.dataset.build
        built_from, benchmark = self._benchmarks.get(config.dataset, (None, None))
        if benchmark is None or built_from != wanted:
            try:
                benchmark = config.build_benchmark()
            except FileNotFoundError as error:  # a table is the same wherever data are looked for
                looked_in = f"{config.settings.paths.data}/"
                raise FileNotFoundError(str(error).replace(looked_in, "$REMEM_DATA/")) from error
            self._benchmarks[config.dataset] = wanted, benchmark
        return benchmark

    def scores(
        self, outcome: RowOutcome, convention: ScoreConvention
    ) -> tuple[QuestionScores, ...]:
        """Return the scores of all answered questions of a run under a convention."""
        if outcome.run is None:
            return ()
        key = outcome.run.folder, convention
        if key not in self._scored:
            self._scored[key] = outcome.run.under(convention)
        return tuple(self._scored[key].scores.values())

    def classes(self, outcome: RowOutcome, *, by_rules: bool) -> Mapping[str, TemporalClass]:
        """Return the temporal class of each question of a run: by rules, or as published.

        If the published classes have not been fetched, the classes found by the run's model are
        used instead.
        """
        if outcome.run is None:
            return {}
        key = outcome.run.folder, by_rules
        if key not in self._classes:
            texts = {record.query_id: record.question for record in outcome.records}
            self._classes[key] = (
                {query: class_by_rules(text) for query, text in texts.items()}
                if by_rules
                else published_classes(outcome.config, texts)
                or read_classes(
                    classes_file(outcome.config),
                    texts,
                    outcome.config.server,
                )
            )
        return self._classes[key]

    def classified(self, config: RunConfig) -> Classified:
        """Return the temporal classes of a dataset by rules and by the configured model.

        Raises:
            FileNotFoundError: The data files are missing.
        """
        path = classes_file(config)
        if path not in self._classified:
            self._classified[path] = classified(config, self.benchmark(config))
        return self._classified[path]

    @property
    def failures(self) -> tuple[str, ...]:
        """Return the errors of all failed questions of the runs found so far."""
        return tuple(error for run in self._runs.values() for error in run.failures)

    def errors_of(self, names: Collection[str]) -> int:
        """Count the failed questions of the runs with these names."""
        return sum(len(run.failures) for run in self._runs.values() if run.folder_name in names)

    def _check(self, config: RunConfig, *, llm_free: bool) -> None:
        if llm_free != (config.llm == "none"):
            raise UsageError(
                f"{config.label} has llm={config.llm}; the rows of the paper need a language model "
                f"(rows without one are in a separate block); choose another llm: remem list llm"
            )
        if config.llm == STUB and not self._allow_stub:
            raise UsageError(
                f"llm={STUB} gives made-up answers, which are not a result; --rehearse makes "
                f"a table of them"
            )

    def _find_run(self, config: RunConfig, overrides: tuple[str, ...]) -> RowOutcome:
        plan = RowPlan(overrides)
        config.score_convention()  # a misspelt one is refused before hours of answering
        try:
            benchmark = self.benchmark(config)
            files = benchmark.files()
            if reason := missing_evidence(config, all_questions(benchmark)):
                return RowOutcome(plan, config, missing=reason, impossible=True)
            fingerprint, _ = config.fingerprint(files), config.judge_prompt
        except FileNotFoundError as error:  # data, or prompts that are not fetched
            place = f"{config.settings.paths.prompts}/"  # a table is the same wherever it is
            return RowOutcome(plan, config, missing=str(error).replace(place, ""))
        folder = config.run_folder(fingerprint)
        missing, impossible = self._started(config, benchmark, overrides, folder)
        missing = missing or _other_server(config, folder)
        records: tuple[Record, ...] = ()
        if not missing and (folder / RECORDS).exists():
            records = read_records(folder, fingerprint)
        if not records:  # a run that stopped before its first question leaves an empty file
            missing = missing or NO_RECORDS
        run = Run.of(config, RunResult(folder, records))
        return RowOutcome(plan, config, run, missing, impossible)

    def _started(
        self,
        config: RunConfig,
        benchmark: Benchmark,
        overrides: tuple[str, ...],
        folder: Path,
    ) -> tuple[str, bool]:
        """Make a run if missing runs are wanted.

        Returns:
            The reason why the run cannot be made ("" if it was made or is not wanted), and whether
            it can never be made.
        """
        wanted = ("all",) if config.llm != "none" else ("all", "llm_free")
        if self._running not in wanted:
            return "", False
        try:
            if config.settings.bypasses_caches:
                self._time(config, overrides, folder)
            else:
                self._make(config, benchmark)
        except ImportError as error:  # a row that cannot run here costs no other row
            return str(error), True
        except NotServedError as error:
            return str(error), False
        except UnhealthyMemoryError as error:
            self.stopped.append(f"{config.dataset}: {config.label}: {error}")
            return str(error), False
        return "", False

    def _time(self, config: RunConfig, overrides: tuple[str, ...], folder: Path) -> None:
        """Answer the questions in a new process, to measure it; skip a finished run."""
        if not read_manifest(folder).finished:
            with self._show_progress(f"{config.dataset}: {config.label}, timed", None):
                run_apart(overrides)

    def _make(self, config: RunConfig, benchmark: Benchmark) -> None:
        """Answer and judge the remaining questions."""
        prices = stage_prices(config)
        label = f"{config.dataset}: {config.label}"
        with self._show_progress(label, prices["read"]) as on_progress:
            result = _when_free(
                lambda: run_experiment(config, benchmark=benchmark, on_progress=on_progress)
            )
        if config.judgments is not None:
            judged = f"{config.dataset}: judge {config.label}"
            with self._show_progress(judged, prices["judge"]) as on_progress:
                _when_free(lambda: judge_run(config, result.folder, result.records, on_progress))


def _other_server(config: RunConfig, folder: Path) -> str:
    """Return why the answers of a run are ignored if they came from another server, else ""."""
    try:
        check_run_server(config, folder)
    except OtherServerError as error:
        return str(error)
    return ""


def _when_free(make: Callable[[], Made]) -> Made:
    """Call `make`; while another process writes the run, wait and then call it again."""
    is_told = False
    while True:
        try:
            return make()
        except RunInUseError as error:
            if not is_told:
                log.warning("%s; waiting for that process", error)
            is_told = True
            time.sleep(WAIT_SECONDS)


def run_apart(overrides: Sequence[str]) -> None:
    """Run one configuration in a new process, so that no other run affects its peak memory.

    An exception in that process is raised in this one.
    """
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    spawn = get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawn, initializer=end_with_parent) as pool:
        pool.submit(_run_here, tuple(overrides)).result()


def _run_here(overrides: Sequence[str]) -> None:
    note_own_process(run_experiment(run_config(compose_config(overrides))).folder)
