"""The weights of the likelihood judge, fitted on published verdicts.

docs/apps/small_model/small_models.md describes how they were fitted.
"""

from dataclasses import dataclass

import numpy as np

from remem.judge.rules_judge import AnswerFeatures


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """A weight for each feature; answers with a score of at least `threshold` are right.

    `model` is the model whose likelihoods were used for calibration.
    """

    model: str

    intercept: float
    log_ratio: float
    recall: float
    no_answer: float
    contradicts: float
    threshold: float

    def score(self, features: AnswerFeatures) -> float:
        """Return the logit of the probability that an answer is right."""
        weights = (self.log_ratio, self.recall, self.no_answer, self.contradicts)
        return self.intercept + float(np.dot(weights, features.values))
