"""Score existing records in several ways at once, and list the verdicts that each way lacks.

A way is a convention (`convention.score` is not part of a run's fingerprint) or other golds. Ways
with the same choices for a record share its scores, and intervals over equally many units share
their draws.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from remem.metrics.convention import ScoreConvention
from remem.metrics.intervals import Interval, Ratio, mean_ratio, ratio_intervals
from remem.metrics.question_scores import QuestionScores, question_scores
from remem.metrics.refusal import (
    RefusalScores,
    gold_answers,
    is_unanswerable,
    refusal_scores,
)
from remem.metrics.scores import scored
from remem.results.verdicts import (
    Case,
    cases_of,
    judge_kind,
    judge_name,
    judgment_files,
    mean_of_cases,
    repeats_of,
    verdicts_by_case,
)
from remem.types import Record

NO_JUDGE = "any judge"
"""The name in place of a judge for a run without verdicts."""


Heading = tuple[str, str | None]
"""The name of a score and a category; None for all questions."""


@dataclass(frozen=True, slots=True)
class Scoring:
    """One way to score a run: its records, possibly with changed golds, and a convention."""

    name: str
    records: Sequence[Record]
    convention: ScoreConvention


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its intervals over single questions and over clusters.

    `heading` is what people read as the name of the score. A share is shown in per cent.
    """

    heading: str
    over_questions: Interval
    over_clusters: Interval
    share: bool = True


@dataclass(frozen=True, slots=True)
class JudgeCalls:
    """The questions without a verdict of a judge on this answer and these golds."""

    judge: str
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rescored:
    """The scores of one way; the scores of a judge are under the name of its file."""

    name: str
    estimates: Mapping[Heading, Estimate]
    refusal: RefusalScores
    judge_calls: tuple[JudgeCalls, ...] = ()


def rescore(
    ways: Sequence[Scoring], scores: Sequence[str], folder: Path | None, judge: str = ""
) -> list[Rescored]:
    """Score a run in several ways; the first way sets the number and seed of resamples.

    Args:
        ways: The ways to score the run.
        scores: The names of the scores to show.
        folder: The folder of the run, with the files of its judges; None ignores judges.
        judge: The name of the judge whose verdicts come before those of others.
    """
    files = [] if folder is None else judgment_files(folder)
    files.sort(key=lambda path: not judge_name(path).startswith(f"{judge}-"))
    seen = {path.stem: verdicts_by_case(path) for path in files}
    known: dict[Hashable, QuestionScores] = {}
    columns: dict[tuple[str, Heading], _Columns] = {}
    found = []
    for way in ways:
        questions = [_scored_once(record, way.convention, known) for record in scored(way.records)]
        said, calls = _verdicts(way, seen)
        if folder is not None and not seen:
            calls = (JudgeCalls(NO_JUDGE, tuple(question.query_id for question in questions)),)
        for heading, pair in _columns(questions, scores, said):
            columns[way.name, heading] = pair
        found.append(Rescored(way.name, {}, _refusal(questions), calls))
    estimates = _estimates(columns, ways[0].convention, _judge_headings(files, ways[0].convention))
    return [replace(scored, estimates=estimates[scored.name]) for scored in found]


def _scored_once(
    record: Record, convention: ScoreConvention, known: dict[Hashable, QuestionScores]
) -> QuestionScores:
    """Score a record, or reuse its scores by a convention with the same relevant choices."""
    gold = record.gold
    deciding = (
        id(record),  # unchanged records are shared by all ways
        gold_answers(gold, convention.refusal_gold),
        is_unanswerable(gold, convention.refusal_gold),
        convention.refusal_detection,
        convention.f1,
        convention.bleu,
        len(gold.items) > 1 and convention.multi_answer_gold,
    )
    if deciding not in known:
        known[deciding] = question_scores(record, convention)
    return known[deciding]


def _verdicts(
    way: Scoring, seen: Mapping[str, Mapping[Case, float]]
) -> tuple[dict[str, Mapping[str, float]], tuple[JudgeCalls, ...]]:
    """Return the verdicts of each judge on the answers, and the questions without a verdict."""
    said: dict[str, Mapping[str, float]] = {}
    calls = []
    for judge, correct in seen.items():
        asked = cases_of(way.records, way.convention.refusal_gold, repeats_of(correct))
        said[judge] = mean_of_cases(correct, asked)
        missing = dict.fromkeys(case.query_id for case in asked if case not in correct)
        calls.append(JudgeCalls(judge, tuple(missing)))
    return said, tuple(calls)


_Columns = tuple[Ratio, Ratio]
"""The same mean as a ratio over questions, and over clusters."""


def _columns(
    questions: Sequence[QuestionScores],
    scores: Sequence[str],
    said: Mapping[str, Mapping[str, float]],
) -> Iterator[tuple[Heading, _Columns]]:
    categories = sorted({question.category for question in questions})
    for category in (None, *categories):
        rows = [question for question in questions if category in (None, question.category)]
        for name in scores:
            yield from _column((name, category), rows, [row.value(name) for row in rows])
        for judge, verdicts in said.items():
            values = [verdicts.get(row.query_id) for row in rows]
            yield from _column((_judge_score(judge), category), rows, values)


def _judge_score(judge: str) -> str:
    return f"{judge_kind(judge)}, {judge}"


def _judge_headings(files: Sequence[Path], convention: ScoreConvention) -> Mapping[str, str]:
    """Return what people read as the names of judges; one with a fingerprint if two need it."""
    names = {path.stem: judge_name(path) for path in files}
    short = {judge: name.rpartition("-")[0] or name for judge, name in names.items()}
    counts = Counter(short.values())
    return {
        _judge_score(judge): f"{convention.heading(judge_kind(judge))} "
        f"({names[judge] if counts[name] > 1 else name})"
        for judge, name in short.items()
    }


def _column(
    heading: Heading, rows: Sequence[QuestionScores], values: Sequence[float | None]
) -> Iterator[tuple[Heading, _Columns]]:
    pairs = [(row, value) for row, value in zip(rows, values, strict=True) if value is not None]
    if pairs:
        scored_values = np.array([value for _, value in pairs], dtype=np.float64)
        clusters = [row.cluster for row, _ in pairs]
        yield heading, (mean_ratio(scored_values), mean_ratio(scored_values, clusters))


def _estimates(
    columns: Mapping[tuple[str, Heading], _Columns],
    convention: ScoreConvention,
    judges: Mapping[str, str],
) -> Mapping[str, Mapping[Heading, Estimate]]:
    intervals = iter(
        ratio_intervals(
            [ratio for pair in columns.values() for ratio in pair],
            resamples=convention.resamples,
            seed=convention.seed,
        )
    )
    estimates: defaultdict[str, dict[Heading, Estimate]] = defaultdict(dict)
    for way, heading in columns:
        name = heading[0]
        share = name not in convention.score_names or convention.is_share(name)
        heading_shown = judges.get(name) or convention.heading(name)
        found = Estimate(heading_shown, next(intervals), next(intervals), share)
        estimates[way][heading] = found
    return estimates


def _refusal(questions: Sequence[QuestionScores]) -> RefusalScores:
    return refusal_scores(
        [question.refused for question in questions],
        [question.unanswerable for question in questions],
    )
