"""Lines of the benchmark: a figure, its peer or limit in the same run, and its growth."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np


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
    """A bound for a line's ratio to its peer, or for its median."""

    sense: Literal["<=", ">="]
    bound: float
    of: Literal["ratio", "median"] = "ratio"


@dataclass(frozen=True, slots=True)
class MeasuredLine:
    """One line of the benchmark.

    `ratio` is ours divided by the peer's, or the inverse if `times_less` is True ("10x less" is
    10).
    """

    name: str
    unit: str
    ours: Sample
    against: str = ""
    """The peer or the limit, with its version."""
    peer: Sample | None = None
    times_less: bool = False
    goal: Goal | None = None
    note: str = ""

    @property
    def beside(self) -> str:
        """Return the name of the line and of its peer."""
        return f"{self.name}, compared with {self.against}" if self.against else self.name

    @property
    def ratio(self) -> float | None:
        """Return the ratio of the medians, or None without a peer."""
        if self.peer is None:
            return None
        ours, peer = self.ours.median, self.peer.median
        above, below = (peer, ours) if self.times_less else (ours, peer)
        return above / below if below else math.inf

    @property
    def holds(self) -> bool | None:
        """Return whether the goal is met; None without a goal or if the peer was not measured."""
        if self.goal is None:
            return None
        figure = self.ratio if self.goal.of == "ratio" else self.ours.median
        if figure is None:
            return None
        return figure <= self.goal.bound if self.goal.sense == "<=" else figure >= self.goal.bound


@dataclass(frozen=True, slots=True)
class MemoryGrowth:
    """The growth of a figure with size, measured at two or more sizes."""

    name: str
    unit: str
    sizes: tuple[int, ...]
    medians: tuple[float, ...]
    note: str = ""

    @property
    def exponent(self) -> float:
        """Return the exponent of the growth: 1 is linear, 0 is constant."""
        return float(np.polyfit(np.log(self.sizes), np.log(self.medians), 1)[0])
