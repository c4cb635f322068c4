"""The stub in this process for REMem and its peers: one model, one embedder, one meter.

What it takes is left out; what a system does to ask it and to read its replies is not.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from measure.left_out import CallCount, LeftOut
from remem.embed.hashing import HashingEmbedder
from remem.errors import StopRunError
from remem.llm.endpoint import STUB, EndpointReply
from remem.protocols import ChatRequest, QueryTarget, Vectors
from remem.serve.chat_completions import ChatCompletionRequest, StubReply
from remem.serve.stub.endpoint import StubEndpoint
from remem.serve.stub.replies import stub_reply

DIMENSION = 512
MOST_TOKENS = 16384


@dataclass(frozen=True, slots=True)
class MeteredStub:
    """The model in the format of OpenAI's clients, for a peer's package, and the embedder."""

    left_out: LeftOut
    asked: CallCount
    embedder: HashingEmbedder = field(default_factory=lambda: HashingEmbedder(dimension=DIMENSION))
    dimension: int = DIMENSION

    def reply(self, messages: Sequence[Mapping[str, Any]], **fields: object) -> StubReply:
        """Return a reply to messages and other fields of a request, such as its tools."""
        self.asked.add()
        with self.left_out.stub():
            body = fields | {"model": STUB, "messages": list(messages), "max_tokens": MOST_TOKENS}
            return stub_reply(ChatCompletionRequest.model_validate(body), "plain")

    def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        """Return vectors as an endpoint gives them."""
        with self.left_out.stub():
            rows: list[list[float]] = self.embedder.embed_documents(texts).tolist()
            return rows

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of documents."""
        with self.left_out.stub():
            return self.embedder.embed_documents(texts)

    def embed_queries(self, texts: Sequence[str], target: QueryTarget) -> Vectors:
        """Return the vectors of queries."""
        with self.left_out.stub():
            return self.embedder.embed_queries(texts, target)


@dataclass(frozen=True, slots=True)
class MeteredEndpoint:
    """The model for REMem's chat model; it extracts a session at the paper's size."""

    left_out: LeftOut
    asked: CallCount
    stub: StubEndpoint = field(
        default_factory=lambda: StubEndpoint(size="paper", max_output_tokens=MOST_TOKENS)
    )
    kind: str = STUB
    model: str = STUB
    settings: Mapping[str, Any] = field(default_factory=dict)
    max_output_tokens: int = MOST_TOKENS
    address: str = "nowhere"

    def send(self, request: ChatRequest) -> EndpointReply:
        """Return a made-up reply."""
        self.asked.add()
        with self.left_out.stub():
            return self.stub.send(request)

    def stop(self, reason: StopRunError) -> None:
        """Do nothing, because no request is pending."""
