"""Chat and raw completions of any OpenAI-compatible endpoint, through the library openai.

The library's own retries are disabled; tenacity retries here and respects Retry-After.
"""

import os
import time
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Literal, get_args

from remem.llm.books import SharedLimiter
from remem.llm.completion_json import read_completion
from remem.llm.connecting import (
    SETTINGS,
    needs_key,
    nobody_answers,
    shown_address,
    told_down,
    told_no_key,
)
from remem.llm.endpoint import Answered, EndpointError, JsonMode, Malformed
from remem.llm.guarded_client import guarded_client
from remem.llm.limiter import Limiter, Limits
from remem.llm.list_ends import cut_if_full, with_ends
from remem.llm.masking import masked, masked_bytes
from remem.llm.request_body import STOP, Kind, chat_message, raw_text, tool_choice
from remem.llm.retry_after import told_seconds
from remem.llm.thread_clients import ThreadClients
from remem.protocols import ChatRequest, StopRunError

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
        token_parameter: Literal["max_tokens", "max_completion_tokens"],
        json_mode: JsonMode,
        tool_choice: Literal["required", "auto"],
        timeout_seconds: float,
        tries: int,
        limits: Limits | SharedLimiter,
    ) -> None:
        _check("kind", kind, *get_args(Kind))
        _check("token_parameter", token_parameter, "max_tokens", "max_completion_tokens")
        _check("json_mode", json_mode, *get_args(JsonMode))
        _check("tool_choice", tool_choice, "required", "auto")
        if tries < 1:
            raise ValueError(f"tries is {tries}, expected at least 1")
        self._kind = kind
        self._base_url = base_url
        self._key_variable = key_variable
        self._known_as = known_as
        self._model = model
        self._sampling = {
            key: value
            for key, value in (("temperature", temperature), ("seed", seed))
            if value is not None
        }
        self._max_output_tokens = max_output_tokens
        self._token_parameter = token_parameter
        self._json_mode = json_mode
        self._tool_choice = tool_choice
        self._timeout = timeout_seconds
        self._tries = tries
        self._limiter = Limiter(limits) if isinstance(limits, Limits) else limits
        self._clients = ThreadClients(self._connect)

    @property
    def kind(self) -> str:
        """Return the protocol."""
        return self._kind

    @property
    def model(self) -> str:
        """Return the exact name of the model."""
        return self._model

    @property
    def settings(self) -> Mapping[str, Any]:
        """Return the temperature and the seed, if they are sent, and how a reply is shaped."""
        return {
            **self._sampling,
            "json_mode": self._json_mode,
            "tool_choice": self._tool_choice,
        }

    @property
    def max_output_tokens(self) -> int:
        """Return the maximum tokens of a reply."""
        return self._max_output_tokens

    @property
    def address(self) -> str:
        """Return the name of the server, or its base URL without credentials."""
        return self._known_as or shown_address(self._base_url)

    def send(self, request: ChatRequest) -> Answered:
        """Send one request; retry errors that may be temporary."""
        from openai import OpenAIError
        from tenacity import Retrying, retry_if_exception, stop_after_attempt

        malformed: list[Malformed] = []

        def send_once(client: Any, body: Mapping[str, Any]) -> Answered:
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
            answered = retrying(send_once, self._clients.mine(), self._body(request))
            return replace(answered, malformed=tuple(malformed))
        except (OpenAIError, EndpointError) as error:
            # Raised without its cause: a server may repeat the key, and a chain would show it.
            raise EndpointError(
                self._told(error), retryable=_is_retryable(error), malformed=tuple(malformed)
            ) from None

    def stop(self, reason: StopRunError) -> None:
        """Send no further requests."""
        self._limiter.stop(reason)

    def _send_once(self, client: Any, body: Mapping[str, Any]) -> Answered:
        with self._limiter.admitted(self._most_tokens(body)) as admission:
            begun = time.perf_counter()
            # Not `chat.completions.create`: building its unused types takes half of a call.
            path = "/completions" if "prompt" in body else "/chat/completions"
            content = client.post(path, body=body, cast_to=bytes)
            reply = read_completion(self._without_key(content))
            asked = body.get("response_format", {}).get("json_schema", {})
            reply = cut_if_full(reply, asked.get("schema", {}))
            used = reply.usage.prompt_tokens + reply.usage.completion_tokens
            admission.tokens = used or admission.tokens
            return Answered(reply, time.perf_counter() - begun)

    def _most_tokens(self, body: Mapping[str, Any]) -> int:
        texts = [message["content"] for message in body.get("messages", [])]
        characters = len(body.get("prompt", "")) + sum(map(len, texts))
        return characters // CHARACTERS_PER_TOKEN + self._max_output_tokens

    def _seconds_to_wait(self, state: Any) -> float:
        """Return the seconds to wait: Retry-After for all threads, else a random backoff."""
        from tenacity import wait_random_exponential

        response = getattr(state.outcome.exception(), "response", None)
        told = None if response is None else told_seconds(response.headers, datetime.now(UTC))
        if told is None:
            return float(wait_random_exponential(max=LONGEST_BACKOFF_SECONDS)(state))
        if told > LONGEST_WAIT_SECONDS:
            raise StopRunError(
                f"{self.address} accepts the next call of {self._model} only in {told:.0f} "
                f"seconds, and remem waits at most {LONGEST_WAIT_SECONDS:.0f}; run the same "
                f"command then to continue"
            )
        self._limiter.pause(told)
        return 0.0

    def _body(self, request: ChatRequest) -> dict[str, Any]:
        return {
            "model": self._model,
            **self._said(request),
            self._token_parameter: self._max_output_tokens,
            **self._sampling,
            **self._shape(request),
        }

    def _said(self, request: ChatRequest) -> dict[str, Any]:
        if self._kind == "openai-chat":
            return {"messages": [chat_message(message) for message in request.messages]}
        if request.tools:
            raise StopRunError(
                "a base model (llm.build.endpoint.kind=openai-completion) cannot call tools; use "
                "planner=llm or llm.build.endpoint.kind=openai-chat"
            )
        return {"prompt": raw_text(request.messages), "stop": [STOP]}

    def _shape(self, request: ChatRequest) -> dict[str, Any]:
        """Return the parameters that request tool calls or a JSON object of a schema."""
        shape: dict[str, Any] = {}
        if request.reply_grammar and self._json_mode == "alternatives":
            shape["grammar"] = request.reply_grammar
        if request.tools:
            functions = [
                {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
                for tool in request.tools
            ]
            shape["tools"] = [{"type": "function", "function": function} for function in functions]
            shape["tool_choice"] = tool_choice(request.tool_choice or self._tool_choice)
        if request.reply_schema is not None and self._json_mode != "text":
            shape["response_format"] = self._format(request.reply_schema, request.strict)
            if self._json_mode == "alternatives" and request.reply_alternatives is not None:
                ended = with_ends(request.reply_alternatives, self._max_output_tokens)
                named = {"name": "reply", "schema": ended}
                shape["response_format"] = {"type": "json_schema", "json_schema": named}
        return shape

    def _format(self, schema: Mapping[str, Any], strict: bool) -> dict[str, Any]:
        # A schema that allows any object cannot be strict, so a plain JSON object is requested.
        if self._json_mode == "object" or "properties" not in schema:
            return {"type": "json_object"}
        named = {"name": "reply", "schema": schema, "strict": strict}
        return {"type": "json_schema", "json_schema": named}

    def _connect(self) -> Any:
        from openai import DEFAULT_CONNECTION_LIMITS, OpenAI

        # The class is httpx's or httpx2's, depending on openai's version.
        limits: Any = type(DEFAULT_CONNECTION_LIMITS)
        kept = limits(max_connections=None, max_keepalive_connections=None)
        return OpenAI(
            base_url=self._base_url,
            api_key=self._key(),
            max_retries=0,
            timeout=self._timeout,
            # Proxies of the environment are not used for loopback addresses.
            http_client=guarded_client(
                LARGEST_REPLY, limits=kept, trust_env=needs_key(self._base_url)
            ),
        )

    def _key(self) -> str:
        key = os.environ.get(self._key_variable, "")
        if not key and needs_key(self._base_url):
            raise StopRunError(
                told_no_key(self.address, self._key_variable, f"{SETTINGS}.key_variable")
            )
        return key or "none"

    def _without_key(self, content: bytes) -> bytes:
        """Mask the key in a response, since valid and malformed responses are stored."""
        return masked_bytes(content, os.environ.get(self._key_variable, ""))

    def _told(self, error: Exception) -> str:
        text = f"{self.address}: {type(error).__name__}: {error}"
        if nobody_answers(error):
            text = told_down(self.address, error, f"{SETTINGS}.base_url")
        return masked(text, os.environ.get(self._key_variable, ""))


def _check(name: str, chosen: str, *choices: str) -> None:
    if chosen not in choices:
        raise ValueError(f"{name} is {chosen!r}, expected {' or '.join(map(repr, choices))}")


def _is_retryable(error: BaseException) -> bool:
    from openai import APIConnectionError, APIStatusError

    if isinstance(error, EndpointError):
        return error.retryable
    if isinstance(error, APIStatusError):
        return error.status_code in RETRYABLE or error.status_code >= 500
    return isinstance(error, APIConnectionError)
