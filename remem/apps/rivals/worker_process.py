"""Run a worker in another Python environment; the worker answers each request with one line."""

import json
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from tempfile import TemporaryDirectory

from remem.apps.rivals.worker_replies import Kind, read_reply
from remem.files.programs import LongLineError, Program
from remem.files.secret_values import without_secrets

KEPT = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH")
"""Environment variables that a worker gets; it gets no API key, proxy, package path or home."""
CLOSED_SECONDS = 1.0
"""Maximum wait for the exit code of a program that has closed its output."""


class WorkerError(RuntimeError):
    """The worker ended, timed out, or sent an unreadable reply, which the message may quote."""

    def __init__(self, message: str) -> None:
        super().__init__(without_secrets(message))


class WorkerProcess:
    """A worker process that runs from construction until `close`, in its own folder.

    Args:
        name: The name used in errors.
        command: The command to run.
        timeout_seconds: The maximum time without an answer or progress.
        variables: Additional environment variables.
        folder: The worker's home and current folder, removed by `close`; None for a new one.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        timeout_seconds: float,
        variables: Mapping[str, str],
        folder: TemporaryDirectory[str] | None = None,
    ) -> None:
        self._name = name
        self._timeout_seconds = timeout_seconds
        self._folder = folder or TemporaryDirectory(
            prefix="remem-worker-", ignore_cleanup_errors=True
        )
        self._numbers = count(1)
        self._asking = threading.Lock()  # histories may share a program
        try:
            self._program = Program(
                command,
                environment=program_environment(self._folder.name, variables),
                folder=self._folder.name,
            )
        except OSError as error:
            self._folder.cleanup()
            raise WorkerError(f"{name} cannot be started: {error}") from error

    def ask(
        self, request: Mapping[str, object], kind: type[Kind], progress: Callable[[], object]
    ) -> Kind:
        """Send a request with the next number and return the answer with the same number.

        Args:
            request: The content of the request.
            kind: The expected type of the answer.
            progress: Returns a value that changes while the worker makes progress.

        Raises:
            WorkerError: There is no valid answer; the worker cannot be used any more.
        """
        with self._asking:
            number = next(self._numbers)
            deadline = _Deadline(self._timeout_seconds, progress)
            line = self._answer({"request": number, **request}, deadline)
        try:
            return read_reply(kind, line, number)
        except ValueError as error:
            raise WorkerError(
                f"{self._name} sent an invalid reply (expected {kind.__name__}): {error}"
            ) from error

    def close(self) -> None:
        """Stop the process and all processes that it started, and remove its folder."""
        self._program.close()
        self._folder.cleanup()

    def _answer(self, request: Mapping[str, object], deadline: "_Deadline") -> bytes:
        try:
            if not self._program.write(json.dumps(request).encode() + b"\n", deadline.seconds_left):
                raise self._hangs("it has not read its input for")
            line = self._program.read_line(deadline.seconds_left)
        except LongLineError as error:
            raise WorkerError(f"{self._name} wrote {error}") from error
        except (BrokenPipeError, EOFError) as error:
            raise self._ended() from error
        if line is None:
            raise self._hangs("no answer and no model call in")
        return line

    def _hangs(self, what: str) -> WorkerError:
        last_words = self._program.last_words(ended=False)
        return WorkerError(f"{self._name} hangs: {what} {self._timeout_seconds:g} s; {last_words}")

    def _ended(self) -> WorkerError:
        code = self._program.wait(CLOSED_SECONDS)
        ending = "closed its input or output" if code is None else f"ended with exit code {code}"
        return WorkerError(f"{self._name} {ending}; {self._program.last_words(ended=True)}")


class _Deadline:
    """The deadline of a call; when it passes, it is extended if the worker has made progress."""

    def __init__(self, seconds: float, progress: Callable[[], object]) -> None:
        self._seconds = seconds
        self._progress = progress
        self._seen = progress()
        self._ends = time.monotonic() + seconds

    def seconds_left(self) -> float:
        """Return the seconds until the deadline; 0 if it has passed without progress."""
        left = self._ends - time.monotonic()
        if left > 0:
            return left
        before, self._seen = self._seen, self._progress()
        if self._seen == before:
            return 0.0
        self._ends = time.monotonic() + self._seconds
        return self._seconds


def program_environment(folder: str, variables: Mapping[str, str]) -> dict[str, str]:
    """Return the environment variables of a program: `variables`, and `folder` as its home."""
    seen = {name: os.environ[name] for name in KEPT if name in os.environ}
    return {**seen, "HOME": folder, "TMPDIR": folder, "PYTHONHASHSEED": "0", **variables}
