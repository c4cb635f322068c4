"""Read the records of a sweep's jobs, and find which jobs asked the same questions."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from remem.config.config_dir import strangers_folders
from remem.config.run_config import RunConfig, compose_given, run_config
from remem.config.swept import as_search_path
from remem.metrics.question_scores import QuestionScores
from remem.metrics.scores import Summary
from remem.protocols import Benchmark, StopRunError
from remem.results.costs import RunCosts
from remem.results.run import Run
from remem.run.plumbing import is_plumbing
from remem.run.progress import asked_questions, questions_of
from remem.run.run_result import NotRunError, kept_run
from remem.run.sweep_jobs import Job, choices
from remem.tables.reproduce import row_marks
from remem.types import Record

OF_THE_DATA = "dataset"


@dataclass(frozen=True, slots=True)
class JobScores:
    """The scores of a job's answers: `asked` questions, those with an answer in `questions`.

    `texts` and `outcomes` are checksums by query id: of the question with its gold answer, and of
    the answer with the ids of its evidence. `marks` warn that the scores are not a result.
    """

    config: RunConfig
    folder: Path
    asked: int
    failed: int
    questions: tuple[QuestionScores, ...]
    summary: Summary
    texts: Mapping[str, bytes]
    outcomes: Mapping[str, bytes]
    marks: tuple[str, ...]
    is_plumbing: bool
    costs: RunCosts

    @property
    def is_whole(self) -> bool:
        """Whether every question has an answer."""
        return len(self.questions) == self.asked

    def shares_questions(self, other: "JobScores") -> bool:
        """Return whether both asked some of the same questions, and none that only looks so."""
        common = self.texts.keys() & other.texts.keys()
        return bool(common) and all(self.texts[query] == other.texts[query] for query in common)

    def equals(self, other: "JobScores") -> bool:
        """Return whether both answered every question, in the same way from the same evidence."""
        return self.is_whole and other.is_whole and self.outcomes == other.outcomes


@dataclass(frozen=True, slots=True)
class JobOutcome:
    """A job, and its scores; if there are none, `missing` says why unless the job does."""

    job: Job
    scores: JobScores | None = None
    missing: str = ""


@dataclass(slots=True)
class JobReader:
    """Reads jobs; jobs on the same data share the benchmark."""

    benchmarks: list[tuple[object, Benchmark]] = field(default_factory=list)

    def read(self, job: Job) -> JobOutcome:
        """Return a job with its scores, if it has records that can be read."""
        try:
            return JobOutcome(job, self._scores(job))
        except (ValueError, OSError, LookupError, RuntimeError, ImportError, StopRunError) as error:
            # The error that ended the job itself is told with the job.
            return JobOutcome(job, missing="" if job.state == "failed" else str(error))

    def _scores(self, job: Job) -> JobScores:
        config = self._config(job)
        benchmark = self._benchmark(config)
        result = kept_run(config, benchmark=benchmark)
        if not result.records:
            raise NotRunError("no records")
        asked = questions_of(asked_questions(benchmark, config.histories, config.limit))
        return job_scores(Run.of(config, result), len(asked))

    def _config(self, job: Job) -> RunConfig:
        overrides = [*as_search_path(job.options), *job.overrides]
        return run_config(compose_given(overrides, strangers_folders(job.options)))

    def _benchmark(self, config: RunConfig) -> Benchmark:
        build = config.settings.dataset.build
        for known, benchmark in self.benchmarks:
            if known == build:
                return benchmark
        benchmark = config.build_benchmark()
        self.benchmarks.append((build, benchmark))
        return benchmark


def job_scores(run: Run, asked: int) -> JobScores:
    """Score the records of a run that was asked a number of questions."""
    return JobScores(
        config=run.config,
        folder=run.folder,
        asked=asked,
        failed=len(run.failures),
        questions=tuple(run.scores.values()),
        summary=run.summary,
        texts={record.query_id: _text(record) for record in run.records},
        outcomes={record.query_id: _outcome(record) for record in run.records},
        marks=tuple(row_marks(run.config)),
        is_plumbing=is_plumbing(run.config),
        costs=run.costs,
    )


def comparable(runs: Sequence[JobOutcome]) -> list[list[JobOutcome]]:
    """Group jobs that asked the same questions, in the order of the jobs.

    A job without scores joins the jobs with the same settings of the data.
    """
    groups: list[list[JobOutcome]] = []
    for run in runs:
        if run.scores is not None:
            joined = next((group for group in groups if _same_questions(run, group)), None)
            groups.append([run]) if joined is None else joined.append(run)
    for run in runs:
        if run.scores is None:
            joined = next(_similar(run, groups), None)
            groups.append([run]) if joined is None else joined.append(run)
    ordered = [sorted(group, key=lambda run: run.job.number) for group in groups]
    return sorted(ordered, key=lambda group: group[0].job.number)


def _same_questions(run: JobOutcome, group: Sequence[JobOutcome]) -> bool:
    first = group[0].scores
    return run.scores is not None and first is not None and run.scores.shares_questions(first)


def _similar(run: JobOutcome, groups: Sequence[list[JobOutcome]]) -> Iterator[list[JobOutcome]]:
    """Yield the groups that a job without scores may join, the most similar first."""
    data = _data(run.job)
    yield from (group for group in groups if any(_data(other.job) == data for other in group))
    name = run.job.dataset
    yield from (group for group in groups if any(other.job.dataset == name for other in group))


def _data(job: Job) -> dict[str, str]:
    """Return the overrides of a job that choose the data."""
    own = choices(job)
    return {key: value for key, value in own.items() if key.partition(".")[0] == OF_THE_DATA}


def _text(record: Record) -> bytes:
    return _checksum(record.question, repr(record.gold))


def _outcome(record: Record) -> bytes:
    return _checksum(record.answer, *(item.id for item in record.retrieved))


def _checksum(*texts: str) -> bytes:
    """Return a checksum of texts that depends on where each begins."""
    return hashlib.sha256("\0".join(texts).encode(errors="surrogatepass")).digest()
