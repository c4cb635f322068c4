"""The model usage of one stage of a run."""

from dataclasses import dataclass

from remem.types import Stage, Usage


@dataclass(frozen=True, slots=True)
class StageUsage:
    """The usage of one stage of a run; `dollars` is None if the price of the model is unknown.

    `unit` is "history", "question" or "verdict", and `units` is their number.
    """

    stage: Stage
    unit: str
    units: int
    usage: Usage
    dollars: float | None
