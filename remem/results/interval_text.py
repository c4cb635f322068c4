"""Format intervals as text, with cautions if they are based on few clusters."""

from collections.abc import Iterable, Iterator
from typing import Protocol

from remem.metrics.intervals import FEW_CLUSTERS

FEW_CLUSTERS_NOTE = (
    f"Caution: intervals over fewer than {FEW_CLUSTERS} clusters are rough, and rather too narrow."
)
BELIEVE_P = (
    "If an interval and p (or its star) disagree, believe p: it is the larger of the bootstrap's "
    "and a t test's, and the t test takes the small number of clusters into account."
)
ONE_CLUSTER_MARK = "†"
ONE_CLUSTER_NOTE = (
    f"{ONE_CLUSTER_MARK} Caution: the questions behind this interval come from one cluster, so it "
    f"resamples questions, as if they were independent; it says nothing about other clusters."
)
ONE_QUESTION = "(n = 1)"
"""The text in place of an interval for a single question."""


MOST_POINTS = 100
"""Two shares cannot differ by more."""
TOO_FEW = "none: too few questions"
"""The text in place of a smallest difference that is more than possible."""


class Bounded(Protocol):
    """A number with an interval, whose ends may be None, and its number of clusters."""

    @property
    def low(self) -> float | None:
        """Return the lower end."""

    @property
    def high(self) -> float | None:
        """Return the upper end."""

    @property
    def clusters(self) -> int | None:
        """Return the number of clusters; None if questions are treated as independent."""


def bracketed(estimate: Bounded, form: str, scale: float = 1.0) -> str:
    """Return an interval in brackets, with a mark if it resamples the questions of one cluster.

    Args:
        estimate: The number with the interval.
        form: The format specification of the ends, such as ".1f".
        scale: The factor for the ends.
    """
    if estimate.low is None or estimate.high is None:
        return ONE_QUESTION
    mark = ONE_CLUSTER_MARK if estimate.clusters == 1 else ""
    return f"[{scale * estimate.low:{form}}, {scale * estimate.high:{form}}]{mark}"


def resampled(estimates: Iterable[Bounded]) -> str:
    """Name the units that the intervals resample: questions, or a number of clusters."""
    counts = {estimate.clusters for estimate in estimates if estimate.clusters is not None}
    clusters = counts - {1}
    if not clusters:
        return "questions (all are of one cluster)" if counts else "questions"
    least, most = min(clusters), max(clusters)
    named = f"{most} clusters" if least == most else f"{least} to {most} clusters"
    return f"{named} (questions, where all are of one cluster)" if 1 in counts else named


def cautions(estimates: Iterable[Bounded]) -> Iterator[str]:
    """Yield cautions on intervals that are based on few clusters or on a single one."""
    counts = {
        estimate.clusters
        for estimate in estimates
        if estimate.clusters is not None and estimate.low is not None
    }
    if any(1 < count < FEW_CLUSTERS for count in counts):
        yield FEW_CLUSTERS_NOTE
    if 1 in counts:
        yield ONE_CLUSTER_NOTE


def p_cautions(estimates: Iterable[Bounded]) -> Iterator[str]:
    """Yield what to believe where a tested difference over few clusters has an interval and a p."""
    if FEW_CLUSTERS_NOTE in cautions(estimates):
        yield BELIEVE_P
