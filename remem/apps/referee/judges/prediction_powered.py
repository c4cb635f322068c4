"""Estimate a mean from many verdicts of a judge and few labels: prediction-powered inference.

PPI is Angelopoulos et al. (2023), arXiv 2301.09633; PPI++ (arXiv 2311.01453) adds the weight of the
verdicts. Answers must be independent, and the labelled ones a random sample of all.
"""

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from remem.metrics.intervals import Floats

Z = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True, slots=True)
class PoweredMean:
    """A mean with its 95% interval; `weight` is the weight of the verdicts, from 0 (unused) to 1.

    The interval is not limited to [0, 1].
    """

    mean: float
    low: float
    high: float
    weight: float


def prediction_powered_mean(
    labels: Floats, verdicts: Floats, further: Floats, weight: float | None = None
) -> PoweredMean:
    """Estimate the mean label of all answers.

    Args:
        labels: The labels, of shape (n,).
        verdicts: The judge's verdicts on the labelled answers, of shape (n,).
        further: The judge's verdicts on the other answers, of shape (N,).
        weight: The weight of the verdicts: 1 is PPI, 0 uses only the labels, and None chooses the
            weight with the least variance (PPI++).

    Raises:
        ValueError: There are no labels or no further verdicts, or the numbers of labels and
            verdicts differ.
    """
    if labels.shape != verdicts.shape or not labels.size or not further.size:
        raise ValueError(
            f"found {labels.size} labels, {verdicts.size} verdicts on the labelled answers and "
            f"{further.size} further verdicts; expected at least one label, a verdict for each "
            f"label, and at least one further verdict"
        )
    chosen = best_weight(labels, verdicts, further) if weight is None else weight
    left = labels - chosen * verdicts
    mean = float(chosen * further.mean() + left.mean())
    variance = chosen**2 * further.var() / further.size + left.var() / left.size
    half = Z * float(np.sqrt(variance))
    return PoweredMean(mean, mean - half, mean + half, chosen)


def best_weight(labels: Floats, verdicts: Floats, further: Floats) -> float:
    """Return the weight of the verdicts that gives the least variance, limited to [0, 1].

    It is cov(label, verdict) / ((1 + n/N) var(verdict)). The variance is over all verdicts, as in
    the authors' ppi_py.
    """
    spread = float(np.concatenate((verdicts, further)).var(ddof=1))
    if spread == 0:
        return 0.0
    together = float(((labels - labels.mean()) * (verdicts - verdicts.mean())).mean())
    return min(max(together / ((1 + labels.size / further.size) * spread), 0.0), 1.0)
