"""Measure how often a judge errs, and correct the share of right answers (Rogan and Gladen, 1978).

The interval is that of Lang and Reiczigel (2014). It treats the judged answers, the right answers
and the wrong answers as three independent samples of independent answers.
"""

from dataclasses import dataclass
from statistics import NormalDist

from remem.metrics.intervals import Share, share

Z = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True, slots=True)
class JudgeError:
    """A judge's decisions on labelled answers.

    The judge accepted `accepted_right` of the `right` right answers, and `accepted_wrong` of the
    `wrong` wrong answers.
    """

    accepted_right: int
    right: int
    accepted_wrong: int
    wrong: int

    @property
    def sensitivity(self) -> Share | None:
        """The share of right answers that are accepted; None if there are no right answers."""
        return share(self.accepted_right, self.right) if self.right else None

    @property
    def specificity(self) -> Share | None:
        """The share of wrong answers that are rejected; None if there are no wrong answers."""
        return share(self.wrong - self.accepted_wrong, self.wrong) if self.wrong else None

    @property
    def informs(self) -> bool:
        """Whether right answers are accepted more often than wrong ones.

        Sensitivity and specificity then add up to more than 1. Otherwise the verdicts say nothing
        about the share of right answers.
        """
        return (
            self.right > 0
            and self.wrong > 0
            and self.accepted_right * self.wrong > self.accepted_wrong * self.right
        )


@dataclass(frozen=True, slots=True)
class Corrected:
    """A corrected share with its 95% interval.

    If the estimate was outside [0, 1], `clamped` is True and `mean` is 0 or 1.
    """

    mean: float
    low: float
    high: float
    clamped: bool


def corrected_share(accepted: int, n: int, error: JudgeError) -> Corrected | None:
    """Estimate the share of right answers among `n` answers, of which a judge accepted `accepted`.

    For the interval, every observed share is moved a little towards 1/2: z² answers are added to
    the judged answers, two to the right answers and two to the wrong ones, and half of the added
    answers count as accepted. The delta method gives the variance. The centre of the interval is
    the estimate from these shares plus a correction.

    Args:
        accepted: The number of accepted answers.
        n: The number of judged answers.
        error: How the judge decides on answers whose truth is known.

    Returns:
        The corrected share; None if the judge does not tell right answers from wrong ones.
    """
    observed, sensitivity, specificity = share(accepted, n), error.sensitivity, error.specificity
    if sensitivity is None or specificity is None or not error.informs:
        return None
    raw = _rogan_gladen(observed.mean, sensitivity.mean, specificity.mean)
    low, high = _lang_reiczigel(accepted, n, error)
    mean = min(max(raw, 0.0), 1.0)
    # An estimate at a limit lies outside an interval that was moved towards 1/2.
    return Corrected(mean, min(low, mean), max(high, mean), clamped=mean != raw)


def _rogan_gladen(accepted: float, sensitivity: float, specificity: float) -> float:
    """Return the Rogan-Gladen estimate, which may be outside [0, 1].

    >>> round(_rogan_gladen(0.5, 0.9, 0.8), 4)
    0.4286
    """
    return (accepted + specificity - 1) / (sensitivity + specificity - 1)


def _lang_reiczigel(accepted: int, n: int, error: JudgeError) -> tuple[float, float]:
    """Return the interval of Lang and Reiczigel (2014), their equations 15 to 17."""
    answers, right, wrong = n + Z**2, error.right + 2, error.wrong + 2
    observed = (accepted + Z**2 / 2) / answers
    sensitivity = (error.accepted_right + 1) / right
    specificity = (error.wrong - error.accepted_wrong + 1) / wrong
    told_apart = sensitivity + specificity - 1
    if told_apart <= 0:
        return 0.0, 1.0
    estimate = (observed + specificity - 1) / told_apart
    of_right = sensitivity * (1 - sensitivity) / right
    of_wrong = specificity * (1 - specificity) / wrong
    shift = 2 * Z**2 * (estimate * of_right - (1 - estimate) * of_wrong)
    variance = (
        observed * (1 - observed) / answers
        + estimate**2 * of_right
        + (1 - estimate) ** 2 * of_wrong
    )
    half = Z * variance**0.5 / told_apart
    return max(0.0, estimate + shift - half), min(1.0, estimate + shift + half)
