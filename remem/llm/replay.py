"""An endpoint that never sends: all replies of a run must be in the call store."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from remem.errors import ReplayMissError, StopRunError
from remem.llm.endpoint import Endpoint, EndpointReply
from remem.llm.likelihood import LikelihoodRequest
from remem.protocols import ChatRequest


class ReplayEndpoint:
    """Has the properties of the recorded endpoint, so that the keys of calls are the same."""

    def __init__(self, *, recorded: Endpoint) -> None:
        self.kind = recorded.kind
        self.model = recorded.model
        self.settings = recorded.settings
        self.max_output_tokens = recorded.max_output_tokens
        self.address = recorded.address

    def send(self, request: ChatRequest) -> EndpointReply:
        """Raise ReplayMissError, since the call is not in the store."""
        lines = request.messages[-1].content.splitlines() if request.messages else []
        first_line = lines[0] if lines else ""
        raise ReplayMissError(
            f"no stored reply of {self.model} for a call of stage {request.stage} whose last "
            f"message begins {first_line[:200]!r}"
        )

    def likelihood(self, request: LikelihoodRequest) -> EndpointReply:
        """Raise ReplayMissError, since the call is not in the store."""
        raise ReplayMissError(
            f"no stored likelihood by {self.model} for a call of stage {request.stage} whose text "
            f"is {request.text[:200]!r}"
        )

    def stop(self, reason: StopRunError) -> None:
        """Do nothing: nothing is sent."""


@dataclass(frozen=True, slots=True)
class RecordedServer:
    """The identity of the `LocalServer` whose replies were recorded; it is part of their keys."""

    identity: Mapping[str, Any]
