"""Embedding requests in the call store: inputs and token counts, without the vectors."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from remem.llm.call_store import CallStore, Sent
from remem.protocols import ChatReply
from remem.types import Usage


class EmbeddingCall(Protocol):
    """One answered request, as reported by an embedder."""

    @property
    def model(self) -> str:
        """Return the model's name at the endpoint."""

    @property
    def inputs(self) -> tuple[str, ...]:
        """Return the texts."""

    @property
    def extra(self) -> Mapping[str, str]:
        """Return the other parameters that were sent."""

    @property
    def prompt_tokens(self) -> int:
        """Return the number of prompt tokens that the endpoint counted."""

    @property
    def seconds(self) -> float:
        """Return the duration of the request in seconds."""


class StoredEmbeddingCalls:
    """Records embedding requests in a call store, under the stage "embed"."""

    def __init__(self, *, store: str) -> None:
        self._store = CallStore(Path(store))

    def add(self, call: EmbeddingCall) -> None:
        """Record one request with its usage."""
        content = {
            "extra": dict(call.extra),
            "inputs": call.inputs,
            "kind": "openai-embeddings",
            "model": call.model,
        }
        request = json.dumps(content, sort_keys=True, separators=(",", ":"))
        key = hashlib.sha256(request.encode("ascii")).hexdigest()
        usage = Usage(calls=1, prompt_tokens=call.prompt_tokens)
        reply = ChatReply("", (), truncated=False, usage=usage)
        self._store.keep_reply(Sent(key, "embed", request, call.seconds), reply)

    def close(self) -> None:
        """Close the file."""
        self._store.close()
