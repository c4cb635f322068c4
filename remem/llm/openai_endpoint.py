"""Chat and raw completions of any OpenAI-compatible endpoint, through the library openai.

The library's own retries are disabled; tenacity retries here and respects Retry-After.
"""

import json
import os
import time
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, TypeVar

from remem.errors import StopRunError
from remem.llm.endpoint import EndpointError, EndpointReply, JsonMode, Malformed
from remem.llm.http_client import (
    SETTINGS,
    ThreadClients,
    describe_missing_key,
    describe_no_answer,
    guarded_client,
    needs_key,
    nobody_answers,
    read_retry_after,
    shown_address,
)
from remem.llm.limiter import Limiter, Limits, SharedLimiter
from remem.llm.masking import masked, masked_bytes
from remem.llm.request_body import BodyFormat, Kind, TokenParameter, ToolChoice
from remem.protocols import ChatReply, ChatRequest, NativeCall
from remem.types import Usage

MOST_TOKENS = 2**40
DIGITS = 12
KEPT_BYTES = 100_000
"""Maximum bytes stored of a malformed reply."""
ENDINGS = ("stop", "length", "tool_calls", "function_call")
"""Finish reasons of a complete reply; others, such as content_filter, mean a partial reply."""
Wanted = TypeVar("Wanted")


def read_completion(content: bytes) -> ChatReply:
    """Return the first choice as a reply.

    Raises:
        EndpointError: The content is not a completion; the message names the wrong part.
    """
    try:
        completion = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise _malformed(content, f"no JSON ({error})", Usage(1, 0, 0)) from error
    try:
        return _first_choice(_typed(completion, dict, "the reply"))
    except _WrongPartError as error:
        raise _malformed(content, str(error), _usage(completion)) from error


def mark_if_full(reply: ChatReply, schema: Mapping[str, Any]) -> ChatReply:
    """Mark a reply as cut if one of its lists has its maximum number of items."""
    ends = {
        name: part["maxItems"]
        for name, part in schema.get("properties", {}).items()
        if "maxItems" in part
    }
    if not ends:
        return reply
    try:
        content = json.loads(reply.text)
    except (ValueError, RecursionError):
        return reply
    parts = content if isinstance(content, dict) else {}
    is_full = any(
        isinstance(parts.get(name), list) and len(parts[name]) >= most
        for name, most in ends.items()
    )
    return replace(reply, truncated=True) if is_full else reply


class _WrongPartError(ValueError):
    """A part of a completion has a wrong type or value."""


def _first_choice(completion: dict[str, Any]) -> ChatReply:
    choices = _typed(completion.get("choices") or [], list, "choices")
    if not choices:
        raise _WrongPartError(f"no choices: {str(completion.get('error') or completion)[:300]}")
    choice = _typed(choices[0], dict, "choices.0")
    raw = {"content": choice["text"]} if "text" in choice else None  # of a raw completion
    message = _typed(choice.get("message", raw), dict, "message")
    ended = choice.get("finish_reason")
    if ended is not None and ended not in ENDINGS:
        raise _WrongPartError(f"the reply was ended by {str(ended)[:100]!r}")
    return ChatReply(
        text=_typed(message.get("content") or "", str, "content"),
        tool_calls=_tool_calls(message),
        truncated=ended == "length",
        usage=_usage(completion),
    )


def _tool_calls(message: dict[str, Any]) -> tuple[NativeCall, ...]:
    calls = _typed(message.get("tool_calls") or [], list, "tool_calls")
    return tuple(_tool_call(call, f"tool_calls.{at}") for at, call in enumerate(calls))


def _tool_call(call: Any, part: str) -> NativeCall:
    function = _typed(_typed(call, dict, part).get("function"), dict, "function")
    return NativeCall(
        _typed(function.get("name"), str, "function.name"),
        _typed(function.get("arguments") or "", str, "function.arguments"),
    )


def _usage(completion: Any) -> Usage:
    """Return the reported usage; missing or invalid counts are 0."""
    counted = completion.get("usage") if isinstance(completion, dict) else None
    counted = counted if isinstance(counted, dict) else {}
    return Usage(1, _count(counted.get("prompt_tokens")), _count(counted.get("completion_tokens")))


