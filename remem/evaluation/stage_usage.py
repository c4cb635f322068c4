"""The model usage of one stage of a run."""

from dataclasses import dataclass, replace
from fractions import Fraction

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

    def part(self, share: Fraction) -> "StageUsage":
        """Return a part of the stage, with whole calls and tokens."""
        usage = Usage(
            round(self.usage.calls * share),
            round(self.usage.prompt_tokens * share),
            round(self.usage.completion_tokens * share),
        )
        dollars = None if self.dollars is None else self.dollars * float(share)
        return replace(self, units=round(self.units * share), usage=usage, dollars=dollars)
