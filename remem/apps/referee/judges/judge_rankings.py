"""The order in which each judge ranks the systems, and how similar these orders are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from remem.apps.referee.judges.judged_answers import JudgedAnswer, JudgeRule
from remem.apps.referee.judges.question_draws import DrawnInterval, QuestionDraws, drawn_interval
from remem.apps.referee.rank_correlation import SAME, tau_b
from remem.metrics.intervals import Floats

Scores = Mapping[tuple[str, str], float]
"""The score of an answer, by run and question."""


@dataclass(frozen=True, slots=True)
class SystemScore:
    """The score and the rank of a system by one judge, with the 95% range of the rank.

    Systems with the same score share the best of their ranks. The range is over draws of questions.
    """

    system: str
    score: DrawnInterval
    rank: int
    best_rank: int
    worst_rank: int
    n: int


@dataclass(frozen=True, slots=True)
class JudgeRanking:
    """The systems in the order of their scores by one judge."""

    name: str
    systems: tuple[SystemScore, ...]


@dataclass(frozen=True, slots=True)
class RankingPair:
    """How similar two orders of the systems are, over the answers that both judges have judged.

    There are `pairs` pairs of systems; `swapped` lists those that the two judges order differently.
    `same_first` is the share of draws of questions in which both judges rank the same system first.
    If systems tie for the first rank, all of them are first.
    """

    reference: str
    other: str
    answers: int
    tau: DrawnInterval
    swapped: tuple[tuple[str, str], ...]
    pairs: int
    same_first: float


def scores_by(rule: JudgeRule, answers: Sequence[JudgedAnswer]) -> dict[tuple[str, str], float]:
    """Return the score of each answer that a judge has judged."""
    scored = ((answer.key, rule.score(answer)) for answer in answers)
    return {key: score for key, score in scored if score is not None}


def ranking(name: str, answers: Sequence[JudgedAnswer], scores: Scores) -> JudgeRanking:
    """Return the systems by their mean score, best first.

    Args:
        name: The name of the scores.
        answers: The answers of all systems.
        scores: The scores by run and question; answers without a score do not count.
    """
    scored = [answer for answer in answers if answer.key in scores]
    systems, drawn = drawn_means(scored, scores)
    ranks = drawn_ranks(drawn)
    low, high = np.percentile(ranks[1:], [2.5, 97.5], axis=0, method="nearest")
    ranked_systems = [
        SystemScore(
            system,
            drawn_interval(drawn[:, at]),
            int(ranks[0, at]),
            int(low[at]),
            int(high[at]),
            sum(answer.system == system for answer in scored),
        )
        for at, system in enumerate(systems)
    ]
    return JudgeRanking(name, tuple(sorted(ranked_systems, key=lambda row: (row.rank, row.system))))


def compare_rankings(
    answers: Sequence[JudgedAnswer], reference: tuple[str, Scores], other: tuple[str, Scores]
) -> RankingPair | None:
    """Compare two judges' orders; None if fewer than two systems have answers judged by both."""
    (name, ours), (other_name, theirs) = reference, other
    both = [answer for answer in answers if answer.key in ours and answer.key in theirs]
    if len({answer.system for answer in both}) < 2:
        return None
    systems, first = drawn_means(both, ours)
    _, second = drawn_means(both, theirs)
    return RankingPair(
        reference=name,
        other=other_name,
        answers=len(both),
        tau=drawn_interval(tau_b(first, second)),
        swapped=tuple(
            (systems[at], systems[to])
            for at, to in combinations(range(len(systems)), 2)
            if _gap(first, at, to) * _gap(second, at, to) < 0
        ),
        pairs=len(systems) * (len(systems) - 1) // 2,
        same_first=float(
            (_first_of_rows(first[1:]) & _first_of_rows(second[1:])).any(axis=1).mean()
        ),
    )


def drawn_means(answers: Sequence[JudgedAnswer], scores: Scores) -> tuple[tuple[str, ...], Floats]:
    """Return the systems, and the mean of each in the sample and in each draw of questions.

    If a draw has no question that a system answered, the mean of the system is 0, the lowest
    possible.
    """
    systems = tuple(sorted({answer.system for answer in answers}))
    draws = QuestionDraws.of([answer.query_id for answer in answers])
    columns = {system: at for at, system in enumerate(systems)}
    values, counts = np.zeros((2, len(answers), len(systems)))
    for row, answer in enumerate(answers):
        values[row, columns[answer.system]] = scores[answer.key]
        counts[row, columns[answer.system]] = 1
    questions = [answer.query_id for answer in answers]
    tops, bottoms = draws.sums(values, questions), draws.sums(counts, questions)
    means: Floats = np.divide(tops, bottoms, out=np.zeros_like(tops), where=bottoms > 0)
    return systems, means


def drawn_ranks(means: Floats) -> Floats:
    """Return the ranks of the systems in each row of means: 1 plus the number of better systems."""
    better = means[:, np.newaxis, :] > means[:, :, np.newaxis] + SAME
    ranks: Floats = 1.0 + better.sum(axis=2)
    return ranks


def _first_of_rows(means: Floats) -> NDArray[np.bool_]:
    """Return, for each row, which systems are first."""
    first: NDArray[np.bool_] = drawn_ranks(means) == 1
    return first


def _gap(means: Floats, at: int, to: int) -> float:
    gap = float(means[0, at] - means[0, to])
    return 0.0 if abs(gap) < SAME else gap
