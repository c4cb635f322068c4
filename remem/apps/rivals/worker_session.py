"""A worker, and the gateway that receives its model calls."""

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol

from remem.apps.rivals.worker_process import WorkerError, WorkerProcess
from remem.apps.rivals.worker_replies import Kind, Ready
from remem.types import Stage, Usage

KEY_VARIABLE = "OPENAI_API_KEY"
"""The environment variable with a worker's API key, as in OpenAI's library."""
SCRIPT = Path(__file__).parent / "workers" / "conversation.py"


class ModelGateway(Protocol):
    """A gateway to our models over HTTP, which counts usage by run, history and stage."""

    def __enter__(self) -> object:
        """Start the server."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop the server."""

    @property
    def token(self) -> str:
        """Return the API key that clients must send."""

    def base_url(self, run: str, history: str, stage: Stage) -> str:
        """Return the base URL for calls that belong to this run, history and stage."""

    def usage(self, run: str, history: str, stage: Stage) -> Usage:
        """Return the usage of the calls of this run, history and stage."""

    def failure(self, run: str, history: str, stage: Stage) -> Exception | None:
        """Return the error of the first failed call of this run, history and stage; else None."""


@dataclass(frozen=True, slots=True)
class WorkerPlan:
    """How to start a worker.

    `name` is the worker's module in remem/apps/rivals/workers. `told` is the content of the first
    request that the worker gets.
    """

    name: str
    python: Path
    told: Mapping[str, Any]
    timeout_seconds: float


class WorkerSession:
    """Starts a worker and sends it requests one by one until `close`."""

    def __init__(self, plan: WorkerPlan, gateway: ModelGateway) -> None:
        self._gateway = gateway
        self._numbers = count()
        with ExitStack() as stack:
            stack.enter_context(gateway)
            command = [str(plan.python.absolute()), str(SCRIPT.absolute()), plan.name]
            variables = {KEY_VARIABLE: gateway.token}
            self._worker = WorkerProcess(plan.name, command, plan.timeout_seconds, variables)
            stack.callback(self._worker.close)
            self._worker.ask({"start": plan.told}, Ready, lambda: None)
            self._stack = stack.pop_all()

    def ask(
        self, fields: Mapping[str, Any], kind: type[Kind], history: str, stage: Stage
    ) -> tuple[Kind, Usage]:
        """Send a request to the worker; return its answer and the usage of its model calls.

        If one of our models failed in these calls, raise the error of the model instead.
        """
        # Each request has its own URL, so that its calls and failures are known.
        place = f"command {next(self._numbers)}", history, stage
        request = {**fields, "url": self._gateway.base_url(*place)}
        try:
            reply = self._worker.ask(request, kind, lambda: self._gateway.usage(*place))
        except WorkerError as error:
            if failure := self._gateway.failure(*place):
                raise failure from error
            raise
        if failure := self._gateway.failure(*place):
            raise failure
        return reply, self._gateway.usage(*place)

    def close(self) -> None:
        """Stop the worker, then its gateway."""
        self._stack.close()
