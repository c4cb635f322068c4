"""A stand-in for an OpenAI-compatible endpoint: no model, no key, no cost, no network.

Outside of rehearsals it accepts only its own model name, so no record can have made-up replies
under a real model's name. In a rehearsal it also answers to the names of other models; the address
in the call store shows that the calls went to the stub.
"""

import hashlib
import json
import threading
from dataclasses import dataclass, field, replace

from pydantic import ValidationError

from remem.embed.hashing import HashingEmbedder
from remem.embed.served_encoder import PAPER_ENCODERS, ServedEncoder
from remem.llm.endpoint import STUB
from remem.serve.account import Account, Counts, Tally
from remem.serve.chat_completions import (
    ChatCompletionRequest,
    StubReply,
    completion,
    count_tokens,
    tally,
)
from remem.serve.embeddings import checked_embeddings, first_problem, models_reply
from remem.serve.http_handler import Reply, Request, RequestError, Routes, error_reply, json_reply
from remem.serve.server import LoopbackServer
from remem.serve.stub.extraction import Size
from remem.serve.stub.faults import CONTENT, FaultPlan, spoiled
from remem.serve.stub.replies import stub_reply
from remem.serve.stub.schema import check_schema

STUB_MODEL = STUB
DIMENSION = 256
"""The length of the stub's embeddings."""


@dataclass(frozen=True, slots=True)
class StubSettings:
    """The behaviour of the stub.

    Attributes:
        latency_seconds: The minimum duration of every call, in seconds.
        size: "paper" to extract as many gists and facts from a session as the paper, or "plain".
        faults: The faults to inject.
        poses: Whether the stub accepts any language model's name and serves embeddings under the
            names of the paper's encoders.
    """

    latency_seconds: float = 0.0
    size: Size = "plain"
    faults: FaultPlan = field(default_factory=FaultPlan)
    poses: bool = False


class StubServer(LoopbackServer):
    """An HTTP server for the stub; it runs from `start` (or `with`) until `stop`."""

    def __init__(self, settings: StubSettings | None = None, *, port: int = 0) -> None:
        self._settings = settings or StubSettings()
        self._embedder = HashingEmbedder(dimension=DIMENSION)
        self._account = Account()
        self._stopping = threading.Event()
        super().__init__(self._routes(), port=port)

    @property
    def base_url(self) -> str:
        """Return the base URL for clients."""
        return f"{self.url}/v1"

    @property
    def counts(self) -> Counts:
        """Return the counts of all requests and replies so far."""
        return self._account.counts

    def stop(self) -> None:
        """Stop the server, and release hanging requests."""
        self._stopping.set()
        super().stop()

    @property
    def _encoders(self) -> tuple[str, ...]:
        return (STUB_MODEL, *(PAPER_ENCODERS if self._settings.poses else ()))

    def _routes(self) -> Routes:
        return {
            ("POST", "/v1/chat/completions"): self._chat,
            ("POST", "/v1/embeddings"): self._embed,
            ("GET", "/v1/models"): lambda _: models_reply(*map(ServedEncoder, self._encoders)),
            ("GET", "/health"): lambda _: json_reply({"status": "ok"}),
            ("GET", "/counts"): lambda _: json_reply(self.counts.as_json()),
        }

    def _chat(self, request: Request) -> Reply:
        chat_request = _checked(request.body, poses=self._settings.poses)
        meant = stub_reply(chat_request, self._settings.size)
        sha256, fault = self._count_request(request, meant.kind, _first_body(request, chat_request))
        if fault in CONTENT:
            meant = _spoiled(meant, fault, sha256)
        content = completion(chat_request, meant, sha256)
        return self._delivered(
            request, json_reply(content), tally(chat_request, meant), meant.kind, fault
        )

    def _embed(self, request: Request) -> Reply:
        wanted = request.body.get("model") if isinstance(request.body, dict) else None
        name = wanted if wanted in self._encoders else STUB_MODEL
        content = checked_embeddings(self._embedder, name, request.body)
        given = request.body["input"]
        tokens = sum(map(count_tokens, [given] if isinstance(given, str) else given))
        content["usage"] = {"prompt_tokens": tokens, "total_tokens": tokens}
        _, fault = self._count_request(request, "embeddings", request.raw)
        billed = Tally(0, 1, tokens, 0)
        return self._delivered(request, json_reply(content), billed, "embeddings", fault)

    def _count_request(self, request: Request, kind: str, body: bytes) -> tuple[str, str]:
        """Record a request; return the checksum of its body and its fault, if any.

        Faults of content do not apply to embeddings, which have no text.
        """
        sha256 = hashlib.sha256(body).hexdigest()
        request_count = self._account.count_request(request.label + request.path, kind, sha256)
        fault = self._settings.faults.fault(sha256, request_count) or ""
        if fault in CONTENT and kind == "embeddings":
            return sha256, ""
        if fault:
            self._account.failed(fault)
        return sha256, fault

    def _delivered(
        self, request: Request, reply: Reply, billed: Tally, kind: str, fault: str
    ) -> Reply:
        """Wait for the latency, then return the reply to send, with any fault of transport."""
        self._stopping.wait(self._settings.latency_seconds)
        plan = self._settings.faults
        if fault in ("429", "500"):
            return error_reply(int(fault), "this failure was injected", {"Retry-After": "0"})
        if fault == "hang":
            self._stopping.wait(plan.hang_seconds)
            return replace(reply, cut_at=0)
        if fault == "cut":
            return replace(reply, cut_at=len(reply.content) // 2)
        path = request.label + request.path
        return replace(reply, count=lambda times: self._account.sent(path, kind, billed, times))


def _checked(body: object, *, poses: bool) -> ChatCompletionRequest:
    try:
        request = ChatCompletionRequest.model_validate(body)
        for schema in (
            request.schema_of_reply,
            *(function.parameters for function in request.functions),
        ):
            check_schema(schema)
    except ValidationError as error:
        raise RequestError(400, first_problem(error)) from error
    if request.model != STUB_MODEL and not poses:
        raise RequestError(404, f"unknown model {request.model!r}; this server has {STUB_MODEL!r}")
    return request


def _first_body(request: Request, chat_request: ChatCompletionRequest) -> bytes:
    """Return the body that the first attempt at a request had, in the openai library's format."""
    count = len(chat_request.first_asked)
    if count == len(chat_request.messages):
        return request.raw
    first = {**request.body, "messages": request.body["messages"][:count]}
    return json.dumps(first, ensure_ascii=False, separators=(",", ":")).encode()


def _spoiled(meant: StubReply, fault: str, sha256: str) -> StubReply:
    if fault == "empty":
        return StubReply(meant.kind)
    return StubReply(
        meant.kind,
        "" if meant.calls else spoiled(fault, meant.text, sha256),
        tuple((name, spoiled(fault, arguments, sha256)) for name, arguments in meant.calls),
        cut=meant.cut or fault == "truncated",
    )
