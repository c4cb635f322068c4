"""The score of the likelihood judge."""

from remem.apps.small_model.calibration import Calibration
from remem.judge.rules_judge import AnswerFeatures

WEIGHTS = Calibration(
    model="m",
    intercept=1.0,
    log_ratio=2.0,
    recall=3.0,
    no_answer=-4.0,
    contradicts=-8.0,
    threshold=0.0,
)


def test_the_score_is_the_weighted_sum_of_the_features() -> None:
    features = AnswerFeatures(log_ratio=0.5, recall=1.0, no_answer=1.0, contradicts=0.0)
    assert WEIGHTS.score(features) == 1.0 + 1.0 + 3.0 - 4.0
