"""Find the formula that turns a judge's verdict and some checks into a published score."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod

import numpy as np

from remem.apps.referee.imports.imported import ImportedAnswer

EXACT = 1e-6
"""The largest difference of a score from its formula, as a share."""
LEAST_ANSWERS = 10
"""Fewer answers with a verdict above 0 do not show a formula."""
MOST_CHECKS, MOST_KNOWN = 4, 12
"""The most checks of a formula, and the most that are tried."""


@dataclass(frozen=True, slots=True)
class Factor:
    """Checks that fail for the same answers, with one factor for all of them.

    If the checks fail, the verdict is multiplied by `factor`. `failing` is the number of answers
    for which they fail.
    """

    checks: tuple[str, ...]
    factor: float
    failing: int


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula: a score is the judge's verdict times the factor of each check that fails.

    `answers` is the number of answers; the formula gives the score of each, up to rounding.
    """

    score: str
    judge: str
    factors: tuple[Factor, ...]
    answers: int

    @property
    def cap(self) -> float:
        """Return the highest possible score, given the checks that fail for all answers."""
        return prod(factor.factor for factor in self.factors if factor.failing == self.answers)


def find_formula(answers: Sequence[ImportedAnswer], score: str, judge: str) -> Formula | None:
    """Return the formula with the fewest checks for a score; None if no formula fits all answers.

    The factors are those of a least-squares fit of log(score / verdict), over the answers whose
    verdict is above 0. Checks that fail for the same answers are treated as one check.
    """
    stated = [answer for answer in answers if {score, judge} <= answer.verdicts.keys()]
    positive = [a for a in stated if min(a.verdicts[score], a.verdicts[judge]) > 0]
    if len(positive) < LEAST_ANSWERS:
        return None
    known = _checks(positive)
    for size in range(1, MOST_CHECKS + 1):
        for checks in combinations(known, size):
            factors = _factors(positive, checks, score, judge)
            fitting = sum(_fits(answer, score, judge, factors) for answer in stated)
            if fitting == len(stated):
                return _formula(
                    stated, score, judge, [(known[name], factors[name]) for name in checks]
                )
    return None


def _formula(
    answers: Sequence[ImportedAnswer],
    score: str,
    judge: str,
    factors: Sequence[tuple[list[str], float]],
) -> Formula:
    candidates = (
        Factor(tuple(names), value, sum(answer.flags.get(names[0]) is False for answer in answers))
        for names, value in factors
    )
    return Formula(score, judge, tuple(candidates), len(answers))


def _factors(
    answers: Sequence[ImportedAnswer], checks: Sequence[str], score: str, judge: str
) -> dict[str, float]:
    """Return, for each check, the factor that fits the scores best."""
    failed = np.array([[not answer.flags[name] for name in checks] for answer in answers], float)
    ratios = np.log([answer.verdicts[score] / answer.verdicts[judge] for answer in answers])
    fitted = np.linalg.lstsq(failed, ratios, rcond=None)[0]
    return {name: float(np.exp(value)) for name, value in zip(checks, fitted, strict=True)}


def _fits(answer: ImportedAnswer, score: str, judge: str, factors: Mapping[str, float]) -> bool:
    failed = [factor for name, factor in factors.items() if answer.flags.get(name) is False]
    return abs(answer.verdicts[judge] * prod(failed) - answer.verdicts[score]) <= EXACT


def _checks(answers: Sequence[ImportedAnswer]) -> dict[str, list[str]]:
    """Return the checks that all answers state, grouped by the answers that fail them."""
    common = set.intersection(*(set(answer.flags) for answer in answers))
    by_failing: defaultdict[tuple[bool, ...], list[str]] = defaultdict(list)
    for name in sorted(common):
        if all(isinstance(answer.flags[name], bool) for answer in answers):
            failing = tuple(not answer.flags[name] for answer in answers)
            if any(failing):
                by_failing[failing].append(name)
    return {names[0]: names for names in list(by_failing.values())[:MOST_KNOWN]}
