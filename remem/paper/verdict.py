"""Compare a number of ours with the paper's: z = delta / sqrt(SE_ours^2 + SE_paper^2).

The paper's standard error comes from the printed interval, or from n for a share of right answers.
F1 and BLEU-1 without an interval have no standard error; then only the standard error of our number
is used, and the result says so.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Literal

from remem.paper.layout import PaperCell
from remem.paper.sums import NORMAL_95, YES_OR_NO

Word = Literal["agrees", "near", "differs", "not comparable", "incomplete", "not run", "no verdict"]

AGREES_BELOW, NEAR_BELOW = 2, 3


@dataclass(frozen=True, slots=True)
class Measurement:
    """A number of ours on the paper's scale, over `n` questions, with its 95% interval if any."""

    value: float
    low: float | None
    high: float | None
    n: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """A verdict with its reason; `delta` is ours minus the paper's, `z` is None if not computed."""

    word: Word
    reason: str
    delta: float | None = None
    z: float | None = None


@dataclass(frozen=True, slots=True)
class PaperError:
    """The standard error of a printed number, and its source."""

    error: float
    taken_from: Literal["printed interval", "binomial", "SE of ours only"]


def paper_error(paper: PaperCell) -> PaperError:
    """Return the standard error of a number of the paper, on its scale of per cent."""
    number = paper.number
    if number.minus is not None and number.plus is not None:
        return PaperError(float(number.minus + number.plus) / (2 * NORMAL_95), "printed interval")
    if paper.made_with in YES_OR_NO and paper.n:
        share = float(number.value) / 100
        return PaperError(100 * sqrt(share * (1 - share) / paper.n), "binomial")
    return PaperError(0.0, "SE of ours only")


def verdict(paper: PaperCell, ours: Measurement, differences: Sequence[str] = ()) -> Verdict:
    """Compare a number of ours with the paper's.

    Args:
        paper: The paper's number.
        ours: Our number, under the score convention of the paper's number.
        differences: How our run differs from the paper's.
    """
    delta = ours.value - float(paper.number.value)
    if paper.n is not None and ours.n < paper.n:
        return Verdict("incomplete", f"{ours.n}/{paper.n} questions", delta)
    if differences:
        return Verdict("not comparable", "; ".join(differences), delta)
    if ours.low is None or ours.high is None:
        return Verdict("no verdict", "one question has no interval", delta)
    theirs = paper_error(paper)
    own_error = (ours.high - ours.low) / (2 * NORMAL_95)
    error = sqrt(own_error**2 + theirs.error**2)
    if error == 0:
        return _exact(paper, delta)
    z = delta / error
    return Verdict(_word(abs(z)), f"|z| = {abs(z):.2f} ({theirs.taken_from})", delta, z)


def exact_verdict(paper: PaperCell, ours: float) -> Verdict:
    """Compare a count, which has no standard error: it must equal the printed count."""
    return _exact(paper, ours - float(paper.number.value))


def _exact(paper: PaperCell, delta: float) -> Verdict:
    same = abs(delta) <= float(paper.number.slack)
    return Verdict("agrees" if same else "differs", "neither has an error", delta)


def _word(z: float) -> Word:
    if z < AGREES_BELOW:
        return "agrees"
    return "near" if z < NEAR_BELOW else "differs"
