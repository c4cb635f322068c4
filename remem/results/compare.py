"""Compare two runs on the same questions: test the paired difference of a score."""

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Literal

import numpy as np

from remem.config.suggestions import did_you_mean, either
from remem.errors import UsageError
from remem.files.opened import read_text
from remem.metrics.convention import BootstrapUnit, ScoreConvention
from remem.metrics.intervals import Interval, Ratio, mean_ratio
from remem.metrics.paired import mcnemar_exact, paired_tests
from remem.metrics.question_scores import REFUSALS, QuestionScores
from remem.metrics.scores import score_questions
from remem.results.run import Run
from remem.results.run_names import RunNames
from remem.results.run_notes import (
    MOST_POINTS,
    ONE_CLUSTER_MARK,
    ONE_QUESTION,
    TOO_FEW,
    cautions,
    p_cautions,
)
from remem.types import Record

Verdicts = Mapping[str, float] | None
"""The share of "correct" among a judge's verdicts, by query id; None without a judge."""

LEAST_P = 0.0001
"""Smaller p values are shown as below this value."""
READ_COLUMNS = ("block", "run", "score", "category", "p_holm")
"""The columns that are read from the CSV file of a table."""
TO_RESULTS = "../../../.."
"""The path from the folder of a run, <results>/runs/<dataset>/<method>/<models>, to <results>."""


@dataclass(frozen=True, slots=True)
class ScoredRuns:
    """Runs over the same questions, and the scores of the questions that are compared.

    `score` is the name of the score that is compared. `category` is the category of the questions;
    None for all.
    """

    records: Sequence[Sequence[Record]]
    scores: Sequence[Mapping[str, QuestionScores]]
    score: str
    category: str | None
    convention: ScoreConvention

    @classmethod
    def of_records(
        cls,
        records: Sequence[Sequence[Record]],
        verdicts: Sequence[Verdicts],
        *,
        score: str,
        category: str | None,
        convention: ScoreConvention,
    ) -> "ScoredRuns":
        """Score the records of runs, with the verdicts of a judge on each run.

        Raises:
            UsageError: The score is unknown.
        """
        score_names = (*REFUSALS, *convention.score_names)
        if score not in score_names:
            raise UsageError(
                f"unknown score {score!r}; choose {either(score_names)}"
                f"{did_you_mean(score, score_names)}"
            )
        scores = [
            _by_id(score_questions(of_run, convention, judged), category)
            for of_run, judged in zip(records, verdicts, strict=True)
        ]
        return cls(records, scores, score, category, convention)

    @classmethod
    def of_runs(cls, runs: Sequence[Run], score: str, category: str | None) -> "ScoredRuns":
        """Return the scores of runs by the convention of the first run."""
        convention = runs[0].convention
        scores = [_by_id(run.under(convention).scores.values(), category) for run in runs]
        return cls([run.records for run in runs], scores, score, category, convention)

    def common(self) -> list[list[QuestionScores]]:
        """Return, for each run, the questions that have the score in all runs, in the same order.

        Raises:
            UsageError: There is no such question, or the runs have different questions.
        """
        both = "both runs" if len(self.scores) == 2 else "all runs"
        questions = [{r.query_id: (r.question, r.gold) for r in of_run} for of_run in self.records]
        if not set[str].intersection(*map(set, questions)):
            raise UsageError(f"{both} have no questions in common; compare runs on the same data")
        common = sorted(set[str].intersection(*map(set, self.scores)))
        for query in common:
            if any(of_run[query] != questions[0][query] for of_run in questions):
                raise UsageError(
                    f"{query} is not the same question in {both}; compare runs on the same data"
                )
        scored = [
            query
            for query in common
            if all(of_run[query].value(self.score) is not None for of_run in self.scores)
        ]
        if not scored:
            of_category = f" of category {self.category}" if self.category else ""
            raise UsageError(f"no question{of_category} has {self.score} in {both}")
        return [[of_run[query] for query in scored] for of_run in self.scores]


def _by_id(questions: Iterable[QuestionScores], category: str | None) -> dict[str, QuestionScores]:
    return {
        question.query_id: question
        for question in questions
        if category in (None, question.category)
    }


