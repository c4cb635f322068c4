"""The variance due to the judge and that due to the answers, by hand and on drawn verdicts."""

import numpy as np
import pytest

from remem.metrics.intervals import variance_parts


def test_a_judge_that_flips_on_one_answer_of_two():
    # variances over the repeats: 0.5 (1 and 0) and 0, mean 0.25; sd of the mean of two questions
    found = variance_parts(np.array([[[1.0, 0.0]], [[1.0, 1.0]]]))
    assert (found.questions, found.runs, found.repeats) == (2, 1, 2)
    assert found.judge == 0.25
    assert found.judge_sd == pytest.approx((0.25 / 2) ** 0.5)
    assert found.flipped == 0.5
    assert (found.answers, found.answers_sd) == (None, None)


def test_a_judge_without_noise_leaves_all_to_the_answers():
    # the means of the two answers are 1 and 0: their variance is 0.5
    found = variance_parts(np.array([[[1.0, 1.0], [0.0, 0.0]]]))
    assert (found.judge, found.answers, found.flipped) == (0.0, 0.5, 0.0)
    assert found.answers_sd == pytest.approx(0.5**0.5)


def test_the_parts_that_were_drawn_are_found():
    rng = np.random.default_rng(0)
    question = rng.normal(0, 1, size=(2_000, 1, 1))
    answer = rng.normal(0, 0.5, size=(2_000, 4, 1))
    found = variance_parts(question + answer + rng.normal(0, 0.3, size=(2_000, 4, 3)))
    assert found.judge == pytest.approx(0.09, rel=0.05)
    assert found.answers == pytest.approx(0.25, rel=0.05)


def test_one_verdict_on_each_answer_says_nothing_of_the_judge():
    with pytest.raises(ValueError, match=r"2 verdicts; set judge\.repeats"):
        variance_parts(np.ones((3, 2, 1)))