def _count(value: Any) -> int:
    """Return a token count, which some servers send as a string or a float."""
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) <= DIGITS:
        return int(value)
    whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    if whole and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS:
        return int(value)
    return 0


def _typed(value: Any, wanted: type[Wanted], part: str) -> Wanted:
    if not isinstance(value, wanted) or isinstance(value, bool):
        raise _WrongPartError(f"{part} is {str(value)[:100]!r}, expected {wanted.__name__}")
    return value


def _malformed(content: bytes, what: str, usage: Usage) -> EndpointError:
    text = content[:KEPT_BYTES].decode("utf-8", "replace")
    return EndpointError(
        f"the endpoint sent no chat completion: {what}",
        retryable=True,
        malformed=(Malformed(text, what, usage),),
    )


RETRYABLE = (408, 409, 429)
LONGEST_BACKOFF_SECONDS = 60.0
LONGEST_WAIT_SECONDS = 300.0
CHARACTERS_PER_TOKEN = 4
LARGEST_REPLY = 8 * 2**20
"""Maximum bytes of a reply, many times the longest one that a model writes."""


class OpenAIEndpoint:
    """A model behind `/v1/chat/completions`, or a base model behind `/v1/completions`.

    Args:
        kind: Chat completions or raw completions; a base model has neither tools nor chat messages.
        base_url: The endpoint, up to and including /v1.
        key_variable: The environment variable with the key; a loopback address needs none.
        known_as: The server's name in the call store; None for its base URL.
        model: The exact name of the model.
        temperature: The temperature; None for models that accept none.
        seed: The seed; None to send none.
        max_output_tokens: The maximum tokens of a reply.
        token_parameter: The name of that limit at the endpoint.
        json_mode: How a reply schema is requested; "text" leaves it to the prompt, and
            "alternatives" sends the request's tighter schema and grammar if it has them.
        tool_choice: The tool choice sent with tools; "auto" for endpoints that refuse "required".
        timeout_seconds: The maximum time without data from the endpoint within a try.
        tries: The maximum number of times a call is sent.
        limits: The limits on calls and tokens; a limiter if processes share one.
    """

    def __init__(
        self,
        *,
        kind: Kind,
        base_url: str,
        key_variable: str,
        known_as: str | None = None,
        model: str,
        temperature: float | None,
        seed: int | None,
        max_output_tokens: int,
        token_parameter: TokenParameter,
        json_mode: JsonMode,
        tool_choice: ToolChoice,
        timeout_seconds: float,
        tries: int,
        limits: Limits | SharedLimiter,
    ) -> None:
        if tries < 1:
            raise ValueError(f"tries is {tries}, expected at least 1")
        sampling = {
            key: value
            for key, value in (("temperature", temperature), ("seed", seed))
            if value is not None
        }
        self._format = BodyFormat(
            kind, model, sampling, max_output_tokens, token_parameter, json_mode, tool_choice
        )
        self.kind: str = kind
        self.model = model
        self.settings = sampling | {"json_mode": json_mode, "tool_choice": tool_choice}
        self.max_output_tokens = max_output_tokens
        self.address = known_as or shown_address(base_url)
        self._base_url = base_url
        self._key_variable = key_variable
        self._timeout = timeout_seconds
        self._tries = tries
        self._limiter = Limiter(limits) if isinstance(limits, Limits) else limits
        self._clients = ThreadClients(self._connect)

    def send(self, request: ChatRequest) -> EndpointReply:
        """Send one request; retry errors that may be temporary."""
        from openai import OpenAIError
        from tenacity import Retrying, retry_if_exception, stop_after_attempt

        malformed: list[Malformed] = []

        def send_once(client: Any, body: Mapping[str, Any]) -> EndpointReply:
            try:
                return self._send_once(client, body)
            except EndpointError as error:
                malformed.extend(error.malformed)
                raise

        retrying = Retrying(
            stop=stop_after_attempt(self._tries),
            wait=self._seconds_to_wait,
            sleep=self._limiter.sleep,
            retry=retry_if_exception(_is_retryable),
            reraise=True,
        )
        try:
            reply = retrying(send_once, self._clients.mine(), self._format.body(request))
            return replace(reply, malformed=tuple(malformed))
        except (OpenAIError, EndpointError) as error:
            # Raised without its cause: a server may repeat the key, and a chain would show it.
            raise EndpointError(
                self._describe(error), retryable=_is_retryable(error), malformed=tuple(malformed)
            ) from None

    def stop(self, reason: StopRunError) -> None:
        """Send no further requests."""
        self._limiter.stop(reason)

    def _send_once(self, client: Any, body: Mapping[str, Any]) -> EndpointReply:
        with self._limiter.admitted(self._most_tokens(body)) as admission:
            begun = time.perf_counter()
            # Not `chat.completions.create`: building its unused types takes half of a call.
            path = "/completions" if "prompt" in body else "/chat/completions"
            content = client.post(path, body=body, cast_to=bytes)
            reply = read_completion(self._without_key(content))
            reply_format = body.get("response_format", {}).get("json_schema", {})
            reply = mark_if_full(reply, reply_format.get("schema", {}))
            used = reply.usage.prompt_tokens + reply.usage.completion_tokens
            admission.tokens = used or admission.tokens
            return EndpointReply(reply, time.perf_counter() - begun)

    def _most_tokens(self, body: Mapping[str, Any]) -> int:
        texts = [message["content"] for message in body.get("messages", [])]
        characters = len(body.get("prompt", "")) + sum(map(len, texts))
        return characters // CHARACTERS_PER_TOKEN + self.max_output_tokens

    def _seconds_to_wait(self, state: Any) -> float:
        """Return the seconds to wait: Retry-After for all threads, else a random backoff."""
        from tenacity import wait_random_exponential

        response = getattr(state.outcome.exception(), "response", None)
        now = datetime.now(UTC)
        seconds = None if response is None else read_retry_after(response.headers, now)
        if seconds is None:
            return float(wait_random_exponential(max=LONGEST_BACKOFF_SECONDS)(state))
        if seconds > LONGEST_WAIT_SECONDS:
            raise StopRunError(
                f"{self.address} accepts the next call of {self.model} only in {seconds:.0f} "
                f"seconds, and remem waits at most {LONGEST_WAIT_SECONDS:.0f}; run the same "
                f"command then to continue"
            )
        self._limiter.pause(seconds)
        return 0.0

    def _connect(self) -> Any:
        from openai import DEFAULT_CONNECTION_LIMITS, OpenAI

        # The class is httpx's or httpx2's, depending on openai's version.
        limits: Any = type(DEFAULT_CONNECTION_LIMITS)
        unlimited = limits(max_connections=None, max_keepalive_connections=None)
        return OpenAI(
            base_url=self._base_url,
            api_key=self._key(),
            max_retries=0,
            timeout=self._timeout,
            # Proxies of the environment are not used for loopback addresses.
            http_client=guarded_client(
                LARGEST_REPLY, limits=unlimited, trust_env=needs_key(self._base_url)
            ),
        )

    def _key(self) -> str:
        key = os.environ.get(self._key_variable, "")
        if not key and needs_key(self._base_url):
            raise StopRunError(
                describe_missing_key(self.address, self._key_variable, f"{SETTINGS}.key_variable")
            )
        return key or "none"

    def _without_key(self, content: bytes) -> bytes:
        """Mask the key in a response, since valid and malformed responses are stored."""
        return masked_bytes(content, os.environ.get(self._key_variable, ""))

    def _describe(self, error: Exception) -> str:
        text = f"{self.address}: {type(error).__name__}: {error}"
        if nobody_answers(error):
            text = describe_no_answer(self.address, error, f"{SETTINGS}.base_url")
        return masked(text, os.environ.get(self._key_variable, ""))


def _is_retryable(error: BaseException) -> bool:
    from openai import APIConnectionError, APIStatusError

    if isinstance(error, EndpointError):
        return error.retryable
    if isinstance(error, APIStatusError):
        return error.status_code in RETRYABLE or error.status_code >= 500
    return isinstance(error, APIConnectionError)
