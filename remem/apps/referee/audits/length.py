"""Measure whether a judge prefers long answers, from pairs of answers to the same question."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from remem.apps.referee.imports.aggregates import RESAMPLES, SEED
from remem.apps.referee.imports.census import RIGHT_FROM
from remem.metrics.intervals import Interval, Ratio, ratio_intervals


@dataclass(frozen=True, slots=True)
class JudgedLength:
    """An answer of a system: its question, its number of words, and its verdict."""

    system: str
    query_id: str
    words: int
    verdict: float


@dataclass(frozen=True, slots=True)
class LengthEffect:
    """How often a judge that accepts only one of two answers accepts the longer one.

    A pair is two answers of different lengths to the same question, by two systems of the same
    source. `pairs` counts the pairs of which the judge accepts only one answer. `longer_accepted`
    is the share of these pairs in which the accepted answer is the longer one, with an interval
    over questions; 0.5 means no effect.
    """

    source: str
    dataset: str
    judge: str
    pairs: int
    longer_accepted: Interval


def length_effect(
    source: str, dataset: str, judge: str, answers: Sequence[JudgedLength]
) -> LengthEffect | None:
    """Return the effect of length on a judge's verdicts; None if no pair of answers counts."""
    by_question: defaultdict[str, list[JudgedLength]] = defaultdict(list)
    for answer in answers:
        by_question[answer.query_id].append(answer)
    longer, pairs = [], []
    for of_question in by_question.values():
        differing = [pair for pair in combinations(of_question, 2) if _differ(*pair)]
        if differing:
            longer.append(sum(_longer_is_accepted(*pair) for pair in differing))
            pairs.append(len(differing))
    if not pairs:
        return None
    ratio = Ratio(np.array(longer, dtype=np.float64), np.array(pairs, dtype=np.float64))
    (interval,) = ratio_intervals([ratio], resamples=RESAMPLES, seed=SEED)
    return LengthEffect(source, dataset, judge, sum(pairs), interval)


def _differ(first: JudgedLength, second: JudgedLength) -> bool:
    return (
        first.system != second.system
        and first.words != second.words
        and _is_right(first) != _is_right(second)
    )


def _longer_is_accepted(first: JudgedLength, second: JudgedLength) -> bool:
    return _is_right(max(first, second, key=lambda answer: answer.words))


def _is_right(answer: JudgedLength) -> bool:
    return answer.verdict >= RIGHT_FROM
