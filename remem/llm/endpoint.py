"""The interface of endpoints, which send requests to a model, and their errors.

An endpoint handles limits, retries and timeouts; its callers handle storage, budget and parsing.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Protocol, runtime_checkable

from pydantic import Field

from remem.errors import StopRunError
from remem.protocols import ChatReply, ChatRequest
from remem.types import Usage

Count = Annotated[int, Field(ge=0, le=2**53)]
Seconds = Annotated[float, Field(ge=0, le=1e12, allow_inf_nan=False)]
JsonMode = Literal["schema", "object", "text", "alternatives"]
"""How a reply schema is requested from an endpoint."""

STUB = "loopback-stub"
"""The model name of the stub; its answers carry this name and are never results."""
AS_STUB = f"llm.build.endpoint.known_as={STUB}"
"""The first override of a rehearsal, in which the stub answers under the names of the models."""
REHEARSED = "rehearsed"
"""The mark in tables for answers of the stub."""


@dataclass(frozen=True, slots=True)
class Malformed:
    """A response with a success status that is not a valid reply; it may have been billed."""

    text: str
    reason: str
    usage: Usage


class EndpointError(RuntimeError):
    """The endpoint gave no valid reply after all tries; `malformed` has its invalid responses.

    `retryable` means that the same call may work later (429, 5xx, a lost connection), unlike a bad
    key or an invalid request. `stop` is the error that ends the run, if no other call would
    succeed. The messages contain neither keys nor headers.
    """

    def __init__(
        self,
        message: str,
        *,
        retryable: bool,
        malformed: tuple[Malformed, ...] = (),
        stop: StopRunError | None = None,
    ) -> None:
        super().__init__(message)
        self.retryable = retryable
        self.malformed = malformed
        self.stop = stop


@dataclass(frozen=True, slots=True)
class EndpointReply:
    """A reply and the seconds of the successful try, without limiter, earlier tries and pauses.

    `malformed` has the invalid responses of earlier tries.
    """

    reply: ChatReply
    latency_seconds: float
    malformed: tuple[Malformed, ...] = ()


class Endpoint(Protocol):
    """A model that requests can be sent to. Building an endpoint needs neither a key nor a network.

    A reply depends on the request and on the first four properties of the endpoint, so these
    properties are part of a call's key. It does not depend on limits, timeouts, key names or the
    address: calls of a model that was served on another port or host can be replayed. The address
    is stored with each call, and a reply of another address is not used (remem.llm.http_client).
    """

    @property
    def kind(self) -> str:
        """Return the name of the protocol, such as "openai-chat"; a stub has its own."""

    @property
    def model(self) -> str:
        """Return the exact name of the model."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """Return the other settings that are sent, as JSON values.

        Examples are the temperature, the seed, and how a reply schema is requested.
        """

    @property
    def max_output_tokens(self) -> int:
        """Return the maximum tokens of a reply, which a budget reserves."""

    @property
    def address(self) -> str:
        """Return the address that requests are sent to, without credentials."""

    def send(self, request: ChatRequest) -> EndpointReply:
        """Send one request and return its reply; safe to call from many threads.

        Raises:
            EndpointError: The endpoint gave no valid reply.
            StopRunError: The endpoint cannot answer any call for now.
        """

    def stop(self, reason: StopRunError) -> None:
        """Send no further requests: raise `reason` in every thread that is sending or waiting."""


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


class ModelServer(Protocol):
    """A part that can serve a model on this machine."""

    def checked_weights(self) -> Path:
        """Return the verified weights; raise StopRunError if they cannot be served here."""


@runtime_checkable
class ServesModel(Protocol):
    """A part that may start a local model server when it is called."""

    def check_server(self) -> None:
        """Raise StopRunError if the server cannot be started here; do not start it."""

    def end_server(self) -> Served:
        """Stop the server, if any, and return what it has answered since it was last stopped."""
