"""Rank systems by paired tests; systems without a significant difference can share a rank.

The rank of a system is 1 plus the number of systems that are significantly better. Every pair of
systems is compared by the paired bootstrap on the questions for which both have a score. Holm's
correction covers all these pairs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from remem.metrics.convention import BootstrapUnit
from remem.metrics.paired import LEVEL, holm, paired_tests
from remem.results.compare import Pair, differences


@dataclass(frozen=True, slots=True)
class ScoredAnswer:
    """The score of an answer, and the cluster of its question."""

    score: float
    cluster: str


Answers = Mapping[str, ScoredAnswer]
"""The scores of a system by question id."""


@dataclass(frozen=True, slots=True)
class RankRules:
    """The rules of a ranking: whether higher scores are better, and how to resample."""

    better: Literal["higher", "lower"]
    unit: BootstrapUnit
    resamples: int
    seed: int


@dataclass(frozen=True, slots=True)
class SystemRanks:
    """The rank of each system.

    `tests` counts the compared pairs. `apart` counts the pairs without a common question, which
    cannot be compared and do not change a rank.
    """

    ranks: tuple[int, ...]
    tests: int
    apart: int


def rank_systems(systems: Sequence[Answers], rules: RankRules) -> SystemRanks:
    """Rank each system by the number of others that are significantly better."""
    pairs = {
        places: paired
        for places in combinations(range(len(systems)), 2)
        if (paired := _pairs(*(systems[place] for place in places)))
    }
    tests = paired_tests(
        [differences(paired, rules.unit) for paired in pairs.values()],
        resamples=rules.resamples,
        seed=rules.seed,
    )
    corrected = holm([test.p_value for test in tests])
    ranks = [1] * len(systems)
    for (first, second), test, p_value in zip(pairs, tests, corrected, strict=True):
        if p_value >= LEVEL or not test.difference.mean:
            continue
        first_wins = (test.difference.mean > 0) == (rules.better == "higher")
        ranks[second if first_wins else first] += 1
    every = len(systems) * (len(systems) - 1) // 2
    return SystemRanks(tuple(ranks), tests=len(pairs), apart=every - len(pairs))


def _pairs(first: Answers, second: Answers) -> list[Pair]:
    """Return the scores of the common questions, in an order that depends only on their ids."""
    common = sorted(first.keys() & second.keys())
    return [Pair(first[id].score, second[id].score, first[id].cluster) for id in common]
