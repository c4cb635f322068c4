"""The table of a sweep: a row for each job, with its difference from the first job.

Differences are tested as in every other table (`remem/tables/significance.py`): the tests are
paired over the questions that both jobs answered, and corrected for all comparisons of a score.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from remem.config.config_dir import hydra_arguments, strangers_folders
from remem.config.run_config import RunConfig, compose_given, run_config
from remem.errors import NotRunError, StopRunError
from remem.files.plain_text import printable
from remem.metrics.columns import REFUSAL_HEADINGS, ScoreColumn
from remem.metrics.convention import ScoreConvention
from remem.metrics.question_scores import QuestionScores
from remem.metrics.scores import Summary
from remem.prompts.chosen import prompt_origin
from remem.protocols import Benchmark
from remem.results.costs import RunCosts
from remem.results.run import Run
from remem.results.run_notes import bracketed, p_cautions
from remem.run.progress import asked_questions, questions_of
from remem.run.run_result import kept_run
from remem.run.served_models import is_plumbing
from remem.run.sweep_jobs import (
    KILLED,
    Job,
    choices,
    job_label,
    job_labels,
    sweep_title,
    varied_keys,
)
from remem.tables.notes import BlockCosts, RowCosts
from remem.tables.reproduce import row_marks
from remem.tables.significance import SourcedRow, Tests, row_sources, run_tests, test_notes
from remem.tables.sweep_winner import winner_sentence
from remem.tables.table import ABSENT, Block, Row, Value, own_cell, scaled
from remem.types import Record

OF_THE_DATA = "dataset"
MOST_COLUMNS = 5
REFUSAL_F1 = "refusal_f1"
LONGEST_ERROR = 160
EQUAL = "changes nothing: every record is equal"
NO_COSTS = RunCosts(())
SAME_RUN = "is the same run as the first job: nothing was asked again"


@dataclass(frozen=True, slots=True)
class JobScores:
    """The scores of a job.

    `asked` is the number of questions asked, and `questions` holds the scores of those that were
    answered. `texts` maps each query id to the checksum of the question with its gold answer.
    `outcomes` maps it to the checksum of the answer with the ids of its evidence.
    """

    config: RunConfig
    folder: Path
    asked: int
    failed: int
    questions: tuple[QuestionScores, ...]
    summary: Summary
    texts: Mapping[str, bytes]
    outcomes: Mapping[str, bytes]
    costs: RunCosts

    @property
    def is_whole(self) -> bool:
        """Whether every question has an answer."""
        return len(self.questions) == self.asked

    def shares_questions(self, other: "JobScores") -> bool:
        """Return whether the jobs share question ids, and each shared id has the same question."""
        common = self.texts.keys() & other.texts.keys()
        return bool(common) and all(self.texts[query] == other.texts[query] for query in common)

    def equals(self, other: "JobScores") -> bool:
        """Return whether two jobs answered all questions with equal answers and evidence."""
        return self.is_whole and other.is_whole and self.outcomes == other.outcomes


@dataclass(frozen=True, slots=True)
class JobOutcome:
    """A job and its scores.

    If `scores` is None, `missing` says why. It is empty if the job failed, because the job itself
    has the error.
    """

    job: Job
    scores: JobScores | None = None
    missing: str = ""


@dataclass(slots=True)
class JobReader:
    """Reads the scores of jobs; jobs on the same data share one benchmark object."""

    benchmarks: list[tuple[object, Benchmark]] = field(default_factory=list)

    def read(self, job: Job) -> JobOutcome:
        """Return a job with its scores, if it has records that can be read."""
        try:
            return JobOutcome(job, self._scores(job))
        except (ValueError, OSError, LookupError, RuntimeError, ImportError, StopRunError) as error:
            # The error that ended the job itself is shown with the job.
            return JobOutcome(job, missing="" if job.state == "failed" else str(error))

    def _scores(self, job: Job) -> JobScores:
        config = self._config(job)
        benchmark = self._benchmark(config)
        result = kept_run(config, benchmark=benchmark)
        if not result.records:
            raise NotRunError("no records")
        questions = questions_of(asked_questions(benchmark, config.histories, config.limit))
        return job_scores(Run.of(config, result), len(questions))

    def _config(self, job: Job) -> RunConfig:
        overrides = [*hydra_arguments(job.options), *job.overrides]
        return run_config(compose_given(overrides, strangers_folders(job.options)))

    def _benchmark(self, config: RunConfig) -> Benchmark:
        build = config.settings.dataset.build
        for known, benchmark in self.benchmarks:
            if known == build:
                return benchmark
        benchmark = config.build_benchmark()
        self.benchmarks.append((build, benchmark))
        return benchmark


@dataclass(frozen=True, slots=True)
class SweepCell:
    """The mean of a score of a job, and its difference from the first job's mean, in points.

    `gap` is None for the first job or if the difference was not tested. `equal` is True if the
    job has the same answers and evidence as the first job. `pairs` is the number of questions that
    both jobs answered; None if both answered the same questions.
    """

    mean: Value
    gap: Value | None = None
    equal: bool = False
    pairs: int | None = None

    @property
    def texts(self) -> tuple[str, str, str]:
        """The mean, the difference with its star, and the interval of the difference."""
        mean = f"{self.mean.mean:{self._form}}"
        if self.equal:
            return mean, "=", ""
        if self.gap is None:
            return mean, "", ""
        counted = "" if self.pairs is None else f" n={self.pairs:,}"
        interval = bracketed(self.gap, f"+{self._form}")
        return mean, f"{self.gap.mean:+{self._form}}{self.gap.mark}", f"{interval}{counted}"

    @property
    def _form(self) -> str:
        return ".1f" if self.mean.percent else ".2f"


@dataclass(frozen=True, slots=True)
class SweepRow:
    """A job: its label, its remark, its cells, the folder of its run, and its costs.

    `count` is the number of its questions, as "answered/asked" if some have no answer.
    """

    job: Job
    label: str
    remark: str
    count: str
    cells: tuple[SweepCell | None, ...]
    folder: Path | None = None
    costs: RunCosts = NO_COSTS

    def texts(self, position: int) -> tuple[str, str, str]:
        """Return the texts of a cell."""
        cell = self.cells[position]
        return (ABSENT, "", "") if cell is None else cell.texts


@dataclass(frozen=True, slots=True)
class SweepBlock:
    """Jobs that asked the same questions; each row is compared with the first row.

    `winner` says which job scores best, and whether this can be due to chance. It is "" if nothing
    is compared.
    """

    title: str
    headings: tuple[str, ...]
    rows: tuple[SweepRow, ...]
    notes: tuple[str, ...]
    winner: str = ""

    @property
    def costs(self) -> BlockCosts:
        """The costs of the jobs; a job without scores is left out."""
        rows = (RowCosts(row.label, row.costs) for row in self.rows if row.costs.costs)
        return BlockCosts(self.title, tuple(rows))

    @property
    def count(self) -> str:
        """The number of questions if it is the same for all rows with scores, else ""."""
        counts = {row.count for row in self.rows if row.count}
        return counts.pop() if len(counts) == 1 else ""


@dataclass(frozen=True, slots=True)
class SweepTable:
    """The title of a sweep, and its jobs."""

    title: str
    blocks: tuple[SweepBlock, ...]


def sweep_table(jobs: Sequence[Job]) -> SweepTable:
    """Read the records of the jobs and return their table."""
    reader = JobReader()
    return table_of([reader.read(job) for job in jobs])


def table_of(runs: Sequence[JobOutcome]) -> SweepTable:
    """Return the table of jobs, with a block for each group that asked the same questions."""
    jobs = [run.job for run in runs]
    groups = comparable(runs)
    blocks = (_block(group, jobs, len(groups)) for group in groups)
    return SweepTable(sweep_title(jobs), tuple(blocks))


def _block(runs: Sequence[JobOutcome], jobs: Sequence[Job], groups: int) -> SweepBlock:
    own = [run.job for run in runs]
    within = varied_keys(own)
    between = [key for key in varied_keys(jobs) if key not in within]
    title = job_label(own[0], between) if groups > 1 else ""
    labels = job_labels(own, within)
    scored = [run.scores for run in runs if run.scores is not None]
    columns = _columns(scored)
    plain = [_plain_row(run, label, columns) for run, label in zip(runs, labels, strict=True)]
    block = Block("", columns, tuple(plain))
    first = runs[0].scores
    convention = scored[0].summary.convention if scored else None
    sourced = [] if convention is None else list(_sourced(block, runs, convention))
    tests = run_tests([sourced], convention) if convention and first and first.questions else {}
    rows = tuple(
        SweepRow(
            run.job,
            row.label,
            "; ".join(_remarks(run, first)),
            "" if run.scores is None else row.count,
            tuple(_cells(run.scores, first, row, tests, at)),
            *(() if run.scores is None else (run.scores.folder, run.scores.costs)),
        )
        for at, (run, row) in enumerate(zip(runs, plain, strict=True))
    )
    differences = [tested.test.difference for tested in tests.values()]
    notes = (
        *test_notes(0, block, tests),
        *_untested(runs, labels),
        *block.all_notes,
        *p_cautions(differences),
    )
    winner = winner_sentence(sourced, convention) if convention else ""
    return SweepBlock(title, tuple(column.heading for column in columns), rows, notes, winner)


def _columns(scores: Sequence[JobScores]) -> tuple[ScoreColumn, ...]:
    """Return a column for each score that all jobs have, and one for refusals if some are right."""
    if not scores:
        return ()
    shown = [
        ScoreColumn(scores[0].summary.convention.heading(name), name)
        for name in scores[0].config.scores
        if all(name in own.summary.convention.score_names for own in scores)
    ]
    if any(own.summary.refusal.unanswerable for own in scores):
        shown.insert(MOST_COLUMNS - 1, ScoreColumn(REFUSAL_HEADINGS[REFUSAL_F1], REFUSAL_F1))
    return tuple(shown[:MOST_COLUMNS])


def _plain_row(run: JobOutcome, label: str, columns: Sequence[ScoreColumn]) -> Row:
    """Return the row of a job as in other tables: means, without differences."""
    scores = run.scores
    if scores is None:
        return Row(label, (None,) * len(columns))
    return Row(
        label,
        tuple(
            None if is_plumbing(scores.config) else own_cell(column, scores.summary)
            for column in columns
        ),
        answered=len(scores.questions),
        total=scores.asked,
        prompts=prompt_origin(scores.config.prompts),
        judge_prompt=scores.config.judge_prompt,
    )


def _sourced(
    block: Block, runs: Sequence[JobOutcome], convention: ScoreConvention
) -> Iterator[SourcedRow]:
    """Yield the rows with the scores behind each cell."""
    for row, run in zip(block.rows, runs, strict=True):
        yield SourcedRow(row, tuple(row_sources(block.columns, _tested(run), convention)))


def _tested(run: JobOutcome) -> Sequence[QuestionScores]:
    return () if run.scores is None or is_plumbing(run.scores.config) else run.scores.questions


def _cells(
    scores: JobScores | None, first: JobScores | None, row: Row, tests: Tests, at: int
) -> Iterator[SweepCell | None]:
    """Yield the cells of a row; `at` is the number of the row in its block."""
    equal = _is_equal(scores, first)
    for position, cell in enumerate(row.cells):
        if cell is None or cell.ours is None:
            yield None
            continue
        tested = tests.get((0, at, position))
        if equal or tested is None:
            yield SweepCell(cell.ours, equal=equal)
            continue
        scale = 100.0 if cell.ours.percent else 1.0
        gap = scaled(tested.test.difference, scale, cell.ours.percent)
        pairs = None if _same_extent(scores, first) else gap.n
        yield SweepCell(cell.ours, replace(gap, p_value=tested.p_value), pairs=pairs)


def _is_equal(scores: JobScores | None, first: JobScores | None) -> bool:
    """Return whether a later job has the same answers and evidence as the first job."""
    return scores is not None and first is not None and scores is not first and scores.equals(first)


def _same_extent(scores: JobScores | None, first: JobScores | None) -> bool:
    """Return whether both jobs have answered the same questions."""
    if scores is None or first is None:
        return False
    answered = ({question.query_id for question in own.questions} for own in (scores, first))
    return next(answered) == next(answered)


def _remarks(run: JobOutcome, first: JobScores | None) -> Iterator[str]:
    """Yield the remarks that the row of a job shows next to its numbers."""
    job, scores = run.job, run.scores
    if scores is None:
        yield _cut(run.missing or f"failed: {job.error}" if job.state != "begun" else KILLED)
        return
    if scores.failed:
        yield f"{scores.failed:,} of {scores.asked:,} questions failed"
    elif job.state != "done":
        answered = f"{len(scores.questions):,} of {scores.asked:,} questions answered"
        yield f"{_cut(job.outcome)}, {answered}"
    if first is not None and _is_equal(scores, first):
        yield SAME_RUN if scores.folder == first.folder else EQUAL
    yield from row_marks(scores.config)


def _cut(text: str) -> str:
    """Return a message as one line, shortened if it is long."""
    line = printable(text)
    return line if len(line) <= LONGEST_ERROR else f"{line[:LONGEST_ERROR]} ..."


def _untested(runs: Sequence[JobOutcome], labels: Sequence[str]) -> Iterator[str]:
    answered = [bool(_tested(run)) for run in runs]
    if any(answered) and not answered[0]:
        yield f"No differences are shown, because the first job ({labels[0]}) has no scores."


def job_scores(run: Run, questions: int) -> JobScores:
    """Return the scores of a run; `questions` is the number of questions asked."""
    return JobScores(
        config=run.config,
        folder=run.folder,
        asked=questions,
        failed=len(run.failures),
        questions=tuple(run.scores.values()),
        summary=run.summary,
        texts={record.query_id: _text(record) for record in run.records},
        outcomes={record.query_id: _outcome(record) for record in run.records},
        costs=run.costs,
    )


def comparable(runs: Sequence[JobOutcome]) -> list[list[JobOutcome]]:
    """Group jobs that asked the same questions, in the order of the jobs.

    A job without scores is put into a group with the same data settings. If there is no such group,
    it is put into a group with the same dataset.
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
    """Return a checksum of several texts that also depends on where each text begins."""
    return hashlib.sha256("\0".join(texts).encode(errors="surrogatepass")).digest()
