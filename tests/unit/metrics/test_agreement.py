"""Agreement by hand and against the paper's own human evaluation."""

import numpy as np
import pytest

from remem.metrics.agreement import agreement


def test_the_papers_hundred_verdicts_give_the_papers_correlation():
    # Both yes on 68, the judge alone on 4, the person alone on 3, neither on 25: 93 agree, the
    # means are .72 and .71, and Pearson of two yes-or-no scores is phi = Spearman.
    judge = [1.0] * 72 + [0.0] * 28
    person = [1.0] * 68 + [0.0] * 4 + [1.0] * 3 + [0.0] * 25
    found = agreement(judge, person)
    phi = (68 * 25 - 4 * 3) / (72 * 28 * 71 * 29) ** 0.5
    assert (found.mean, found.label_mean, found.n) == (0.72, 0.71, 100)
    assert found.pearson == pytest.approx(phi)
    assert found.spearman == pytest.approx(phi)
    # by chance .72 * .71 + .28 * .29 = .5924, so kappa = (.93 - .5924) / .4076
    assert found.kappa == pytest.approx(0.3376 / 0.4076)
    assert (found.agreed, found.too_kind, found.too_strict) == (93, 4, 3)


def test_correlations_are_those_of_scipy():
    from scipy.stats import pearsonr, spearmanr

    rng = np.random.default_rng(0)
    scores = np.round(rng.random(50), 1)  # with ties
    labels = (scores + rng.normal(0, 0.4, size=50) > 0.5).astype(float)
    found = agreement(scores.tolist(), labels.tolist())
    assert found.pearson == pytest.approx(pearsonr(scores, labels).statistic)
    assert found.spearman == pytest.approx(spearmanr(scores, labels).statistic)
    assert (found.kappa, found.agreed, found.too_kind, found.too_strict) == (None,) * 4


def test_a_judge_who_says_yes_to_all_has_no_correlation_and_agrees_by_chance_alone():
    found = agreement([1, 1, 1, 1], [1, 1, 0, 1])
    assert (found.pearson, found.spearman, found.kappa) == (None, None, 0.0)
    assert (found.agreed, found.too_kind, found.too_strict) == (3, 1, 0)
    assert agreement([1, 1], [1, 1]).kappa is None


@pytest.mark.parametrize(("scores", "labels"), [([], []), ([1.0], [1.0, 0.0])])
def test_as_many_labels_as_scores_are_needed(scores, labels):
    with pytest.raises(ValueError, match="expected one score for each label"):
        agreement(scores, labels)
