"""A chat model with a call store: each call is sent once; later, its reply comes from the store.

Every reply is stored before it is used, even if it is rejected, so that a repeated run gets the
same replies without new calls. If no reply was usable, the call fails, and a restarted run makes
further attempts. After a rejected reply, the next attempt also sends that reply and the reason,
because the same request might get the same reply.
"""

import math
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import Protocol

from remem.errors import (
    ModelUnavailableError,
    RejectedReplyError,
    ReplayMissError,
    StopRunError,
    UnusableReplyError,
)
from remem.llm.budget import Budget, Price, read_price
from remem.llm.call_store import NOTHING, CallStore, KeyLocks, Outcome, Received, Sent
from remem.llm.channels import answer_only, part
from remem.llm.endpoint import (
    Endpoint,
    EndpointError,
    EndpointReply,
    Malformed,
    Served,
    ServesModel,
)
from remem.llm.http_client import check_same_server
from remem.llm.ledger import Ledger
from remem.llm.likelihood import (
    LikelihoodEndpoint,
    LikelihoodRequest,
    likelihood_json,
    read_log_probabilities,
)
from remem.llm.replay import ReplayEndpoint, call_key, sent_json
from remem.llm.retry_messages import reject_repeated, request_again
from remem.protocols import ChatReply, ChatRequest, Parsed
from remem.types import UNCOUNTED, Stage, Usage


class Books(Protocol):
    """The interface of a CallStore, a Budget and KeyLocks that another process owns."""

    @property
    def path(self) -> Path:
        """Return the path of the SQLite file of the calls."""

    def locked(self, key: str) -> AbstractContextManager[None]:
        """Hold the lock of a call during the block."""

    def received(self, key: str) -> Received | None:
        """Return the first stored reply to a call, even if it was rejected."""

    def keep_reply(self, sent: Sent, reply: ChatReply) -> Received:
        """Store a reply and return the one to use: the first that was stored."""

    def keep_error(
        self, sent: Sent, error: str, response: str = "", usage: Usage = NOTHING
    ) -> None:
        """Record that a call got no reply."""

    def mark(self, received: Received, outcome: Outcome, error: str = "") -> None:
        """Record the outcome of a reply."""

    def reserve(self, most: Usage) -> float:
        """Reserve the maximum cost of a call and return it in dollars."""

    def settle(self, reserved: float, usage: Usage) -> None:
        """Replace the amount reserved for a call by its actual cost."""


AFTER_MALFORMED = "came after responses that were no completions"


@dataclass(frozen=True, slots=True)
class PendingCall:
    """A call to send: its stage, its request as canonical JSON, and the function that sends it."""

    stage: Stage
    sent: str
    send: Callable[[], EndpointReply]


