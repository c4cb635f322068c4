"""Embeddings from any OpenAI-compatible endpoint, through the openai library.

Our own server (`remem serve embeddings`) gets the role of each text, such as query, and adds the
instruction. Other servers would ignore the role, so their queries start with the instruction, as in
the released code. All values of a reply are checked.
"""

import logging
import os
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Literal, Protocol

import numpy as np

from remem.embed.model_io import QueryInstructions
from remem.embed.received_vectors import SETTINGS, EmbeddingsReply, read_reply, vectors_of
from remem.embed.seen_vectors import SeenVectors
from remem.embed.served_encoder import how_to_serve
from remem.embed.vector_account import VectorAccount
from remem.errors import (
    ModelUnavailableError,
    NobodyServesError,
    StopRunError,
    UnhealthyMemoryError,
)
from remem.intake import Account
from remem.llm.http_client import (
    describe_missing_key,
    describe_no_answer,
    guarded_client,
    nobody_answers,
    shown_address,
)
from remem.llm.masking import masked, masked_bytes
from remem.llm.refusals import EMBEDDING_CURES, read_refusal
from remem.llm.served_model import is_other_model
from remem.llm.vector_store import EmbeddingCall
from remem.protocols import QueryTarget, Vectors

log = logging.getLogger(__name__)

BYTES_PER_NUMBER = 32
"""Bytes per number of a vector in decimal JSON; base64 needs a sixth of it."""
BYTES_PER_TEXT = 2**16
"""Bytes allowed per text in addition to its vector."""
MOST_QUOTED = 160
"""Maximum characters of a text in an error: more than an instruction, which comes first."""


class EmbeddingCalls(Protocol):
    """A record of the requests for embeddings."""

    def add(self, call: EmbeddingCall) -> None:
        """Record one request."""


