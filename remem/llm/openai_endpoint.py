"""Request chat or raw completions from an OpenAI-compatible endpoint with the library openai.

The library's own retries are disabled; tenacity retries here and respects Retry-After.
"""

import os
import time
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Literal

from remem.errors import StopRunError, UnhealthyServerError
from remem.llm.completion import KEPT_BYTES, cached_tokens, mark_if_full, read_completion
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
from remem.llm.refusals import CHAT_CURES, Refusal, read_refusal
from remem.llm.request_body import BodyFormat, Kind, TokenParameter, ToolChoice
from remem.llm.served_model import fewest_tokens, is_other_model
from remem.protocols import ChatReply, ChatRequest
from remem.types import UNCOUNTED

RETRYABLE = (408, 409, 429)
LONGEST_BACKOFF_SECONDS = 60.0
LONGEST_WAIT_SECONDS = 300.0
CHARACTERS_PER_TOKEN = 4
LEAST_CONTEXT = 32
"""The smallest context of any server, in tokens."""
LARGEST_REPLY = 8 * 2**20
"""Maximum bytes of a reply, many times the longest one that a model writes."""


class OpenAIEndpoint:
    """A model at `/v1/chat/completions`, or a base model at `/v1/completions`.

    Args:
        kind: Chat completions or raw completions; a base model has neither tools nor chat messages.
        base_url: The address of the endpoint, up to and including /v1.
        key_variable: The environment variable with the key; a loopback address needs no key.
        known_as: The address that the call store records; None for `base_url`.
        model: The exact name of the model.
        temperature: The temperature; None to send none, for models that refuse it.
        seed: The seed; None to send none.
        max_output_tokens: The maximum number of tokens of a reply.
        token_parameter: The name of the parameter for `max_output_tokens` at the endpoint.
        json_mode: How a reply schema is requested. With "text", only the prompt requests JSON. With
            "alternatives", the stricter schema and the grammar of a request are sent, if it has
            them.
        tool_choice: The tool choice sent with tools; use "auto" if the endpoint refuses "required".
        timeout_seconds: The maximum time that a try waits for data from the endpoint.
        tries: The maximum number of times a call is sent.
        limits: The limits on calls and tokens, or a limiter that several processes share.
        cut_prompts: What to do if the server read only part of a prompt: "stop" the run, or
            "warn".
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
        cut_prompts: Literal["stop", "warn"] = "stop",  # earlier configurations have none
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
        self._stops_if_cut = cut_prompts == "stop"
        self._limiter = Limiter(limits) if isinstance(limits, Limits) else limits
        self._clients = ThreadClients(self._connect)

    def send(self, request: ChatRequest) -> EndpointReply:
        """Send one request; try again after errors that may be temporary."""
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
            retry=retry_if_exception(self._is_retryable),
            reraise=True,
        )
        try:
            reply = retrying(send_once, self._clients.mine(), self._format.body(request))
            return replace(reply, malformed=tuple(malformed))
        except (OpenAIError, EndpointError) as error:
            # Raised without its cause: a server may repeat the key, and a chain would show it.
            raise EndpointError(
                self._describe(error),
                retryable=self._is_retryable(error),
                malformed=tuple(malformed),
                stop=self._stop(error),
            ) from None

    def stop(self, reason: StopRunError) -> None:
        """Send no further requests."""
        self._limiter.stop(reason)

    def _send_once(self, client: Any, body: Mapping[str, Any]) -> EndpointReply:
        with self._limiter.admitted(self._most_tokens(body)) as admission:
            begun = time.perf_counter()
            # Not `chat.completions.create`: building its unused types takes half of a call.
            path = "/completions" if "prompt" in body else "/chat/completions"
            content = self._without_key(client.post(path, body=body, cast_to=bytes))
            reply = self._compared(read_completion(content), body, content)
            reply_format = body.get("response_format", {}).get("json_schema", {})
            reply = mark_if_full(reply, reply_format.get("schema", {}))
            used = reply.usage.prompt_tokens + reply.usage.completion_tokens
            admission.tokens = used or admission.tokens
            return EndpointReply(reply, time.perf_counter() - begun)

    def _compared(self, reply: ChatReply, body: Mapping[str, Any], content: bytes) -> ChatReply:
        """Return a reply with remarks if it is from another model or its prompt was cut.

        Raises:
            EndpointError: The prompt was cut, and that stops the run.
        """
        remarks = [*reply.remarks]
        if is_other_model(self.model, reply.model):
            remarks.append(f"were sent by {reply.model!r}, not by {self.model!r}")
        counted, words = reply.usage.prompt_tokens, fewest_tokens(_texts(body))
        if counted < LEAST_CONTEXT < words and UNCOUNTED not in remarks:
            remarks.append(UNCOUNTED)  # no server cuts that short, so it only misreports
        elif LEAST_CONTEXT <= counted < words and counted + cached_tokens(content) < words:
            cut = (
                f"{self.address} cut a prompt of {words:,} words: it counts only {counted:,} "
                f"tokens of it. Serve {self.model} with a longer context (in ollama num_ctx)"
            )
            if self._stops_if_cut:
                spent = (Malformed(reply.text[:KEPT_BYTES], cut, reply.usage),)
                stop = UnhealthyServerError(f"{cut}; to continue anyway, set run.health=warn")
                raise EndpointError(cut, retryable=False, malformed=spent, stop=stop)
            remarks.append("answer a prompt that the server cut")
        return replace(reply, remarks=tuple(remarks))

    def _stop(self, error: Exception) -> StopRunError | None:
        """Return the error that ends the run; None if the refusal concerns one call only."""
        if isinstance(error, EndpointError):
            return error.stop
        refusal = self._refusal(error)
        if refusal is None:
            return None
        return refusal.stop(
            self.address,
            settings=SETTINGS,
            key_setting=f"{SETTINGS}.key_variable ({self._key_variable})",
            cures=CHAT_CURES,
        )

    def _most_tokens(self, body: Mapping[str, Any]) -> int:
        characters = sum(map(len, _texts(body)))
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
                f"{self.address} accepts the next call of {self.model} only after {seconds:.0f} "
                f"seconds, but remem waits at most {LONGEST_WAIT_SECONDS:.0f} seconds; to "
                f"continue, run the same command again later"
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
        refusal = self._refusal(error)
        if refusal is not None:
            cure = refusal.cure(CHAT_CURES)
            advice = f"; set {SETTINGS}.{cure}" if cure else ""
            named = f"{type(error).__name__}: status {refusal.status}"
            return f"{self.address}: {named}: {refusal.reason}{advice}"
        if nobody_answers(error):
            return self._masked(describe_no_answer(self.address, error, f"{SETTINGS}.base_url"))
        return self._masked(f"{self.address}: {type(error).__name__}: {error}")

    def _refusal(self, error: BaseException) -> Refusal | None:
        """Return the refusal of a server, with the key masked; None for other errors."""
        from openai import APIStatusError

        if not isinstance(error, APIStatusError):
            return None
        return read_refusal(error.status_code, self._without_key(error.response.content))

    def _is_retryable(self, error: BaseException) -> bool:
        from openai import APIConnectionError

        if isinstance(error, EndpointError):
            return error.retryable
        refusal = self._refusal(error)
        if refusal is not None:
            may_pass = refusal.status in RETRYABLE or refusal.status >= 500
            return may_pass and not refusal.is_of_quota
        return isinstance(error, APIConnectionError)

    def _masked(self, text: str) -> str:
        return masked(text, os.environ.get(self._key_variable, ""))


def _texts(body: Mapping[str, Any]) -> list[str]:
    """Return the texts of a request."""
    return [body.get("prompt", ""), *(each["content"] for each in body.get("messages", []))]
