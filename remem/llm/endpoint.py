"""What a chat model is asked through: the interface of an endpoint, and how it fails.

An endpoint limits, retries and times out; the call store, the budget and parsing are above it.
"""

from collections.abc import Mapping
from typing import Any, Protocol

from remem.protocols import ChatReply, ChatRequest

STUB = "loopback-stub"
"""The one model a stub answers to: whatever it made carries this name and is no result."""


class EndpointError(RuntimeError):
    """The endpoint gave no reply, after as many tries as it makes.

    `retryable` says that the same call may work later (429, 5xx, a cut connection), unlike a bad
    key or a request the endpoint refuses. The message holds neither keys nor headers.
    """

    def __init__(self, message: str, *, retryable: bool) -> None:
        super().__init__(message)
        self.retryable = retryable


class Endpoint(Protocol):
    """A model that can be sent requests. Building one needs neither a key nor the network.

    Its four properties are all that shapes a reply apart from the request, so they are part of a
    call's key. Limits, timeouts, addresses and key names shape none and are left out.
    """

    @property
    def kind(self) -> str:
        """Return whose protocol it speaks, such as "openai-chat"; a stub says that it is one."""

    @property
    def model(self) -> str:
        """Return the exact name of the model."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """Return what else is sent, JSON values only.

        Such as temperature, seed, and how a reply schema is asked for.
        """

    @property
    def max_output_tokens(self) -> int:
        """Return the most tokens a reply may have: what a budget reserves."""

    def send(self, request: ChatRequest) -> ChatReply:
        """Send one request and return its reply, from any number of threads at once.

        Raises:
            EndpointError: There is no reply.
        """
