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
    """An invalid reply with a success status, which may have been billed."""

    text: str
    reason: str
    usage: Usage


class EndpointError(RuntimeError):
    """The endpoint gave no valid reply in all tries; `malformed` contains its invalid replies.

    `retryable` means that the same call may work later: after status 429, 5xx or a lost connection,
    but not after a bad key or an invalid request. If no other call would succeed either, `stop` is
    the error that ends the run. The messages contain neither keys nor headers.
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
    """A reply, and the seconds that the successful try took.

    `latency_seconds` excludes earlier tries and waits. `malformed` contains the invalid replies to
    earlier tries.
    """

    reply: ChatReply
    latency_seconds: float
    malformed: tuple[Malformed, ...] = ()


class Endpoint(Protocol):
    """A model that accepts requests. Creating an endpoint needs neither a key nor a network.

    The key of a call contains the request and the first four properties of the endpoint, because a
    reply depends on them. It does not contain limits, timeouts, key names or the address, so calls
    can be replayed even if the model was served on another port or host. The address is stored with
    each call, and replies from another address are not used (remem.llm.http_client).
    """

    @property
    def kind(self) -> str:
        """Return the name of the protocol, such as "openai-chat"; stubs have other names."""

    @property
    def model(self) -> str:
        """Return the exact name of the model."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """Return the settings that a request sends besides model and length, as JSON values.

        Examples are the temperature, the seed, and the way in which a reply schema is requested.
        """

    @property
    def max_output_tokens(self) -> int:
        """Return the maximum number of tokens of a reply; a budget reserves their price."""

    @property
    def address(self) -> str:
        """Return the address to which requests are sent, without credentials."""

    def send(self, request: ChatRequest) -> EndpointReply:
        """Send one request and return its reply; safe to call from many threads.

        Raises:
            EndpointError: The endpoint gave no valid reply.
            StopRunError: At present, the endpoint cannot answer any call.
        """

    def stop(self, reason: StopRunError) -> None:
        """Send no further requests: raise `reason` in every thread that is sending or waiting."""


@dataclass(frozen=True, slots=True)
class Served:
    """The calls that a local model server has answered, and the seconds waited for its replies.

    `model_mib` is the peak memory of the server's process, and `run_mib` is the peak memory of the
    run's process; both are 0 if unknown. Unlike `Usage`, the counts exclude replies from the call
    store.
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
    """A component that can serve a model on this machine."""

    def checked_weights(self) -> Path:
        """Verify the weights and return their path; raise StopRunError if they cannot be served."""


@runtime_checkable
class ServesModel(Protocol):
    """A component that may start a local model server when a call is made."""

    def check_server(self) -> None:
        """Raise StopRunError if the server cannot be started here, without starting it."""

    def end_server(self) -> Served:
        """Stop the server, if any, and return the totals of its calls since the last stop."""
