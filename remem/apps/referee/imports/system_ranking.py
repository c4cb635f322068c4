"""Rank the systems that answered the same questions, and test which differ significantly.

The units are questions: the score of a system on a question is the mean over its repeats. An
interval over repeats alone says how much a system varies from run to run, but nothing about how it
would do on other questions.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, sqrt
from operator import attrgetter
from statistics import fmean, stdev

import numpy as np

from remem.apps.referee.imports.aggregates import RESAMPLES, SEED
from remem.apps.referee.imports.matched import MatchedAnswers
from remem.apps.referee.rank_correlation import SAME
from remem.errors import UsageError
from remem.metrics.intervals import Interval, mean_interval, mean_ratio
from remem.metrics.paired import LEVEL, holm, paired_tests
from remem.results.verdicts import mean_by_query

Values = Mapping[str, float]
"""The mean verdict on the answers of a system, by question."""
NORMAL = 1.96
MOST_PAIRS = 5_000
"""Maximum number of paired tests: 100 systems, about a minute."""


@dataclass(frozen=True, slots=True)
class ImportedSystem:
    """A system: its mean with the interval over questions, and its rank, counted from 1.

    `over_repeats` is the half-width of an interval over repeats, which some projects publish; None
    for a single run. `base_rank` is the rank by the verdicts of the judge; if the score is a
    formula, these are the verdicts before the formula changes them.
    """

    system: str
    repeats: int
    mean: Interval
    over_repeats: float | None
    rank: int
    base_mean: float
    base_rank: int


@dataclass(frozen=True, slots=True)
class SystemPair:
    """The difference of two systems over the questions that both answered, with its p-values."""

    first: str
    second: str
    difference: Interval
    p_value: float
    p_holm: float

    @property
    def told_apart(self) -> bool:
        """Return whether the difference is significant at 5%, corrected for all pairs."""
        return self.p_holm < LEVEL


@dataclass(frozen=True, slots=True)
class RankedPairs:
    """The ranked systems of one format on one data set, and the tests of all their pairs."""

    format: str
    dataset: str
    score: str
    base: str
    systems: tuple[ImportedSystem, ...]
    pairs: tuple[SystemPair, ...]


def rankings(runs: Sequence[MatchedAnswers]) -> tuple[RankedPairs, ...]:
    """Return a ranking for each group of runs with the same format, data set and main score."""
    groups: defaultdict[tuple[str, str, str], list[MatchedAnswers]] = defaultdict(list)
    for run in runs:
        if run.imported.main:
            groups[run.imported.format, dataset_of(run), run.imported.main].append(run)
    return tuple(
        _ranking(*key, runs_of_group)
        for key, runs_of_group in groups.items()
        if len({run.imported.system for run in runs_of_group}) > 1
    )


def dataset_of(run: MatchedAnswers) -> str:
    """Return the name of a run's data set; if it is unknown, the name that the file states."""
    stated = run.imported.corpus or "questions of the file"
    return stated if run.known is None else run.known.name


def _ranking(format: str, dataset: str, score: str, runs: Sequence[MatchedAnswers]) -> RankedPairs:
    base = runs[0].imported.base or score
    by_system: defaultdict[str, list[MatchedAnswers]] = defaultdict(list)
    for run in runs:
        by_system[run.imported.system].append(run)
    values = {system: _values(found_values, score) for system, found_values in by_system.items()}
    values = {system: found_values for system, found_values in values.items() if found_values}
    means = {system: fmean(found_values.values()) for system, found_values in values.items()}
    judged = {system: fmean(_values(by_system[system], base).values()) for system in values}
    ranks, base_ranks = _ranks(means), _ranks(judged)
    systems = [
        ImportedSystem(
            system,
            len(by_system[system]),
            mean_interval(np.array(list(values[system].values())), resamples=RESAMPLES, seed=SEED),
            _over_repeats(by_system[system], score),
            ranks[system],
            judged[system],
            base_ranks[system],
        )
        for system in sorted(values, key=lambda system: (ranks[system], system))
    ]
    ordered = {ranked.system: values[ranked.system] for ranked in systems}
    return RankedPairs(format, dataset, score, base, tuple(systems), test_pairs(ordered))


def _values(runs: Sequence[MatchedAnswers], judge: str) -> Values:
    answers = sorted((answer for run in runs for answer in run.answers), key=attrgetter("id"))
    return mean_by_query(
        (answer.id, answer.answer.verdicts[judge])
        for answer in answers
        if judge in answer.answer.verdicts
    )


def _ranks(means: Mapping[str, float]) -> dict[str, int]:
    """Return the rank of each system from 1; equal means share a rank."""
    return {
        system: 1 + sum(other > mean + SAME for other in means.values())
        for system, mean in means.items()
    }


def _over_repeats(runs: Sequence[MatchedAnswers], judge: str) -> float | None:
    """Return 1.96 standard errors of the mean over repeats; None for a single run."""
    means = [fmean(values.values()) for run in runs if (values := _values([run], judge))]
    return NORMAL * stdev(means) / sqrt(len(means)) if len(means) > 1 else None


def test_pairs(values: Mapping[str, Values]) -> tuple[SystemPair, ...]:
    """Test each pair of systems over the questions that both answered, if there are any.

    Raises:
        UsageError: There are more than `MOST_PAIRS` pairs.
    """
    if (pairs := comb(len(values), 2)) > MOST_PAIRS:
        raise UsageError(
            f"an audit tests every pair of systems, and {len(values):,} systems make {pairs:,} "
            f"pairs; the maximum is {MOST_PAIRS:,}, so name fewer files at once"
        )
    named, differences = [], []
    for first, second in combinations(values, 2):
        common = [query for query in values[first] if query in values[second]]
        if common:
            gaps = [values[first][query] - values[second][query] for query in common]
            named.append((first, second))
            differences.append(mean_ratio(np.array(gaps)))
    tests = paired_tests(differences, resamples=RESAMPLES, seed=SEED)
    corrected = holm([test.p_value for test in tests])
    return tuple(
        SystemPair(first, second, test.difference, test.p_value, p_holm)
        for (first, second), test, p_holm in zip(named, tests, corrected, strict=True)
    )
