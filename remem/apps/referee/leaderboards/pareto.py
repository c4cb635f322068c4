"""The Pareto front: the systems that no other system beats (see `Traded.beats`)."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Traded:
    """A score (higher is better) and its cost (lower is better)."""

    score: float
    cost: float

    def beats(self, other: "Traded") -> bool:
        """Return whether this is no worse than `other` in score and cost, and better in one."""
        no_worse = self.score >= other.score and self.cost <= other.cost
        return no_worse and (self.score, self.cost) != (other.score, other.cost)


def pareto_front(points: Sequence[Traded]) -> list[bool]:
    """Return, for each point, True if no other point beats it.

    >>> pareto_front([Traded(0.9, 5), Traded(0.5, 1), Traded(0.5, 2), Traded(0.5, 1)])
    [True, True, False, True]
    """
    return [not any(other.beats(point) for other in points) for point in points]
