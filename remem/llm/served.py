"""What a model that a run serves itself did for it, and the memory that both took."""

from dataclasses import dataclass
from typing import Annotated, Protocol, runtime_checkable

from pydantic import Field

Count = Annotated[int, Field(ge=0, le=2**53)]
Seconds = Annotated[float, Field(ge=0, le=1e12, allow_inf_nan=False)]


@dataclass(frozen=True, slots=True)
class Served:
    """What a model that a run serves itself has answered, in seconds of waiting for its replies.

    `model_mib` is the peak memory of its process, `run_mib` that of the run's; 0 if unknown. Unlike
    `Usage`, this leaves out what the call store answered.
    """

    calls: Count = 0
    prompt_tokens: Count = 0
    completion_tokens: Count = 0
    seconds: Seconds = 0.0
    model_mib: Count = 0
    run_mib: Count = 0

    def __add__(self, other: "Served") -> "Served":
        return Served(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.seconds + other.seconds,
            max(self.model_mib, other.model_mib),
            max(self.run_mib, other.run_mib),
        )


@runtime_checkable
class ServesModel(Protocol):
    """A part that may have a model served on this machine for as long as it is asked."""

    def check_server(self) -> None:
        """Raise StopRunError if a server could not be started here; start none."""

    def end_server(self) -> Served:
        """End the server, if there is one, and return what it has answered since the last end."""
