"""Run a program in another Python environment that answers one line per request."""

import json
import os
import select
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from tempfile import TemporaryDirectory

from remem.apps.rivals.bounded_log import BoundedLog
from remem.apps.rivals.worker_replies import Kind, read_reply

KEPT = ("PATH", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH")
"""Environment variables that a worker gets; it gets no API key, proxy, package path or home."""
CHUNK = 1 << 16
LONGEST_LINE = 1 << 24
"""Maximum length of an answer in bytes, so that a program cannot fill the memory."""


class WorkerError(RuntimeError):
    """The worker ended, timed out, or sent an unreadable reply."""


class WorkerProcess:
    """A worker process that runs from construction until `close`, in its own folder.

    Args:
        name: The name used in errors.
        command: The command to run.
        timeout_seconds: The maximum time without an answer or progress.
        told: Additional environment variables.
        folder: Its home and current folder, removed at the end; None for a new one.
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
        self._folder = folder or TemporaryDirectory(prefix="remem-worker-")
        self._log = BoundedLog()
        self._received = b""
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._log.writer,
                cwd=self._folder.name,
                env=program_environment(self._folder.name, variables),
                bufsize=0,
                start_new_session=True,  # Ctrl-C must not reach the worker
            )
        except OSError as error:
            self._folder.cleanup()
            raise WorkerError(f"{name} cannot be started: {error}") from error
        finally:
            self._log.started()
        assert self._process.stdin is not None
        os.set_blocking(self._process.stdin.fileno(), False)

    def ask(
        self, request: Mapping[str, object], kind: type[Kind], progress: Callable[[], object]
    ) -> Kind:
        """Write a line and return the answer.

        Args:
            request: The content of the line.
            kind: The expected type of the answer.
            progress: Returns a value that changes while the worker makes progress.

        Raises:
            WorkerError: There is no valid answer. The worker cannot be used any more.
        """
        self._write(json.dumps(request).encode() + b"\n")
        line = self._line(progress)
        try:
            return read_reply(kind, line)
        except ValueError as error:
            raise WorkerError(f"{self._name} sent an invalid {kind.__name__}: {error}") from error

    def close(self) -> None:
        """Stop the process and all that it started, and remove its folder."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.communicate()
        self._folder.cleanup()

    def _write(self, line: bytes) -> None:
        assert self._process.stdin is not None
        pipe = self._process.stdin
        try:
            while line:  # a pipe may take less than all of it
                if not select.select([], [pipe], [], self._timeout_seconds)[1]:
                    raise WorkerError(
                        f"{self._name} hangs: it has not read its input for "
                        f"{self._timeout_seconds:g} s; {self._log.last_words(ended=False)}"
                    )
                line = line[pipe.write(line) or 0 :]
        except BrokenPipeError as error:
            raise self._ended() from error

    def _line(self, progress: Callable[[], object]) -> bytes:
        assert self._process.stdout is not None
        output, seen = self._process.stdout.fileno(), progress()
        received = [self._received]
        while b"\n" not in received[-1]:
            if not select.select([output], [], [], self._timeout_seconds)[0]:
                before, seen = seen, progress()
                if seen == before:
                    raise WorkerError(
                        f"{self._name} hangs: no answer and no model call in "
                        f"{self._timeout_seconds:g} s; {self._log.last_words(ended=False)}"
                    )
                continue
            chunk = os.read(output, CHUNK)
            if not chunk:
                raise self._ended()
            received.append(chunk)
            if len(received) * CHUNK > LONGEST_LINE and sum(map(len, received)) > LONGEST_LINE:
                raise WorkerError(f"{self._name} wrote a line of more than {LONGEST_LINE:,} bytes")
        line, _, self._received = b"".join(received).partition(b"\n")
        return line

    def _ended(self) -> WorkerError:
        code = self._process.wait()
        last_words = self._log.last_words(ended=True)
        return WorkerError(f"{self._name} ended with exit code {code}; {last_words}")


def program_environment(folder: str, variables: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a program whose home is a folder; `variables` are added to it."""
    seen = {name: os.environ[name] for name in KEPT if name in os.environ}
    return {**seen, "HOME": folder, "PYTHONHASHSEED": "0", **variables}
