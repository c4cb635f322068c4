"""Statistics of a model that a run serves itself, and the peak memory of both processes."""

from dataclasses import dataclass
from typing import Annotated, Protocol, runtime_checkable

from pydantic import Field

Count = Annotated[int, Field(ge=0, le=2**53)]
Seconds = Annotated[float, Field(ge=0, le=1e12, allow_inf_nan=False)]


@dataclass(frozen=True, slots=True)
class Served:
    """The calls that a locally served model has answered, and the seconds waited for them.

    `model_mib` is the peak memory of the model's process, `run_mib` that of the run's process; 0 if
    unknown. Unlike `Usage`, this excludes replies from the call store.
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
    """A part that may start a local model server when it is called."""

    def check_server(self) -> None:
        """Raise StopRunError if the server cannot be started here; do not start it."""

    def end_server(self) -> Served:
        """Stop the server, if any, and return what it has answered since it was last stopped."""
