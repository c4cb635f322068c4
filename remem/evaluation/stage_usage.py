"""What one stage of a run took of its models."""

from dataclasses import dataclass

from remem.types import Stage, Usage


@dataclass(frozen=True, slots=True)
class StageUsage:
    """One stage of a run; `dollars` is None where the model has no known price.

    `unit` is what it happens for: a history, a question or a verdict; `units` counts them.
    """

    stage: Stage
    unit: str
    units: int
    usage: Usage
    dollars: float | None
