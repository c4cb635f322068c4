"""Ranks by paired tests: which systems differ beyond chance, and which share a rank."""

from collections.abc import Mapping, Sequence
from random import Random

import pytest

from remem.apps.referee.leaderboards.leaderboard import Traded, pareto_front
from remem.apps.referee.leaderboards.ranks import Answers, RankRules, ScoredAnswer, rank_systems

HIGHER = RankRules("higher", "questions", 999, 0)
LOWER = RankRules("lower", "questions", 999, 0)


def answers(scores: Sequence[float], clusters: Sequence[str] = ()) -> Answers:
    """Return the scores of questions q0, q1, ..., each in a cluster of its own by default."""
    names = clusters or [f"c{at}" for at in range(len(scores))]
    return {
        f"q{at}": ScoredAnswer(score, name)
        for at, (score, name) in enumerate(zip(scores, names, strict=True))
    }


def share(right: int, of: int) -> Answers:
    """Return `right` right answers, followed by wrong ones, `of` in all."""
    return answers([1.0] * right + [0.0] * (of - right))


def test_a_lower_score_can_be_the_better_one() -> None:
    systems = [share(90, 100), share(88, 100), share(30, 100)]
    assert rank_systems(systems, LOWER).ranks == (2, 2, 1)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_the_order_of_the_systems_changes_no_rank(order: tuple[int, ...]) -> None:
    systems = [share(90, 100), share(60, 100), share(30, 100)]
    found = rank_systems([systems[place] for place in order], HIGHER)
    assert [found.ranks[order.index(place)] for place in range(3)] == [1, 2, 3]


def test_only_common_questions_count() -> None:
    """Both systems are equal on their common questions; the other questions must not count."""
    easy = {f"easy{at}": ScoredAnswer(1.0, f"e{at}") for at in range(200)}
    assert rank_systems([{**share(10, 20), **easy}, share(10, 20)], HIGHER).ranks == (1, 1)


def test_systems_without_a_common_question_are_not_compared() -> None:
    other = {"other": ScoredAnswer(0.0, "c")}
    found = rank_systems([share(20, 20), other], HIGHER)
    assert (found.ranks, found.tests, found.apart) == ((1, 1), 0, 1)


def test_one_system_alone_is_first() -> None:
    assert rank_systems([share(1, 2)], HIGHER).ranks == (1,)


def test_clusters_are_drawn_whole() -> None:
    """The 100 differences come from two clusters, which are too few to show anything."""
    clusters = ["a"] * 50 + ["b"] * 50
    systems = [answers([1.0] * 60 + [0.0] * 40, clusters), answers([0.0] * 100, clusters)]
    assert rank_systems(systems, HIGHER).ranks == (1, 2)
    clustered = RankRules("higher", "clusters", 999, 0)
    assert rank_systems(systems, clustered).ranks == (1, 1)


def test_holm_corrects_for_all_pairs_of_the_group() -> None:
    """Six more right answers of 60 give p = 0.03 in a single test, too large for 15 pairs."""
    better, worse = share(6, 60), share(0, 60)
    assert rank_systems([better, worse], HIGHER).ranks == (1, 2)
    draw = Random(1)
    others: list[Mapping[str, ScoredAnswer]] = [
        answers([float(draw.random() < 0.05) for _ in range(60)]) for _ in range(4)
    ]
    assert rank_systems([better, worse, *others], HIGHER).ranks[1] == 1


def test_the_front_has_the_systems_that_no_other_beats() -> None:
    points = [Traded(0.9, 5), Traded(0.5, 1), Traded(0.5, 2), Traded(0.5, 1), Traded(0.9, 6)]
    assert pareto_front(points) == [True, True, False, True, False]
    assert pareto_front([]) == []
