"""Copy the calls and vectors that a run uses into a new store while it is replayed for packing.

A bundle therefore contains exactly the calls and vectors that its runs need. Only the packing side
uses these classes; the configuration inside a bundle never names them.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import count
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from remem.bundle.allowed_names import STORED_VECTORS
from remem.bundle.calls import CallSource, keep_call
from remem.bundle.portable import VectorSource
from remem.bundle.vectors import read_vectors
from remem.config.permissions import CHAT_MODEL
from remem.embed.cached import Role, content_key
from remem.llm.call_store import CallStore
from remem.llm.endpoint import Endpoint
from remem.llm.stored_reply import call_key, sent_json
from remem.llm.vector_store import VectorStore
from remem.protocols import ChatModel, ChatReply, ChatRequest, Parsed, QueryTarget, Vectors
from remem.types import Usage


class GatheringChatModel:
    """A chat model that first copies the replies to all attempts at a request, then answers."""

    def __init__(
        self, *, chat_model: ChatModel, endpoint: Endpoint, repeat: int, store: str, source: str
    ) -> None:
        self._chat_model = chat_model
        self._endpoint = endpoint
        self._repeat = repeat
        self._store = CallStore(Path(store))
        self._source = CallSource(Path(source))
        self._lock = Lock()
        self._gathered: set[str] = set()

    def ask(
        self, request: ChatRequest, parse: Callable[[ChatReply], Parsed]
    ) -> tuple[Parsed, Usage]:
        """Copy the source's replies to the request into the store, then answer from the store."""
        sent = sent_json(self._endpoint, request)
        with self._lock:
            for attempt in count():
                key = call_key(sent, self._repeat, attempt)
                if key not in self._gathered and not self._copied(key):
                    break
        return self._chat_model.ask(request, parse)

    def _copied(self, key: str) -> bool:
        call = self._source.find(key)
        if call is None:
            return False
        if self._store.received(key) is None:  # another run of the bundle has the same call
            keep_call(self._store, call)
        self._gathered.add(key)
        return True


class GatheringVectors:
    """An embedder that serves stored vectors and copies each served vector into a new store."""

    def __init__(
        self,
        *,
        identity: str,
        model: str,
        dimension: int,
        store: str,
        source: str,
        source_model: str,
    ) -> None:
        self._identity = identity
        self._dimension = dimension
        self._target = VectorStore(store=store, model=model, dimension=dimension)
        if not Path(source).is_file():
            raise FileNotFoundError(
                f"no vector store at {source}; run this in the folder where the run was started"
            )
        self._source = VectorStore(store=source, model=source_model, dimension=dimension)
        self._lock = Lock()
        self._copied: set[str] = set()

    @property
    def dimension(self) -> int:
        """Return the length of a vector."""
        return self._dimension

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return one vector for each document."""
        return self._embed(texts, "document", "")

    def embed_queries(self, texts: Sequence[str], target: QueryTarget) -> Vectors:
        """Return one vector for each query."""
        return self._embed(texts, "query", target)

    def get_many(self, keys: Sequence[str]) -> Mapping[str, NDArray[np.float32]]:
        """Return the source's vectors by key, and copy each vector that was not copied before."""
        found = self._source.get_many(keys)
        with self._lock:
            new = [key for key in found if key not in self._copied]
            there = self._target.get_many(new)  # another run of the bundle has the same vectors
            self._target.put_many({key: found[key] for key in new if key not in there})
            self._copied.update(new)
        return found

    def _embed(self, texts: Sequence[str], role: Role, target: str) -> Vectors:
        keys = [content_key(self._identity, role, target, text) for text in texts]
        return read_vectors(self, keys, self._dimension)


def gathering(
    resolved: Mapping[str, Any], source: str | None, vectors: Sequence[VectorSource]
) -> dict[str, Any]:
    """Return a configuration that copies the calls and vectors it uses while it is replayed.

    Args:
        resolved: The localised configuration of the run.
        source: The call store of the run to pack; None if it asked no model.
        vectors: The vector stores of the run.
    """
    by_model = {vector.table.model: vector for vector in vectors}

    def changed(node: Any) -> Any:
        if isinstance(node, list):
            return [changed(value) for value in node]
        if not isinstance(node, dict):
            return node
        if node.get("_target_") == CHAT_MODEL:
            return _gathering_model(node, source)
        if node.get("_target_") == STORED_VECTORS:
            found = by_model[node["model"]]
            where = {"source": found.store, "source_model": found.model}
            return {**node, "_target_": f"{__name__}.GatheringVectors", **where}
        return {key: changed(value) for key, value in node.items()}

    return {name: changed(group) for name, group in resolved.items()}


def _gathering_model(node: Mapping[str, Any], source: str | None) -> dict[str, Any]:
    return {
        "_target_": f"{__name__}.GatheringChatModel",
        "chat_model": node,
        "endpoint": node["endpoint"],
        "repeat": node["repeat"],
        "store": node["store"],
        "source": source,
    }
