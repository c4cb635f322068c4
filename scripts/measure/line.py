"""What the benchmark prints: a figure beside a peer or a limit of the same run, and growth."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np


@dataclass(frozen=True, slots=True)
class Sample:
    """Measurements of one thing: how many, their median and their spread."""

    n: int
    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> "Sample":
        """Summarise measurements, at least one."""
        return cls(len(values), statistics.median(values), min(values), max(values))


@dataclass(frozen=True, slots=True)
class Goal:
    """A bound of a line's ratio to its peer, of its own median or of its recall."""

    sense: Literal["<=", ">="]
    bound: float
    of: Literal["ratio", "median"] = "ratio"


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the benchmark.

    `ratio` is ours over the peer's, or the peer's over ours where `times_less`: "10x less" is 10.
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
        """Name the line and what it is measured against."""
        return f"{self.name}, beside {self.against}" if self.against else self.name

    @property
    def ratio(self) -> float | None:
        """Divide the medians; None without a peer."""
        if self.peer is None:
            return None
        ours, peer = self.ours.median, self.peer.median
        above, below = (peer, ours) if self.times_less else (ours, peer)
        return above / below if below else math.inf

    @property
    def holds(self) -> bool | None:
        """Tell whether the goal is met; None where none is set or its peer was not measured."""
        if self.goal is None:
            return None
        figure = self.ratio if self.goal.of == "ratio" else self.ours.median
        if figure is None:
            return None
        return figure <= self.goal.bound if self.goal.sense == "<=" else figure >= self.goal.bound


@dataclass(frozen=True, slots=True)
class Growth:
    """How a figure grows with size, at two sizes or more."""

    name: str
    unit: str
    sizes: tuple[int, ...]
    medians: tuple[float, ...]
    note: str = ""

    @property
    def exponent(self) -> float:
        """Fit the power of the size that the figure grows with: 1 is linear, 0 constant."""
        return float(np.polyfit(np.log(self.sizes), np.log(self.medians), 1)[0])