class StoredChatModel:
    """A model that uses an endpoint with a call store and a budget.

    Args:
        endpoint: The endpoint. It does its own retries; its errors are not retried here.
        store: The SQLite file of the calls, or `Books` if another process owns it.
        attempts: The maximum number of attempts to get a usable reply to a request, per start of
            the run.
        repeat: The number of the repeat, counted from 0; each repeat has its own replies.
        budget_dollars: The spending limit per start of the run; None for no limit, 0 to send no
            calls.
        prices: The name of a price list in conf/prices, or a path; read only if there is a budget
            or a ledger.
        ledger: The SQLite file of a ledger; if given, the budget limits the total of the ledger.
            None by default, because configurations of earlier versions have no such setting.
    """

    def __init__(
        self,
        *,
        endpoint: Endpoint,
        store: str | Books,
        attempts: int,
        repeat: int,
        budget_dollars: float | None,
        prices: str,
        ledger: str | None = None,
    ) -> None:
        if attempts < 1:
            raise ValueError(f"attempts is {attempts}, expected at least 1")
        if repeat < 0:
            raise ValueError(f"repeat is {repeat}, expected at least 0")
        self._endpoint = endpoint
        self._attempts = attempts
        self._repeat = repeat
        self._store: CallStore | Books
        self._budget: Budget | Books
        self._locks: KeyLocks | Books
        if isinstance(store, str):
            self._budget = open_budget(
                budget_dollars, prices, endpoint.model, Path(ledger) if ledger else None
            )
            self._store = CallStore(Path(store))
            self._locks = KeyLocks()
        else:
            self._store = self._budget = self._locks = store

    @property
    def model(self) -> str:
        """Return the exact name of the model."""
        return self._endpoint.model

    def ask(
        self, request: ChatRequest, parse: Callable[[ChatReply], Parsed]
    ) -> tuple[Parsed, Usage]:
        """Return the parsed form of the first reply that `parse` accepts, and the usage."""
        try:
            return self._ask_until_usable(request, parse)
        except StopRunError as reason:
            self._endpoint.stop(reason)  # no other thread must wait for an unwanted reply
            raise

    def likelihood(self, request: LikelihoodRequest) -> tuple[tuple[float, ...], Usage]:
        """Return the natural log-probabilities of a text's tokens after a prompt, and the usage."""
        if not isinstance(self._endpoint, LikelihoodEndpoint):
            raise StopRunError(
                f"{self._endpoint.model} cannot return the likelihood of a text; choose a model "
                "that the run serves itself, such as llm=smollm2"
            )
        sent = likelihood_json(self._endpoint, request)
        call = PendingCall(request.stage, sent, partial(self._endpoint.likelihood, request))
        try:
            received, _ = self._reply(call, call_key(sent, self._repeat, 0))
        except StopRunError as reason:
            self._endpoint.stop(reason)
            raise
        return read_log_probabilities(received.reply.text), received.reply.usage

    def repeated(self, repeat: int) -> "StoredChatModel":
        """Return a model for another repeat; it shares this model's endpoint, store and budget."""
        other = copy(self)
        other._repeat = repeat
        return other

    def check_server(self) -> None:
        """Raise StopRunError if the endpoint needs a local server that cannot be started."""
        if isinstance(self._endpoint, ServesModel):
            self._endpoint.check_server()

    def end_server(self) -> Served:
        """Stop the endpoint's local server, if any, and return the totals of its calls."""
        endpoint = self._endpoint
        return endpoint.end_server() if isinstance(endpoint, ServesModel) else Served()

    def stop(self) -> None:
        """Send no further calls; safe to call from a signal handler."""
        self._endpoint.stop(
            StopRunError("no further calls are sent, because the run was interrupted")
        )

    def _ask_until_usable(
        self, request: ChatRequest, parse: Callable[[ChatReply], Parsed]
    ) -> tuple[Parsed, Usage]:
        call = self._call(request)
        sent, usage, asked_now = call.sent, Usage(), 0
        requests = [request]
        reasons: list[str] = []
        for attempt in count():
            if asked_now == self._attempts:
                break
            key = call_key(sent, self._repeat, attempt)
            try:
                received, is_new = self._reply(call, key)
            except ModelUnavailableError as error:
                error.usage = usage
                raise
            except ReplayMissError:
                if len(reasons) < self._attempts:
                    raise
                break  # the recorded replies end here
            asked_now += is_new
            reply = received.reply
            remarks = dict.fromkeys((*reply.remarks, *part(reply.text).rules), 1)
            usage += replace(reply.usage, cut_replies=int(reply.truncated), remarks=remarks)
            try:
                return self._parsed(received, reject_repeated(parse, reasons)), usage
            except RejectedReplyError as error:
                usage += Usage(rejected_replies=1)
                reasons.append(str(error))
                requests.append(request_again(requests, reply, str(error)))
                call = self._call(requests[-1])
        raise UnusableReplyError(
            f"{request.stage}: {self._endpoint.model} gave no usable reply (attempts: "
            f"{len(reasons)}): {'; '.join(reasons)}",
            usage,
            self._endpoint.address,
        )

    def _parsed(self, received: Received, parse: Callable[[ChatReply], Parsed]) -> Parsed:
        """Parse a reply, unless it was rejected before, and record its outcome."""
        if received.outcome == "rejected":
            raise RejectedReplyError(received.error)
        try:
            parsed = parse(answer_only(received.reply))
        except RejectedReplyError as error:
            rejected: Outcome = "truncated" if received.reply.truncated else "rejected"
            self._store.mark(received, rejected, str(error))
            raise
        if received.outcome == "truncated" and parsed is not None:  # it is complete enough to use
            self._store.mark(received, "ok")
        return parsed

    def _call(self, request: ChatRequest) -> PendingCall:
        sent = sent_json(self._endpoint, request)
        return PendingCall(request.stage, sent, partial(self._endpoint.send, request))

    def _reply(self, call: PendingCall, key: str) -> tuple[Received, bool]:
        """Return the stored reply to a call, or send the call; also return whether it was sent."""
        with self._locks.locked(key):
            stored = self._store.received(key)
            received = stored or self._send(call, key)
        if not isinstance(self._endpoint, ReplayEndpoint):
            replies = f"the stored replies of {self._endpoint.model}"
            check_same_server(received.address, self._endpoint.address, replies)
        return received, stored is None

    def _send(self, call: PendingCall, key: str) -> Received:
        """Send a call within the budget and store the reply or the error."""
        # A text has at most one token per byte, and its JSON is longer than the text.
        most = Usage(1, len(call.sent), self._endpoint.max_output_tokens)
        reserved, used = self._budget.reserve(most), Usage()
        begun = time.perf_counter()

        def row(latency: float) -> Sent:
            waited = time.perf_counter() - begun - latency
            return Sent(key, call.stage, call.sent, latency, waited, self._endpoint.address)

        def keep_malformed(responses: Sequence[Malformed]) -> Usage:
            counted = [_counted(response, most) for response in responses]
            for response in counted:
                self._store.keep_error(row(0.0), response.reason, response.text, response.usage)
            return sum((response.usage for response in counted), Usage())

        try:
            sent = call.send()
            usage = sent.reply.usage
            is_unknown = sent.malformed and not usage.prompt_tokens
            if is_unknown or UNCOUNTED in sent.reply.remarks:
                usage = most  # an unknown cost may be this high
            used = keep_malformed(sent.malformed) + usage
            remarks = (*sent.reply.remarks, *([AFTER_MALFORMED] if sent.malformed else []))
            reply = replace(sent.reply, remarks=remarks)
            return self._store.keep_reply(row(sent.latency_seconds), reply)
        except EndpointError as error:
            used = keep_malformed(error.malformed)
            self._store.keep_error(row(0.0), str(error))
            raise error.stop or ModelUnavailableError(f"{call.stage}: {error}") from error
        except ReplayMissError as miss:
            raise ReplayMissError(f"{self._store.path}: {miss} (key {key})") from miss
        finally:
            self._budget.settle(reserved, used)


def _counted(response: Malformed, most: Usage) -> Malformed:
    """Return a malformed response, with the maximum usage if it reports none."""
    if response.usage.prompt_tokens:
        return response
    reason = f"{response.reason} (it reports no usage and counts as the most that it could cost)"
    return replace(response, reason=reason, usage=most)


def open_budget(dollars: float | None, prices: str, model: str, ledger: Path | None) -> Budget:
    """Return a model's budget; it has no limit if `dollars` is None.

    If `ledger` is None, only the spending of this budget is limited.
    """
    if dollars is None and ledger is None:
        return Budget(math.inf, Price(0.0, 0.0))
    limit, price = math.inf if dollars is None else dollars, read_price(prices, model)
    return Budget(limit, price, None if ledger is None else Ledger(ledger))
