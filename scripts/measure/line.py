"""Lines of the benchmark; each compares a measurement with a limit or a peer in the same run."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Sample:
    """Measurements of one thing: their number, median and spread."""

    n: int
    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> "Sample":
        """Return the summary of one or more measurements."""
        return cls(len(values), statistics.median(values), min(values), max(values))


@dataclass(frozen=True, slots=True)
class Goal:
    """An upper limit for our median, or for the ratio of our median to the peer's."""

    most: float
    of: Literal["ratio", "median"] = "ratio"


@dataclass(frozen=True, slots=True)
class MeasuredLine:
    """One line of the benchmark."""

    name: str
    unit: str
    ours: Sample
    against: str = ""
    """The peer or the limit, with its version."""
    peer: Sample | None = None
    goal: Goal | None = None
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """Return our median divided by the peer's, or None without a peer."""
        if self.peer is None:
            return None
        return self.ours.median / self.peer.median if self.peer.median else math.inf

    @property
    def holds(self) -> bool | None:
        """Return whether the goal is met, or None without a goal."""
        if self.goal is None:
            return None
        figure = self.ratio if self.goal.of == "ratio" else self.ours.median
        return None if figure is None else figure <= self.goal.most


@dataclass(frozen=True, slots=True)
class MeasuredPart:
    """The lines of one part, with the day, the duration and the machine."""

    name: str
    day: str
    seconds: int
    machine: str
    lines: tuple[MeasuredLine, ...]
