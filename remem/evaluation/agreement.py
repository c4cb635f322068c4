"""Compare metrics and judges of a run with people's labels, and judges with their own repeats."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from remem.evaluation.judging import cases_of
from remem.evaluation.judgments import judged, judgment_files, mean_verdicts
from remem.metrics.agreement import Agreement, agreement
from remem.metrics.convention import ScoreConvention
from remem.metrics.question_scores import question_scores
from remem.metrics.refusal import RefusalGold
from remem.metrics.scores import scored
from remem.metrics.variance import VarianceParts, variance_parts
from remem.types import Record


def agreements(
    records: Sequence[Record],
    labels: Mapping[str, float],
    scores: Sequence[str],
    convention: ScoreConvention,
    folder: Path,
) -> dict[str, Agreement]:
    """Return the agreement of metrics and of the run's judges with people's labels, by name.

    Args:
        records: The records of the run.
        labels: The labels of people, by query id.
        scores: The names of the metrics.
        convention: How to score answers, and which golds the judges were shown.
        folder: The folder of the run, with the files of its judges.
    """
    labelled = [record for record in scored(records) if record.query_id in labels]
    questions = [question_scores(record, convention) for record in labelled]
    values: dict[str, Mapping[str, float | None]] = {
        name: {question.query_id: question.value(name) for question in questions} for name in scores
    }
    for path in judgment_files(folder):
        correct = judged(path)
        repeats = 1 + max((case.repeat for case in correct), default=0)
        asked = cases_of(labelled, convention.refusal_gold, repeats)
        values[path.stem] = dict(mean_verdicts(correct, asked))
    return {
        name: _agreement(found, labels)
        for name, found in values.items()
        if any(value is not None for value in found.values())
    }


def judge_variance(
    runs: Sequence[Sequence[Record]], files: Sequence[Path], refusal_gold: RefusalGold
) -> VarianceParts:
    """Split the variance of a judge's verdicts into a part of the answers and a part of the judge.

    Args:
        runs: The records of one or more repeats of the same run.
        files: The judge's file for each of these runs.
        refusal_gold: Which golds the judge was shown.
    """
    verdicts = [
        _verdicts(records, path, refusal_gold) for records, path in zip(runs, files, strict=True)
    ]
    repeats = min(len(given) for verdict in verdicts for given in verdict.values())
    common = sorted(set[str]().union(*verdicts).intersection(*verdicts))
    table = [[verdict[query][:repeats] for verdict in verdicts] for query in common]
    return variance_parts(
        np.array(table, dtype=np.float64).reshape(len(common), len(verdicts), repeats)
    )


def _agreement(found: Mapping[str, float | None], labels: Mapping[str, float]) -> Agreement:
    pairs = [(value, labels[query]) for query, value in found.items() if value is not None]
    return agreement([value for value, _ in pairs], [label for _, label in pairs])


def _verdicts(
    records: Sequence[Record], path: Path, refusal_gold: RefusalGold
) -> dict[str, list[float]]:
    """Return the verdicts by query id, for the answers that were judged in every repeat."""
    correct = judged(path)
    if not correct:
        raise ValueError(f"{path} has no verdicts; ask the judge again with remem judge")
    repeats = 1 + max(case.repeat for case in correct)
    given: dict[str, list[float]] = {}
    for case in cases_of(records, refusal_gold, repeats):
        if case in correct:
            given.setdefault(case.query_id, []).append(correct[case])
    return {query: found for query, found in given.items() if len(found) == repeats}
