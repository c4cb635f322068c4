"""An endpoint for a model on this machine, whose server starts with the first call.

Before indexing, a run checks that the configured package and the configured weights are present.
With `llm=replay`, neither is needed.
"""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from remem.apps.small_model.llama_likelihood import ask_llama
from remem.apps.small_model.local_server import LocalServer, ServedModel
from remem.errors import StopRunError
from remem.files.live_process import peak_rss_mib
from remem.llm.endpoint import EndpointReply, JsonMode, Served
from remem.llm.likelihood import LikelihoodRequest
from remem.llm.limiter import Limiter, Limits, SharedLimiter
from remem.llm.openai_endpoint import OpenAIEndpoint
from remem.llm.request_body import Kind
from remem.protocols import ChatRequest

ADDRESS = "http://127.0.0.1/v1"
"""The address stored with each call; the real port differs in each start."""


@dataclass(slots=True)
class _Server:
    """A server and the number of its requests in progress."""

    served: ServedModel
    endpoint: OpenAIEndpoint
    busy: int = 0


class LocalEndpoint:
    """An OpenAIEndpoint whose local server is started by the first call.

    Args:
        kind: The protocol: chat completions, or raw completions of one text.
        server: The weights and the settings of the server.
        processes: The maximum number of servers; each handles one request at a time.
        model: The name of the model.
        temperature: The temperature; None to send none.
        seed: The seed; None to send none.
        max_output_tokens: The maximum number of tokens in a reply.
        json_mode: How a reply schema is requested.
        tool_choice: The `tool_choice` of requests with tools: "required" or "auto".
        timeout_seconds: The maximum time without data from the server during a try.
        tries: The maximum number of tries of a call.
        limits: The limits on calls and tokens.
    """

    def __init__(
        self,
        *,
        kind: Kind,
        server: LocalServer,
        processes: int,
        model: str,
        temperature: float | None,
        seed: int | None,
        max_output_tokens: int,
        json_mode: JsonMode,
        tool_choice: Literal["required", "auto"],
        timeout_seconds: float,
        tries: int,
        limits: Limits | SharedLimiter,
    ) -> None:
        if processes < 1:
            raise ValueError(f"llm.build.endpoint.processes is {processes}, expected at least 1")
        self._server = server
        self._timeout = timeout_seconds
        self._limiter = Limiter(limits) if isinstance(limits, Limits) else limits
        self._asking = partial(
            OpenAIEndpoint,
            kind=kind,
            key_variable="",
            model=model,
            temperature=temperature,
            seed=seed,
            max_output_tokens=max_output_tokens,
            token_parameter="max_tokens",
            json_mode=json_mode,
            tool_choice=tool_choice,
            timeout_seconds=timeout_seconds,
            tries=tries,
            limits=self._limiter,
        )
        self._endpoint = self._asking(base_url=ADDRESS)
        self._processes = processes
        self._servers: list[_Server] = []
        self._account = Served()
        self._lock = threading.Lock()

    @property
    def kind(self) -> str:
        """Return the protocol: chat completions or raw completions."""
        return self._endpoint.kind

    @property
    def model(self) -> str:
        """Return the name of the model."""
        return self._endpoint.model

    @property
    def settings(self) -> Mapping[str, Any]:
        """Return the settings that are sent, and the identity of the weights and the engine."""
        return {**self._endpoint.settings, **self._server.identity}

    @property
    def max_output_tokens(self) -> int:
        """Return the maximum number of tokens in a reply."""
        return self._endpoint.max_output_tokens

    @property
    def address(self) -> str:
        """Return the address of the servers, without a port."""
        return ADDRESS

    def send(self, request: ChatRequest) -> EndpointReply:
        """Send one request and return the reply; start a server if needed."""
        with self._lent() as server:
            return self._counted(server.endpoint.send(request))

    def likelihood(self, request: LikelihoodRequest) -> EndpointReply:
        """Return the likelihood of a text after a prompt; start a server if needed."""
        most = len(request.prompt) + len(request.text)  # no token is shorter than a character
        with self._limiter.admitted(most), self._lent() as server:
            return self._counted(ask_llama(server.served.url, request, self._timeout))

    def check_server(self) -> None:
        """Raise StopRunError if the engine or the weights are missing or not as configured."""
        self._server.checked_weights()

    def end_server(self) -> Served:
        """Stop the servers and return their total usage; the next call starts new ones."""
        with self._lock:
            account, servers = self._account, self._servers
            self._account, self._servers = Served(), []
        if servers:
            peak = sum(server.served.peak_mib for server in servers)
            account += Served(model_mib=peak, run_mib=peak_rss_mib())
        for server in servers:
            server.served.stop()
        return account

    def stop(self, reason: StopRunError) -> None:
        """Refuse all further requests with this reason."""
        self._endpoint.stop(reason)

    @contextmanager
    def _lent(self) -> Iterator[_Server]:
        """Yield the least busy server; start another if all are busy and `processes` allows it."""
        with self._lock:
            self._servers = [server for server in self._servers if server.served.is_alive]
            all_busy = all(server.busy for server in self._servers)
            if all_busy and len(self._servers) < self._processes:
                served = self._server.start(self.model)
                endpoint = self._asking(base_url=f"{served.url}/v1")
                self._servers.append(_Server(served, endpoint))
            chosen = min(self._servers, key=lambda server: server.busy)
            chosen.busy += 1
        try:
            yield chosen
        finally:
            with self._lock:
                chosen.busy -= 1

    def _counted(self, answered: EndpointReply) -> EndpointReply:
        usage = answered.reply.usage
        tokens = (usage.prompt_tokens, usage.completion_tokens)
        with self._lock:
            self._account += Served(usage.calls, *tokens, answered.latency_seconds)
        return answered
