"""Serve our model and embedder to memories in other processes through OpenAI's API.

So our call store, budget, retries and counts apply to all calls of these memories, whichever
library they use. Each gateway requires its own token, so that other users of the machine cannot
send calls at our cost.
"""

import hashlib
from collections.abc import Callable
from secrets import token_urlsafe

from remem.apps.rivals.gateway_account import GatewayAccount, Place, read_label
from remem.apps.rivals.gateway_requests import GatewayEmbeddings, read_chat, read_embeddings
from remem.embed.served_encoder import ServedEncoder
from remem.errors import (
    BudgetReachedError,
    ModelUnavailableError,
    ReplayMissError,
    StopRunError,
    UnusableReplyError,
)
from remem.llm.endpoint import EndpointError
from remem.protocols import ChatModel, ChatReply, ChatRequest, Embedder, Vectors
from remem.serve.account import Tally
from remem.serve.chat_completions import StubReply, completion_of
from remem.serve.embeddings import embeddings_of, models_reply
from remem.serve.http_handler import Reply, Request, RequestError, Routes, error_reply, json_reply
from remem.serve.server import LoopbackServer
from remem.types import Stage, Usage

RETRY_AFTER_SECONDS = "5"
"""The Retry-After header after an outage, when our own retries have failed."""
TOKEN_BYTES = 32
IN_VAIN = {"x-should-retry": "false"}
"""The header that stops OpenAI's clients from retrying after 409 and 5xx."""


class Gateway(LoopbackServer):
    """An HTTP server for a chat model and an embedder, running from `start` (or `with`) to `stop`.

    Args:
        chat: The model that answers requests for completions.
        embedder: The embedder that answers requests for embeddings.
        name: The name of the model in replies.
        port: The port; 0 chooses a free one.
    """

    def __init__(self, chat: ChatModel, embedder: Embedder, name: str, port: int = 0) -> None:
        self._chat_model = chat
        self._embedder = embedder
        self._name = name
        self._account = GatewayAccount()
        self._token = token_urlsafe(TOKEN_BYTES)
        super().__init__(self._routes(), port=port, token=self._token)

    @property
    def token(self) -> str:
        """The token that clients read from an environment variable and send as their API key."""
        return self._token

    def base_url(self, run: str = "", history: str = "", stage: Stage = "index") -> str:
        """Return the base URL for a client's calls that belong to a run, history and stage."""
        return f"{self.url}{Place(run, history, stage).label}/v1"

    def usage(self, run: str = "", history: str = "", stage: Stage = "index") -> Usage:
        """Return the usage of the calls at the base URL of this run, history and stage."""
        return self._account.usage(Place(run, history, stage))

    def failure(self, run: str = "", history: str = "", stage: Stage = "index") -> Exception | None:
        """Return the error of the first failed call of this run, history and stage; else None.

        The memory that made the call may have hidden the error.
        """
        return self._account.failure(Place(run, history, stage))

    def _routes(self) -> Routes:
        return {
            ("POST", "/v1/chat/completions"): lambda request: self._counted(request, self._chat),
            ("POST", "/v1/embeddings"): lambda request: self._counted(request, self._embed),
            ("GET", "/v1/models"): lambda _: models_reply(ServedEncoder(self._name)),
            ("GET", "/usage"): lambda _: json_reply(
                {"model": self._name, **self._account.as_json()}
            ),
        }

    def _counted(self, request: Request, answer: Callable[[Place, object], Reply]) -> Reply:
        """Answer a request; count errors and turn them into replies."""
        place = read_label(request.label)
        try:
            return answer(place, request.body)
        except RequestError as error:
            self._account.error(place, error.status)
            raise
        except (ModelUnavailableError, StopRunError) as error:
            status, headers = _status(error)
            self._account.error(place, status, error, getattr(error, "usage", None))
            return error_reply(status, str(error), headers)

    def _chat(self, place: Place, body: object) -> Reply:
        chat_request = read_chat(body)
        request = chat_request.ours(place.stage)
        try:
            reply, usage = self._chat_model.ask(request, _as_it_is)
        except ValueError as error:  # NaN, half a character: what JSON or UTF-8 cannot say
            raise RequestError(400, f"the request cannot be sent: {error}") from error
        self._account.chat(place, usage, chat_request.left_out(self._name))
        return json_reply(_completion(self._name, request, reply, usage))

    def _embed(self, place: Place, body: object) -> Reply:
        embeddings_request = read_embeddings(body)
        if embeddings_request.dimensions not in (None, self._embedder.dimension):
            raise RequestError(
                400,
                f"the vectors of this server have {self._embedder.dimension} dimensions, not "
                f"{embeddings_request.dimensions}; leave out dimensions",
            )
        vectors = self._vectors(place, embeddings_request)
        self._account.embeddings(
            place, len(embeddings_request.texts), embeddings_request.left_out(self._name)
        )
        return json_reply(embeddings_of(vectors, self._name, embeddings_request.encoding_format))

    def _vectors(self, place: Place, embeddings_request: GatewayEmbeddings) -> Vectors:
        """Embed texts as queries in recall, else as documents; the request may override this."""
        usual = "query" if place.stage == "recall" else "document"
        try:
            if (embeddings_request.input_type or usual) == "query":
                return self._embedder.embed_queries(
                    embeddings_request.texts, embeddings_request.target
                )
            return self._embedder.embed_documents(embeddings_request.texts)
        except ValueError as error:  # a key that is not set, vectors of the wrong length
            raise ModelUnavailableError(f"the embedder failed: {error}") from error


def _as_it_is(reply: ChatReply) -> ChatReply:
    """Return a reply unchanged, since the client parses it."""
    return reply


def _completion(name: str, request: ChatRequest, reply: ChatReply, usage: Usage) -> object:
    """Return a reply in OpenAI's shape; the same request gives the same bytes, ids included."""
    sha256 = hashlib.sha256(repr(request).encode("utf-8", "backslashreplace")).hexdigest()
    calls = tuple((call.name, call.arguments) for call in reply.tool_calls)
    billed = Tally(0, 1, usage.prompt_tokens, usage.completion_tokens)
    return completion_of(name, StubReply("", reply.text, calls, reply.truncated), billed, sha256)


def _status(error: Exception) -> tuple[int, dict[str, str]]:
    """Return the HTTP status and headers for an error, including whether clients may retry."""
    if isinstance(error, BudgetReachedError):
        return 402, IN_VAIN
    if isinstance(error, ReplayMissError):
        return 409, IN_VAIN
    if isinstance(error, StopRunError):
        return 503, IN_VAIN
    refused = isinstance(error.__cause__, EndpointError) and not error.__cause__.retryable
    if isinstance(error, UnusableReplyError) or refused:
        return 502, IN_VAIN
    return 503, {"Retry-After": RETRY_AFTER_SECONDS}
