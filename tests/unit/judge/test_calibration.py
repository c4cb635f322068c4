"""Fitting the likelihood judge: the optimum, what is left out, and the figures of merit."""

import numpy as np
import pytest

from remem.judge.answer_features import NAMES, AnswerFeatures
from remem.judge.calibration import (
    Calibration,
    Labelled,
    auc,
    best_threshold,
    drawn_rows,
    fitted,
    left_out_scores,
)

WEIGHTS = Calibration(
    model="m",
    intercept=1.0,
    log_ratio=2.0,
    recall=3.0,
    no_answer=-4.0,
    contradicts=-8.0,
    threshold=0.0,
)


def labelled(seed: int = 0, rows: int = 60) -> Labelled:
    generator = np.random.default_rng(seed)
    features = generator.normal(size=(rows, len(NAMES)))
    right = features[:, 0] + generator.normal(size=rows) > 0
    return Labelled(
        features=features,
        right=right,
        questions=[f"q{row // 3}" for row in range(rows)],
        sets=["a"] * (rows // 2) + ["b"] * (rows - rows // 2),
    )


def test_the_score_is_the_weighted_sum_of_the_features() -> None:
    features = AnswerFeatures(log_ratio=0.5, recall=1.0, no_answer=1.0, contradicts=0.0)
    assert WEIGHTS.score(features) == 1.0 + 1.0 + 3.0 - 4.0


def test_the_weights_are_those_of_a_minimiser_that_knows_nothing_of_newton() -> None:
    from scipy.optimize import minimize

    data = labelled()
    means, spreads = data.features.mean(axis=0), data.features.std(axis=0)
    rows = (data.features - means) / spreads
    signs = np.where(data.right, 1.0, -1.0)

    def loss(weights: np.ndarray) -> float:
        scores = weights[0] + rows @ weights[1:]
        return float(np.logaddexp(0, -signs * scores).sum() + (weights[1:] ** 2).sum() / 2)

    found = minimize(loss, np.zeros(5), tol=1e-10).x
    raw = found[1:] / spreads
    expected = [found[0] - raw @ means, *raw]
    assert fitted(data) == pytest.approx(expected, abs=1e-4)


def test_two_sets_of_answers_weigh_the_same_whatever_their_sizes() -> None:
    # One feature that tells nothing: the intercept is the logit of the mean of the sets' shares.
    right = np.array([True] * 30 + [True, False] * 5)
    data = Labelled(
        features=np.zeros((40, 1)),
        right=right,
        questions=[str(row) for row in range(40)],
        sets=["large"] * 30 + ["small"] * 10,
    )
    assert fitted(data)[0] == pytest.approx(np.log(0.75 / 0.25))


def test_a_question_is_scored_by_weights_that_have_not_seen_it() -> None:
    data = labelled()
    before = left_out_scores(data)
    flipped = data.right.copy()
    flipped[:3] = ~flipped[:3]  # the verdicts on q0
    after = left_out_scores(Labelled(data.features, flipped, data.questions, data.sets))
    assert after[:3] == pytest.approx(before[:3])
    assert after[3:] != pytest.approx(before[3:])


def test_verdicts_that_are_all_the_same_cannot_be_fitted() -> None:
    data = labelled()
    with pytest.raises(ValueError, match="the same verdict"):
        fitted(Labelled(data.features, np.ones(60, bool), data.questions, data.sets))


def test_auc_counts_pairs_and_ties_as_halves() -> None:
    # Of the four pairs two are in order, one is tied and one is not in order.
    scores, right = np.array([2.0, 1.0, 1.0, 0.0]), np.array([True, False, True, False])
    assert auc(scores, right) == 3.5 / 4
    with pytest.raises(ValueError, match="right and wrong"):
        auc(scores, np.ones(4, bool))


def test_the_threshold_is_the_lowest_of_those_with_most_agreement_over_the_sets() -> None:
    scores = np.array([0.3, 0.6, 0.9, 0.3, 0.3, 0.3])
    right = np.array([False, False, True, True, True, True])
    # Set a wants more than 0.6, set b at most 0.3: from 0.75 on a gains 2/3 and b loses all of 1.
    assert best_threshold(scores, right, ["a"] * 3 + ["b"] * 3) == -2.0
    assert best_threshold(scores[:3], right[:3], ["a"] * 3) == 0.75


def test_a_question_is_drawn_with_all_of_its_answers() -> None:
    questions = ["a", "b", "a", "c", "b", "a"]
    for seed in range(5):
        drawn = drawn_rows(questions, np.random.default_rng(seed)).tolist()
        for rows in ([0, 2, 5], [1, 4], [3]):
            assert len({drawn.count(row) for row in rows}) == 1
        counts = [drawn.count(row) for row in (0, 1, 3)]
        assert sum(counts) == 3