class ApiEmbedder:
    """An embedder that requests vectors from `/v1/embeddings` of a server.

    Args:
        base_url: The endpoint, up to and including /v1.
        api_key_variable: The environment variable with the key; None if no key is needed.
        model: The model's name at the endpoint.
        dimension: The length of a vector.
        instructions: The prefixes of queries; None for models without instructions.
        sends_role: Whether the server is remem's own, which adds the instruction itself.
        batch_size: Texts per request.
        timeout_seconds: The maximum duration of a request.
        retries: How often openai's client retries a failed request.
        calls: Records the requests.
        same_vectors: What to do if different texts have the same vector: "stop" the run, or "warn";
            None for models that give equal vectors by design.
    """

    def __init__(
        self,
        *,
        base_url: str,
        api_key_variable: str | None,
        model: str,
        dimension: int,
        instructions: QueryInstructions | None,
        sends_role: bool,
        batch_size: int,
        timeout_seconds: float,
        retries: int,
        calls: EmbeddingCalls | None,
        same_vectors: Literal["stop", "warn"] | None = "stop",  # earlier configurations have none
    ) -> None:
        if sends_role and instructions is not None:
            raise ValueError(
                "sends_role and instructions are both set, so each query would have two "
                "instructions, one of them from the server; set instructions to null or sends_role "
                "to false"
            )
        self._base_url = base_url
        self._key_variable = api_key_variable
        self._model = model
        self._dimension = dimension
        self._instructions = instructions
        self._sends_role = sends_role
        self._batch_size = batch_size
        self._timeout = timeout_seconds
        self._retries = retries
        self._calls = calls
        self._same_vectors = same_vectors
        self._seen = SeenVectors()
        self._account = VectorAccount(self._address)
        self._lock = threading.Lock()
        self._client: Any = None

    @property
    def dimension(self) -> int:
        """Return the length of a vector."""
        return self._dimension

    @property
    def identity(self) -> Mapping[str, object]:
        """Return the settings that the vectors depend on, without checking them at the endpoint."""
        return {
            "model": self._model,
            "instructions": asdict(self._instructions) if self._instructions else None,
            "sends_role": self._sends_role,
            "dimension": self._dimension,
        }

    @property
    def vector_account(self) -> Account:
        """Return counts of the vectors that the server has sent so far."""
        return self._account.account

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of texts to be searched, shape (n, dimension)."""
        return self._embed(texts, {"role": "document"})

    def embed_queries(self, texts: Sequence[str], target: QueryTarget) -> Vectors:
        """Return the vectors of queries for a kind of target, shape (n, dimension)."""
        prefix = self._instructions.prefix(target) if self._instructions else ""
        extra = {"role": "query", "target": str(target)}
        return self._embed([prefix + text for text in texts], extra)

    def _embed(self, texts: Sequence[str], role: Mapping[str, str]) -> Vectors:
        extra = role if self._sends_role else {}
        parts = [np.empty((0, self._dimension), dtype=np.float32)]
        for start in range(0, len(texts), self._batch_size):
            # An endpoint refuses a request with an empty text in it.
            batch = [text or " " for text in texts[start : start + self._batch_size]]
            parts.append(self._send(batch, extra))
        return np.concatenate(parts)

    def _send(self, batch: Sequence[str], extra: Mapping[str, str]) -> Vectors:
        begun = time.perf_counter()
        place = self._account.send(len(batch))
        reply = self._reply(batch, extra)
        if self._calls is not None:
            seconds = time.perf_counter() - begun
            call = EmbeddingCall(self._model, tuple(batch), extra, reply.tokens, seconds)
            self._calls.add(call)
        try:
            vectors = vectors_of(reply, batch, dimension=self._dimension, model=self._model)
            self._check_different(batch, vectors)
        except (ValueError, UnhealthyMemoryError) as error:
            self._account.refuse(place, len(reply.data))
            if isinstance(error, UnhealthyMemoryError):
                raise
            raise ModelUnavailableError(self._mask(f"{self._address}: {error}")) from error
        stated = reply.model if isinstance(reply.model, str) else ""
        self._account.keep(
            place,
            batch,
            is_sorted=reply.is_out_of_order,
            tokens=reply.tokens,
            other_model=stated if is_other_model(self._model, stated) else "",
        )
        return vectors

    def _reply(self, batch: Sequence[str], extra: Mapping[str, str]) -> EmbeddingsReply:
        """Send a request, and return the reply with its vectors unchecked."""
        from openai import OpenAIError

        client = self._connected()
        body = {"model": self._model, "input": batch, "encoding_format": "base64", **extra}
        try:
            # Not `embeddings.create`: it believes every reply.
            content = client.post("/embeddings", body=body, cast_to=bytes)
            return read_reply(masked_bytes(content, self._key()))  # an error quotes it
        except OpenAIError as error:
            if self._sends_role and nobody_answers(error):  # so no other text can be embedded
                advice = how_to_serve(self._model, self._base_url)
                raise NobodyServesError(f"nothing answers at {self._address}; {advice}") from None
            # Without its cause: a server may repeat the key, and a chain would show it.
            raise self._failure(error) from None
        except ValueError as error:
            raise ModelUnavailableError(self._mask(f"{self._address}: {error}")) from error

    def _failure(self, error: Exception) -> StopRunError | ModelUnavailableError:
        """Return the error of a failed request; it ends the run if every request would fail."""
        from openai import APIStatusError

        if nobody_answers(error):
            return ModelUnavailableError(
                self._mask(describe_no_answer(self._address, error, f"{SETTINGS}.base_url"))
            )
        if not isinstance(error, APIStatusError):
            return ModelUnavailableError(
                self._mask(f"{self._address}: {type(error).__name__}: {error}")
            )
        content = masked_bytes(error.response.content, self._key())
        refusal = read_refusal(error.status_code, content)
        stop = refusal.stop(
            self._address,
            settings=SETTINGS,
            key_setting=f"{SETTINGS}.api_key_variable ({self._key_variable})",
            cures=EMBEDDING_CURES,
        )
        if stop is not None:
            return type(stop)(self._mask(str(stop)))
        named = f"{type(error).__name__}: status {refusal.status}: {refusal.reason}"
        return ModelUnavailableError(self._mask(f"{self._address}: {named}"))

    def _check_different(self, texts: Sequence[str], vectors: Vectors) -> None:
        """Stop or warn once if different texts have the same vector.

        Raises:
            UnhealthyMemoryError: They have the same vector, and `same_vectors` is "stop".
        """
        with self._lock:
            pair = self._same_vectors and self._seen.equal_pair(texts, vectors)
            if not pair:
                return
            first, second = (text[:MOST_QUOTED] for text in pair)
            complaint = self._mask(
                f"{self._address} sent the same vector for {first!r} and {second!r}, so no search "
                f"can tell them apart: check the server and its model, or try "
                f"{SETTINGS}.batch_size=1. Vectors that it sent before may be wrong too, and are "
                f"kept; to embed all texts again, set paths.results to another folder"
            )
            if self._same_vectors == "stop":
                raise UnhealthyMemoryError(f"{complaint}; to continue anyway, set run.health=warn")
            log.warning("%s", complaint)
            self._same_vectors = None  # once is enough

    def _connected(self) -> Any:
        from openai import OpenAI

        with self._lock:
            if self._client is None:
                vector_bytes = self._dimension * BYTES_PER_NUMBER + BYTES_PER_TEXT
                self._client = OpenAI(
                    base_url=self._base_url,
                    api_key=self._key() or "none",
                    max_retries=self._retries,
                    timeout=self._timeout,
                    http_client=guarded_client(self._batch_size * vector_bytes),
                )
            return self._client

    def _key(self) -> str:
        if self._key_variable is None:
            return ""
        key = os.environ.get(self._key_variable, "")
        if not key:
            setting = f"{SETTINGS}.api_key_variable"
            raise StopRunError(describe_missing_key(self._address, self._key_variable, setting))
        return key

    @property
    def _address(self) -> str:
        """Return the address without credentials."""
        return shown_address(self._base_url)

    def _mask(self, text: str) -> str:
        """Return an error message without the key and credentials."""
        return masked(text.replace(self._base_url, self._address), self._key())
