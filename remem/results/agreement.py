"""Compare metrics and judges with people's labels, and a judge's verdicts with each other."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import numpy as np

from remem.metrics.agreement import Agreement, agreement
from remem.metrics.convention import ScoreConvention
from remem.metrics.intervals import VarianceParts, variance_parts
from remem.metrics.question_scores import question_scores
from remem.metrics.refusal import RefusalGold
from remem.metrics.scores import scored
from remem.results.verdicts import (
    cases_of,
    judgment_files,
    mean_verdicts,
    repeats_of,
    verdicts_by_case,
)
from remem.types import Record


def agreements(
    records: Sequence[Record],
    labels: Mapping[str, float],
    scores: Sequence[str],
    convention: ScoreConvention,
    folder: Path,
) -> dict[str, Agreement]:
    """Return, by name, how well each metric and judge of the run agrees with people's labels.

    Args:
        records: The records of the run.
        labels: The labels of people, by query id.
        scores: The names of the metrics.
        convention: How answers are scored, and which gold answers the judges were shown.
        folder: The folder of the run, with the files of its judges.
    """
    labelled = [record for record in scored(records) if record.query_id in labels]
    questions = [question_scores(record, convention) for record in labelled]
    values: dict[str, Mapping[str, float | None]] = {
        name: {question.query_id: question.value(name) for question in questions} for name in scores
    }
    for path in judgment_files(folder):
        values[path.stem] = dict(mean_verdicts(path, labelled, convention.refusal_gold))
    return {
        name: _agreement(by_question, labels)
        for name, by_question in values.items()
        if any(value is not None for value in by_question.values())
    }


def judge_variance(
    runs: Sequence[Sequence[Record]], files: Sequence[Path], refusal_gold: RefusalGold
) -> VarianceParts:
    """Split the variance of a judge's verdicts into parts due to the answers and to the judge.

    Args:
        runs: The records of one or more repeats of the same run.
        files: The judge's file for each of these runs.
        refusal_gold: Which gold answers the judge was shown.
    """
    verdicts = [
        _verdicts(records, path, refusal_gold) for records, path in zip(runs, files, strict=True)
    ]
    repeats = min(
        len(verdicts_of_case) for verdict in verdicts for verdicts_of_case in verdict.values()
    )
    common = sorted(set[str]().union(*verdicts).intersection(*verdicts))
    table = [[verdict[query][:repeats] for verdict in verdicts] for query in common]
    return variance_parts(
        np.array(table, dtype=np.float64).reshape(len(common), len(verdicts), repeats)
    )


def _agreement(values: Mapping[str, float | None], labels: Mapping[str, float]) -> Agreement:
    pairs = [(value, labels[query]) for query, value in values.items() if value is not None]
    return agreement([value for value, _ in pairs], [label for _, label in pairs])


def _verdicts(
    records: Sequence[Record], path: Path, refusal_gold: RefusalGold
) -> dict[str, list[float]]:
    """Return the verdicts by query id; only answers with a verdict in every repeat are included."""
    correct = verdicts_by_case(path)
    if not correct:
        raise ValueError(f"{path} has no verdicts; ask the judge again with remem judge run")
    repeats = repeats_of(correct)
    by_query: dict[str, list[float]] = {}
    for case in cases_of(records, refusal_gold, repeats):
        if case in correct:
            by_query.setdefault(case.query_id, []).append(correct[case])
    return {query: verdicts for query, verdicts in by_query.items() if len(verdicts) == repeats}


@dataclass(frozen=True, slots=True)
class VerdictMeans:
    """The means of the verdicts on the answers of a run.

    `categories` has the mean of each category. `of_categories` is the unweighted mean over the
    categories. `to_refuse` is the mean over the unanswerable questions; None if there are none.
    """

    categories: Mapping[str, float]
    of_categories: float
    to_refuse: float | None


def verdict_means(records: Sequence[Record], verdicts: Mapping[str, float]) -> VerdictMeans | None:
    """Return the means of `verdicts`, a mapping by query id; None if no record has a verdict."""
    judged = [record for record in records if record.query_id in verdicts]
    if not judged:
        return None
    by_category: defaultdict[str, list[float]] = defaultdict(list)
    for record in judged:
        by_category[record.gold.category].append(verdicts[record.query_id])
    means = {category: fmean(by_category[category]) for category in sorted(by_category)}
    refused = [verdicts[record.query_id] for record in judged if not record.gold.answerable]
    return VerdictMeans(means, fmean(means.values()), fmean(refused) if refused else None)


def format_means(means: VerdictMeans) -> str:
    """Return the means of categories as a line.

    >>> format_means(VerdictMeans({"a": 1.0, "b": 0.0}, 0.5, None))
    'mean of 2 categories: 50.0 (a: 100.0, b: 0.0)'
    """
    listed = ", ".join(
        f"{category}: {100 * mean:.1f}" for category, mean in means.categories.items()
    )
    refused = (
        "" if means.to_refuse is None else f"; questions to refuse: {100 * means.to_refuse:.1f}"
    )
    return (
        f"mean of {len(means.categories)} categories: {100 * means.of_categories:.1f} "
        f"({listed}){refused}"
    )