@dataclass(frozen=True, slots=True)
class Comparison:
    """The mean difference (first minus second), and the number of questions that each run wins.

    `difference`, `p_value` and `smallest` (see `PairedTest`) are computed by resampling the units
    that the convention names. The interval of `over_questions` treats all questions as independent.
    `mcnemar` is the exact p value for scores that are 0 or 1; None for other scores. `heading` is
    the display name of the score. `better` is None if neither higher nor lower is better, as with
    the share of refusals.
    """

    heading: str
    better: Literal["higher", "lower"] | None
    difference: Interval
    over_questions: Interval
    p_value: float
    smallest: float | None
    mcnemar: float | None
    first_better: int
    second_better: int
    equal: int
    scale: int = 100
    """The factor for showing a difference: 100 for shares, which are shown in per cent."""

    @property
    def is_share(self) -> bool:
        """Whether the score is a share rather than a count."""
        return self.scale != 1


def compare_runs(first: Run, second: Run, score: str, category: str | None = None) -> Comparison:
    """Compare a score of two runs, both scored by the convention of the first run.

    Args:
        first: The first run.
        second: The second run.
        score: A score of a question, "refused" or "unanswerable".
        category: The only category to compare; None compares all questions.

    Raises:
        UsageError: No question has the score in both runs, or the runs have different questions.
    """
    return compare_scored(ScoredRuns.of_runs((first, second), score, category))


def compare_scored(runs: ScoredRuns) -> Comparison:
    """Compare two runs on the questions for which both have the score."""
    first, second = runs.common()
    return _comparison(paired_scores(first, second, runs.score), runs.score, runs.convention)


@dataclass(frozen=True, slots=True)
class TableTest:
    """The p value of a comparison in a table, corrected within its family of comparisons."""

    table: str
    block: str
    comparisons: int
    p_value: float


@dataclass(frozen=True, slots=True)
class Pair:
    """The scores of two methods on the same question."""

    first: float
    second: float
    cluster: str


def paired_scores(
    first: Sequence[QuestionScores], second: Sequence[QuestionScores], score: str
) -> list[Pair]:
    """Return a pair of scores for each question that has the score in both lists, in order."""
    return [
        Pair(float(a), float(b), ours.cluster)
        for ours, theirs in zip(first, second, strict=True)
        if (a := ours.value(score)) is not None and (b := theirs.value(score)) is not None
    ]


def differences(pairs: Sequence[Pair], unit: BootstrapUnit) -> Ratio:
    """Return the mean difference (first minus second) as a ratio; `unit` is what is resampled."""
    gaps = np.array([pair.first - pair.second for pair in pairs], dtype=np.float64)
    return mean_ratio(gaps, None if unit == "questions" else [pair.cluster for pair in pairs])


def _comparison(pairs: Sequence[Pair], score: str, convention: ScoreConvention) -> Comparison:
    chosen, over_questions = paired_tests(
        [differences(pairs, convention.bootstrap_unit), differences(pairs, "questions")],
        resamples=convention.resamples,
        seed=convention.seed,
    )
    more = sum(pair.first > pair.second for pair in pairs)
    less = sum(pair.first < pair.second for pair in pairs)
    better, worse = (less, more) if convention.better(score) == "lower" else (more, less)
    right_or_wrong = all({pair.first, pair.second} <= {0.0, 1.0} for pair in pairs)
    return Comparison(
        heading=convention.heading(score),
        better=convention.better(score),
        difference=chosen.difference,
        over_questions=over_questions.difference,
        p_value=chosen.p_value,
        smallest=chosen.smallest,
        mcnemar=mcnemar_exact(better, worse) if right_or_wrong else None,
        first_better=better,
        second_better=worse,
        equal=len(pairs) - better - worse,
        scale=100 if convention.is_share(score) else 1,
    )


