"""Prediction-powered means, against ppi_py 0.2.3 (its ppi_mean_pointestimate and ppi_mean_ci)."""

import numpy as np
import pytest

from remem.apps.referee.judges.prediction_powered import best_weight, prediction_powered_mean

LABELS = np.array([1, 0, 1, 1, 0, 0, 1, 0], dtype=np.float64)
VERDICTS = np.array([1, 0, 1, 0, 0, 1, 1, 0], dtype=np.float64)
FURTHER = np.array([1, 1, 0, 1, 0, 1, 0, 0, 1, 1, 1, 0], dtype=np.float64)


@pytest.mark.parametrize(
    ("weight", "mean", "low", "high"),
    [
        (1.0, 0.58333333, 0.13852673, 1.02813994),
        (None, 0.5239899, 0.20479731, 0.84318249),
        (0.0, 0.5, 0.15352404, 0.84647596),
    ],
)
def test_the_mean_and_its_interval_are_those_of_ppi_py(
    weight: float | None, mean: float, low: float, high: float
) -> None:
    found = prediction_powered_mean(LABELS, VERDICTS, FURTHER, weight)
    assert (found.mean, found.low, found.high) == pytest.approx((mean, low, high), abs=1e-7)


def test_verdicts_that_say_nothing_have_no_weight() -> None:
    ones = np.ones(4)
    assert best_weight(np.array([0.0, 1.0, 0.0, 1.0]), ones, ones) == 0.0
    assert best_weight(np.array([0.0, 1.0]), np.array([1.0, 0.0]), np.array([0.0, 1.0])) == 0.0


@pytest.mark.parametrize(
    ("labels", "verdicts", "further"),
    [
        (LABELS, VERDICTS[:3], FURTHER),
        (LABELS[:0], VERDICTS[:0], FURTHER),
        (LABELS, VERDICTS, FURTHER[:0]),
    ],
)
def test_missing_labels_or_verdicts_are_an_error(
    labels: np.ndarray, verdicts: np.ndarray, further: np.ndarray
) -> None:
    with pytest.raises(ValueError, match="expected at least one label, a verdict for each"):
        prediction_powered_mean(labels, verdicts, further)
