"""The chat completions of a model that a run serves itself, from its first call on.

A run checks package and weights before it indexes; `llm=replay` answers from the store without.
"""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from remem.llm.books import SharedLimiter
from remem.llm.endpoint import Answered, JsonMode
from remem.llm.likelihood import LikelihoodRequest
from remem.llm.limiter import Limiter, Limits
from remem.llm.llama_likelihood import ask_llama
from remem.llm.local_server import LocalServer, ServedModel
from remem.llm.openai_endpoint import OpenAIEndpoint
from remem.llm.peak_memory import peak_rss_mib
from remem.llm.request_body import Kind
from remem.llm.served import Served
from remem.protocols import ChatRequest, StopRunError

ADDRESS = "http://127.0.0.1/v1"
"""What is kept with each call: the port is another one in each start."""


@dataclass(slots=True)
class _Server:
    """A server and how many requests it has at the moment."""

    served: ServedModel
    endpoint: OpenAIEndpoint
    busy: int = 0


class LocalEndpoint:
    """An OpenAIEndpoint at a server that is started with the first call.

    Args:
        kind: A chat, or one text to go on from.
        server: What is served and how.
        processes: How many servers there are at most, for as many requests at once.
        model: The name of the model.
        temperature: As OpenAIEndpoint takes it, and so are all of the following.
        seed: None to send none.
        max_output_tokens: The most tokens a reply may have.
        json_mode: How a reply schema is asked for.
        tool_choice: What is sent along with tools.
        timeout_seconds: How long the server may be silent within a try.
        tries: How often a call is sent at most.
        limits: How many calls, and tokens, may be sent.
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
            raise ValueError(f"processes is {processes}, expected at least 1")
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
        """Return the protocol."""
        return self._endpoint.kind

    @property
    def model(self) -> str:
        """Return the name of the model."""
        return self._endpoint.model

    @property
    def settings(self) -> Mapping[str, Any]:
        """Return what is sent, and which weights and engine answer."""
        return {**self._endpoint.settings, **self._server.identity}

    @property
    def max_output_tokens(self) -> int:
        """Return the most tokens a reply may have."""
        return self._endpoint.max_output_tokens

    @property
    def address(self) -> str:
        """Return the address without its port."""
        return ADDRESS

    def send(self, request: ChatRequest) -> Answered:
        """Send one request, to a new server if there is none or the last has crashed."""
        with self._lent() as server:
            return self._counted(server.endpoint.send(request))

    def likelihood(self, request: LikelihoodRequest) -> Answered:
        """Tell how likely a text is after a prompt; a server is started as in `send`."""
        most = len(request.prompt) + len(request.text)  # no token is shorter than a character
        with self._limiter.admitted(most), self._lent() as server:
            return self._counted(ask_llama(server.served.url, request, self._timeout))

    def check_server(self) -> None:
        """Raise StopRunError if the engine or the weights are missing or not the named ones."""
        self._server.checked()

    def end_server(self) -> Served:
        """End the servers; the next call starts others. Return what was answered meanwhile."""
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
        """Send nothing more."""
        self._endpoint.stop(reason)

    @contextmanager
    def _lent(self) -> Iterator[_Server]:
        """Yield the server with the fewest requests; start one if all are busy and it may be."""
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

    def _counted(self, answered: Answered) -> Answered:
        usage = answered.reply.usage
        tokens = (usage.prompt_tokens, usage.completion_tokens)
        with self._lock:
            self._account += Served(usage.calls, *tokens, answered.latency_seconds)
        return answered