def format_comparison(
    comparison: Comparison, names: RunNames, tested: Iterable[TableTest] = ()
) -> tuple[str, ...]:
    """Return the lines of text that report a comparison.

    Args:
        comparison: The comparison.
        names: The names of the two runs.
        tested: The tests of the same difference in written tables, with corrected p values.
    """
    gap, plain = comparison.difference, comparison.over_questions
    direction = f" ({comparison.better} is better)" if comparison.better else ""
    lines = [
        f"{comparison.heading}: {names[0]} minus {names[1]} = {_signed(gap.mean, comparison)}"
        f"{' points' if comparison.is_share else ''}{direction}, {_interval(comparison)}"
    ]
    if gap.clusters is not None and gap.clusters > 1:
        lines.append(f"over single questions, as if independent: {_ends(plain, comparison)}")
    lines += [
        f"p {p_text(table_test.p_value)} after Holm's correction over the {table_test.comparisons} "
        f"comparisons of {comparison.heading} in table {table_test.table}, "
        f"block {table_test.block!r}"
        for table_test in tested
    ]
    lines.append(
        f"{names[0]} {'better' if comparison.better else 'higher'} on {comparison.first_better}, "
        f"{names[1]} on {comparison.second_better}, equal on {comparison.equal}"
    )
    if comparison.mcnemar is not None:
        lines.append(
            f"McNemar's exact test: b = {comparison.first_better}, c = {comparison.second_better}, "
            f"two-sided p {p_text(comparison.mcnemar)} ({comparison.heading} is 0 or 1 for each "
            f"question; the questions count as independent)"
        )
    if comparison.smallest is not None:
        lines.append(
            "smallest difference that these questions can show (5% level, 80% power): "
            f"{_smallest(comparison, comparison.smallest)}"
        )
    return (*lines, *cautions([gap]), *p_cautions([gap]))


def _interval(comparison: Comparison) -> str:
    gap = comparison.difference
    if gap.low is None:
        return "no interval and no p: there is only one question"
    some = "1 cluster" if gap.clusters == 1 else f"{gap.clusters} clusters"
    units = "questions" if gap.clusters is None else f"questions in {some}"
    return (
        f"95% interval {_ends(gap, comparison)} ({gap.n} {units}), p {p_text(comparison.p_value)} "
        "(paired bootstrap, for this comparison only)"
    )


def _ends(interval: Interval, comparison: Comparison) -> str:
    if interval.low is None or interval.high is None:
        return ONE_QUESTION
    mark = ONE_CLUSTER_MARK if interval.clusters == 1 else ""
    return f"{_signed(interval.low, comparison)} to {_signed(interval.high, comparison)}{mark}"


def _signed(number: float, comparison: Comparison) -> str:
    """Return a difference with its sign, in percentage points if the score is a share."""
    return f"{100 * number:+.1f}" if comparison.is_share else f"{number:+.4f}"


def _smallest(comparison: Comparison, smallest: float) -> str:
    if not comparison.is_share:
        return f"{smallest:.4f}"
    points = 100 * smallest
    return f"{points:.1f} points" if points <= MOST_POINTS else TOO_FEW


def p_text(value: float) -> str:
    """Return a p value with an equals or less-than sign: "= 0.0312" or "< 0.0001"."""
    return "< 0.0001" if value < LEAST_P else f"= {value:.4f}"


def table_tests(
    first: Path, second: Path, *, score: str, category: str | None
) -> Iterator[TableTest]:
    """Yield the tests that compare these two runs, from the tables in their results folder.

    A table tests every row of a block against the first row, so one of the runs must be the first
    row.

    Args:
        first: The folder of the first run.
        second: The folder of the second run.
        score: The name of the score.
        category: The category; None for all questions.
    """
    results = (first.resolve() / TO_RESULTS).resolve()
    runs = {folder.resolve() for folder in (first, second)}
    for path in sorted((results / "tables").glob("*/*.csv")):
        lines = _table_lines(path)
        for block in dict.fromkeys(line["block"] for line in lines):
            of_block = [line for line in lines if line["block"] == block]
            compared_with = (results / of_block[0]["run"]).resolve()
            family = [line for line in of_block if line["score"] == score and line["p_holm"]]
            for line in family:
                is_category = line["category"] == (category or "all")
                if is_category and {compared_with, (results / line["run"]).resolve()} == runs:
                    yield TableTest(path.stem, block, len(family), float(line["p_holm"]))


def _table_lines(path: Path) -> Sequence[Mapping[str, str]]:
    """Return the lines of a table's CSV file; none if it has no p values."""
    reader = csv.DictReader(StringIO(read_text(path), newline=""))
    return list(reader) if set(READ_COLUMNS) <= set(reader.fieldnames or ()) else []
