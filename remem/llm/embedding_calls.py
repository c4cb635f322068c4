"""Requests for embeddings in the call store: what was sent and counted; vectors lie elsewhere."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from remem.llm.call_store import CallStore, Sent
from remem.protocols import ChatReply
from remem.types import Usage


class EmbeddingCall(Protocol):
    """One request that was answered, as an embedder tells of it."""

    @property
    def model(self) -> str:
        """Return the model's name at the endpoint."""

    @property
    def inputs(self) -> tuple[str, ...]:
        """Return the texts."""

    @property
    def extra(self) -> Mapping[str, str]:
        """Return what else was sent."""

    @property
    def prompt_tokens(self) -> int:
        """Return what the endpoint counted."""

    @property
    def seconds(self) -> float:
        """Return how long it took."""


class StoredEmbeddingCalls:
    """Keeps account of embedding requests in a call store, under the stage "embed"."""

    def __init__(self, *, store: str) -> None:
        self._store = CallStore(Path(store))

    def add(self, call: EmbeddingCall) -> None:
        """Commit one request with its usage."""
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
