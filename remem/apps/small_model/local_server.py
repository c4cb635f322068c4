"""Serve a model on this machine while a run needs it: llama.cpp in a child process.

A crash of the server does not end the run, and Ctrl-C in the run does not reach the server.
"""

import sys
import time
import weakref
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import ProxyHandler, build_opener

from remem.apps.small_model.llama_child import LlamaSettings
from remem.apps.small_model.weights import GgufWeights
from remem.config.extras import installed_version
from remem.errors import StopRunError
from remem.files.live_process import peak_rss_mib
from remem.files.programs import LongLineError, Program

INSTALL = "make tiny-llm, or pip install '.[tiny-llm]', in the checkout of remem"
POLL_SECONDS = 0.05
END_SECONDS = 5.0
BIND_ERROR = "couldn't bind HTTP server socket"
"""The message of llama.cpp if it cannot listen on a port."""


@dataclass(frozen=True, slots=True, weakref_slot=True)
class ServedModel:
    """A running server's address and process; the process ends when this object is deleted."""

    url: str
    program: Program

    @property
    def is_alive(self) -> bool:
        """Return whether the process is still running."""
        return self.program.exit_code is None

    @property
    def peak_mib(self) -> int:
        """Return the process's peak memory in MiB; 0 if it has ended or this is not Linux."""
        return peak_rss_mib(self.program.pid) if self.is_alive else 0

    def stop(self) -> None:
        """Ask the process to end, and kill it if it does not."""
        self.program.close(END_SECONDS)

    def __enter__(self) -> "ServedModel":
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()


class LocalServer:
    """A GGUF file and the settings with which llama.cpp serves it, one request at a time.

    Args:
        weights: The GGUF file.
        engine: The pinned package, such as "xllamacpp==2026.10.11549"; replies depend on it.
        context_tokens: The maximum number of tokens in the prompt and the reply together.
        threads: The number of threads of llama.cpp.
        flash_attention: Whether to use flash attention; replies may then depend on the number of
            threads.
        cache_prompt: Whether to cache prompts; replies may then depend on earlier requests.
        start_seconds: The maximum time to load the model.
    """

    def __init__(
        self,
        *,
        weights: GgufWeights,
        engine: str,
        context_tokens: int,
        threads: int,
        flash_attention: bool,
        cache_prompt: bool,
        start_seconds: float,
    ) -> None:
        if threads < 1:
            raise ValueError(f"llm.build.endpoint.server.threads is {threads}, expected at least 1")
        self._weights = weights
        self._engine = engine
        self._context_tokens = context_tokens
        self._threads = threads
        self._flash_attention = flash_attention
        self._cache_prompt = cache_prompt
        self._start_seconds = start_seconds

    @property
    def identity(self) -> Mapping[str, Any]:
        """Return what the replies depend on: the weights and engine settings, not the address."""
        return {
            "weights_sha256": self._weights.sha256,
            "engine": self._engine,
            "context_tokens": self._context_tokens,
            "flash_attention": self._flash_attention,
            "cache_prompt": self._cache_prompt,
        }

    def start(self, model: str, port: int = 0) -> ServedModel:
        """Start the server and wait until it answers; the server never outlives this process.

        Args:
            model: The name under which the server offers the model.
            port: The port; 0 for any free one.

        Raises:
            StopRunError: The package or the file is missing or wrong, or the server is not ready in
                time.
        """
        settings = LlamaSettings(
            path=str(self.checked_weights()),
            model=model,
            context_tokens=self._context_tokens,
            threads=self._threads,
            flash_attention=self._flash_attention,
            cache_prompt=self._cache_prompt,
            port=port,
        )
        program = _child(settings)
        try:
            served = self._ready(program, port)
        except BaseException:
            program.close()
            raise
        weakref.finalize(served, program.close, END_SECONDS)
        return served

    def checked_weights(self) -> Path:
        """Return the path of the weights; raise StopRunError if they or the engine are wrong."""
        problem = _engine_problem(self._engine)
        try:
            path = self._weights.verified()
        except StopRunError as error:
            raise StopRunError("; ".join(filter(None, (problem, str(error))))) from error
        if problem:
            raise StopRunError(problem)
        return path

    def _ready(self, program: Program, port: int) -> ServedModel:
        deadline = time.monotonic() + self._start_seconds
        url = _first_line(program, deadline)
        while url and program.exit_code is None and time.monotonic() < deadline:
            if _answers(url):
                return ServedModel(url, program)
            time.sleep(POLL_SECONDS)
        # One that has closed its output is about to end.
        status = program.wait(deadline - time.monotonic())
        program.close()
        last_words = program.last_words(ended=True)
        if status is None:
            raise StopRunError(
                f"the local model did not answer within {self._start_seconds:.0f} seconds; "
                f"increase llm.build.endpoint.server.start_seconds"
            )
        if BIND_ERROR in last_words:
            raise StopRunError(
                f"port {port} is in use, or needs more permissions; choose another port, or 0 for "
                f"a free port"
            )
        raise StopRunError(
            f"the server of the local model ended with status {status} before it answered; "
            f"{last_words}; check that the file is a GGUF model and that {self._engine} loads on "
            f"this platform"
        )


def _engine_problem(engine: str) -> str:
    """Return what is wrong with the installed engine; "" if it is the right version."""
    package, _, wanted = engine.partition("==")
    there = installed_version(package)
    if there is None:
        return (
            f"a local model needs the package {package}, which is not installed: {INSTALL} (if "
            f"pip finds no wheel, {package} has none for this platform; serve the model with "
            f"another program and use llm=openai_compatible)"
        )
    return (
        ""
        if there == wanted
        else f"found {package} {there}, expected {wanted}: pip install '{engine}'"
    )


def _child(settings: LlamaSettings) -> Program:
    command = [sys.executable, "-m", "remem.apps.small_model.llama_child", settings.text()]
    return Program(command, environment=None, folder="")


def _first_line(program: Program, deadline: float) -> str:
    """Return the first line that a program prints before the deadline, else ""."""
    try:
        line = program.read_line(lambda: deadline - time.monotonic())
    except (EOFError, LongLineError):
        return ""
    return (line or b"").decode(errors="replace").strip()


def _answers(url: str) -> bool:
    try:
        with build_opener(ProxyHandler({})).open(f"{url}/health", timeout=1) as reply:
            return bool(reply.status == 200)
    except (URLError, OSError):
        return False
