"""The weights of the likelihood judge, and how they are fitted on published verdicts.

The model is a logistic regression over `AnswerFeatures`, with a ridge penalty on the weights of
standardised features. Its quality is measured on questions that were left out of the fit.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from remem.judge.answer_features import AnswerFeatures
from remem.metrics.agreement import ranks

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

PENALTY = 1.0
STEPS = 50
NARROWEST = 1e-9
THRESHOLDS = tuple(0.25 * step for step in range(-8, 9))


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
        """Return the logit that an answer is right."""
        weights = (self.log_ratio, self.recall, self.no_answer, self.contradicts)
        return self.intercept + float(np.dot(weights, features.values))


@dataclass(frozen=True, slots=True)
class Labelled:
    """Answers with published verdicts: arrays of one row each."""

    features: Floats
    right: Flags
    questions: Sequence[str]
    sets: Sequence[str]


def fitted(data: Labelled) -> Floats:
    """Return the intercept and the weights; each set of answers has the same total weight.

    Raises:
        ValueError: All answers are right, or all are wrong.
    """
    if data.right.all() or not data.right.any():
        raise ValueError("all answers have the same verdict, so there is nothing to fit")
    means = data.features.mean(axis=0)
    spreads = np.maximum(data.features.std(axis=0), NARROWEST)
    found = _newton((data.features - means) / spreads, data.right, _row_weights(data.sets))
    weights = found[1:] / spreads
    return np.concatenate(([found[0] - weights @ means], weights))


def left_out_scores(data: Labelled) -> Floats:
    """Return the score of each answer under the weights fitted without its question."""
    questions = np.asarray(data.questions)
    scores = np.zeros(len(questions))
    for question in sorted(set(data.questions)):
        out = questions == question
        weights = fitted(_rows(data, ~out))
        scores[out] = weights[0] + data.features[out] @ weights[1:]
    return scores


def best_threshold(scores: Floats, right: Flags, sets: Sequence[str]) -> float:
    """Return the threshold with the most published verdicts, as a mean over the sets.

    Only multiples of 0.25 are tried, because finer steps would fit single answers. If several
    thresholds are equally good, the lowest is returned.
    """
    names = np.asarray(sets)

    def agreement(threshold: float) -> float:
        same = (scores >= threshold) == right
        return float(np.mean([same[names == name].mean() for name in sorted(set(sets))]))

    return float(max(THRESHOLDS, key=agreement))


def auc(scores: Floats, right: Flags) -> float:
    """Return how often a right answer scores above a wrong answer; a tie counts one half.

    >>> auc(np.array([3.0, 1.0, 2.0]), np.array([True, False, False]))
    1.0
    """
    rights = int(right.sum())
    wrongs = right.size - rights
    if not rights or not wrongs:
        raise ValueError("AUC needs right and wrong answers")
    above = float(ranks(scores)[right].sum()) - rights * (rights + 1) / 2
    return above / (rights * wrongs)


def drawn_rows(questions: Sequence[str], generator: np.random.Generator) -> NDArray[np.intp]:
    """Return the rows of n questions drawn with replacement, where n is the number of questions."""
    names = np.asarray(questions)
    clusters = [np.flatnonzero(names == name) for name in sorted(set(questions))]
    drawn = generator.integers(len(clusters), size=len(clusters))
    return np.concatenate([clusters[place] for place in drawn])


def _row_weights(sets: Sequence[str]) -> Floats:
    names = np.asarray(sets)
    counts = {name: int((names == name).sum()) for name in set(sets)}
    return np.array([names.size / len(counts) / counts[name] for name in sets])


def _rows(data: Labelled, kept: Flags) -> Labelled:
    return Labelled(
        features=data.features[kept],
        right=data.right[kept],
        questions=[question for question, is_in in zip(data.questions, kept, strict=True) if is_in],
        sets=[data_set for data_set, is_in in zip(data.sets, kept, strict=True) if is_in],
    )


def _newton(features: Floats, right: Flags, row_weights: Floats) -> Floats:
    """Minimise the weighted log-loss plus half the penalty times the squared weights."""
    rows = np.column_stack((np.ones(len(features)), features))
    penalty = np.full(rows.shape[1], PENALTY)
    penalty[0] = 0.0
    weights = np.zeros(rows.shape[1])
    for _ in range(STEPS):
        likely = 1 / (1 + np.exp(-(rows @ weights)))
        slope = rows.T @ (row_weights * (likely - right)) + penalty * weights
        bend = (rows.T * (row_weights * likely * (1 - likely))) @ rows + np.diag(penalty)
        step = np.linalg.solve(bend, slope)
        weights = weights - step
        if np.abs(step).max() < NARROWEST:
            break
    return weights
