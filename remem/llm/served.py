"""What a model that a run serves itself did for it, and the memory that both took."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class Served:
    """What a model that a run serves itself has answered, in seconds of waiting for its replies.

    `model_mib` is the peak memory of its process, `run_mib` that of the run's; 0 if unknown. Unlike
    `Usage`, this leaves out what the call store answered.
    """

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    model_mib: int = 0
    run_mib: int = 0

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


def read_served(manifest: Mapping[str, Any]) -> Served:
    """Return what a manifest says of a model that the run served; nothing where it says nothing."""
    known = {field.name for field in fields(Served)}
    said = manifest.get("served", {})
    return Served(**{name: value for name, value in said.items() if name in known})
