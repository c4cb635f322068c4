"""Sensitivity, specificity and the corrected share, against hand-worked and published formulas."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.apps.referee.judges.judge_error import Corrected, JudgeError, corrected_share

COUNTS = st.integers(0, 40)


def test_sensitivity_and_specificity_have_wilson_intervals() -> None:
    error = JudgeError(accepted_right=9, right=10, accepted_wrong=4, wrong=20)
    assert error.sensitivity is not None and error.specificity is not None
    assert error.sensitivity.mean == 0.9
    assert error.specificity.mean == 0.8
    # Wilson by hand: (.9 + .19207) / 1.38415 -+ sqrt(.09 * .38415 + .14757 / 4) / 1.38415
    assert (error.sensitivity.low, error.sensitivity.high) == pytest.approx(
        (0.5958, 0.9821), abs=1e-4
    )


def test_without_right_or_wrong_answers_there_is_no_rate() -> None:
    assert JudgeError(0, 0, 1, 2).sensitivity is None
    assert JudgeError(1, 2, 0, 0).specificity is None
    assert not JudgeError(1, 2, 0, 0).informs


@pytest.mark.parametrize(
    ("accepted", "n", "error", "expected"),
    [  # by the formula of R's asht::prevSeSp, typed in anew
        (50, 100, JudgeError(36, 40, 5, 50), (0.5, 0.3525518, 0.6565005)),
        (60, 200, JudgeError(45, 50, 16, 80), (0.1428571, 0.0, 0.2775167)),
    ],
)
def test_the_corrected_share_has_the_interval_of_lang_and_reiczigel(
    accepted: int, n: int, error: JudgeError, expected: tuple[float, float, float]
) -> None:
    found = corrected_share(accepted, n, error)
    assert found is not None
    assert (found.mean, found.low, found.high) == pytest.approx(expected, abs=1e-6)
    assert not found.clamped


def test_an_estimate_below_zero_is_set_to_zero_and_says_so() -> None:
    found = corrected_share(10, 100, JudgeError(45, 50, 10, 50))  # (.1 - .2) / .7
    assert found == Corrected(0.0, 0.0, pytest.approx(0.0362027, abs=1e-6), clamped=True)


@pytest.mark.parametrize("error", [JudgeError(5, 10, 10, 20), JudgeError(4, 10, 10, 20)])
def test_a_judge_that_accepts_wrong_answers_as_often_as_right_ones_gives_no_estimate(
    error: JudgeError,
) -> None:
    assert not error.informs
    assert corrected_share(50, 100, error) is None


@given(COUNTS, COUNTS, COUNTS, COUNTS, st.integers(1, 60), st.data())
def test_the_estimate_lies_in_its_interval_and_both_in_the_unit_interval(
    accepted_right: int,
    rejected_right: int,
    accepted_wrong: int,
    rejected_wrong: int,
    n: int,
    data: st.DataObject,
) -> None:
    accepted = data.draw(st.integers(0, n))
    right, wrong = accepted_right + rejected_right, accepted_wrong + rejected_wrong
    error = JudgeError(accepted_right, right, accepted_wrong, wrong)
    found = corrected_share(accepted, n, error)
    if found is not None:
        assert 0 <= found.low <= found.mean <= found.high <= 1


def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(0)
    truth, covered = 0.4, 0
    for _ in range(500):
        accepted = int(rng.binomial(200, truth * 0.9 + (1 - truth) * 0.15))
        error = JudgeError(int(rng.binomial(60, 0.9)), 60, int(rng.binomial(60, 0.15)), 60)
        found = corrected_share(accepted, 200, error)
        assert found is not None
        covered += found.low <= truth <= found.high
    assert 0.92 <= covered / 500 <= 0.98
