"""Likelihoods of a text after a prompt: the request, the interfaces and the stored form.

A likelihood call has a key and is stored, charged and replayed like a chat call, but the text is
given, not sampled. Its stored reply is a JSON list of the log-probabilities of the text's tokens.
"""

import json
import math
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from remem.errors import RejectedReplyError
from remem.files.json_text import json_value
from remem.llm.endpoint import Endpoint, EndpointReply
from remem.types import Stage, Usage

KIND = "llama-likelihood"
"""The protocol of llama.cpp: /tokenize and /completion."""


@dataclass(frozen=True, slots=True)
class LikelihoodRequest:
    """A prompt and the text that follows it, both sent without a chat template."""

    stage: Stage
    prompt: str
    text: str


@runtime_checkable
class LikelihoodEndpoint(Protocol):
    """An endpoint that can also return the likelihood of a given text."""

    def likelihood(self, request: LikelihoodRequest) -> EndpointReply:
        """Send one request; the text of the reply is the output of `format_log_probabilities`.

        Raises:
            EndpointError: There is no reply.
            StopRunError: The server cannot answer at present.
        """


class LikelihoodModel(Protocol):
    """A model with a call store that can return the likelihood of a given text."""

    @property
    def model(self) -> str:
        """Return the exact name of the model."""

    def likelihood(self, request: LikelihoodRequest) -> tuple[tuple[float, ...], Usage]:
        """Return the natural log-probability of each token of the text, and the usage.

        Raises:
            ModelUnavailableError: There was no reply.
            StopRunError: The model does not support likelihoods.
        """


def likelihood_json(endpoint: Endpoint, request: LikelihoodRequest) -> str:
    """Return everything that is sent, as canonical JSON (sorted keys, no spaces, ASCII)."""
    sent = {
        "kind": KIND,
        "model": endpoint.model,
        "prompt": request.prompt,
        "settings": dict(endpoint.settings),
        "text": request.text,
    }
    return json.dumps(sent, sort_keys=True, separators=(",", ":"), allow_nan=False)


def format_log_probabilities(log_probabilities: list[float]) -> str:
    """Serialise log-probabilities for the store."""
    return json.dumps(log_probabilities, separators=(",", ":"), allow_nan=False)


def read_log_probabilities(text: str) -> tuple[float, ...]:
    """Parse the output of `format_log_probabilities`.

    Raises:
        RejectedReplyError: The text is not a list of log-probabilities.
    """
    try:
        content = json_value(text)
    except ValueError as error:
        raise RejectedReplyError(f"a stored likelihood is not JSON: {error}") from error
    if not isinstance(content, list) or not content or not all(map(_is_log_probability, content)):
        raise RejectedReplyError(
            f"a stored likelihood is {text[:100]!r}, expected a list of numbers of at most 0"
        )
    return tuple(map(float, content))


def _is_log_probability(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return math.isfinite(value) and value <= 0
