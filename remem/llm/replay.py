"""An endpoint that never sends: all replies of a run must be in the call store."""

from collections.abc import Mapping
from typing import Any

from remem.llm.endpoint import Answered, Endpoint
from remem.llm.likelihood import LikelihoodRequest
from remem.protocols import ChatRequest, StopRunError


class ReplayMissError(StopRunError):
    """A call is not in the store, so the run cannot be replayed from it."""


class ReplayEndpoint:
    """Has the properties of the recorded endpoint, so that the keys of calls are the same."""

    def __init__(self, *, recorded: Endpoint) -> None:
        self._recorded = recorded

    @property
    def kind(self) -> str:
        """Return the kind of the recorded endpoint."""
        return self._recorded.kind

    @property
    def model(self) -> str:
        """Return the model of the recorded endpoint."""
        return self._recorded.model

    @property
    def settings(self) -> Mapping[str, Any]:
        """Return the settings of the recorded endpoint."""
        return self._recorded.settings

    @property
    def max_output_tokens(self) -> int:
        """Return the token limit of the recorded endpoint."""
        return self._recorded.max_output_tokens

    @property
    def address(self) -> str:
        """Return the address of the recorded endpoint."""
        return self._recorded.address

    def send(self, request: ChatRequest) -> Answered:
        """Raise ReplayMissError, since the call is not in the store."""
        lines = request.messages[-1].content.splitlines() if request.messages else []
        first_line = lines[0] if lines else ""
        raise ReplayMissError(
            f"no stored reply of {self.model} for a call of stage {request.stage} whose last "
            f"message begins {first_line[:200]!r}"
        )

    def likelihood(self, request: LikelihoodRequest) -> Answered:
        """Raise ReplayMissError, since the call is not in the store."""
        raise ReplayMissError(
            f"no stored likelihood by {self.model} for a call of stage {request.stage} whose text "
            f"is {request.text[:200]!r}"
        )

    def stop(self, reason: StopRunError) -> None:
        """Do nothing: nothing is sent."""
