"""The weights of the likelihood judge, fitted on published verdicts.

docs/apps/small_model/small_models.md describes the fit.
"""

from dataclasses import dataclass

import numpy as np

from remem.judge.rules_judge import AnswerFeatures


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """The weights of features; an answer whose score is at least `threshold` is right.

    `model` is the model whose likelihoods the weights were fitted on.
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
