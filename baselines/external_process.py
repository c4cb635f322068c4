"""Run a program in another Python environment that answers one line per request."""

import json
import os
import select
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from remem.baselines.external_replies import Kind, read_reply

KEPT = ("PATH", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH")
"""Environment variables that a worker gets; it gets no API key, proxy, package path or home."""
CHUNK = 1 << 16
SHOWN_LINES = 5
SHOWN_CHARACTERS = 2000


class WorkerError(RuntimeError):
    """The worker ended, timed out, or sent an unreadable reply."""


class WorkerProcess:
    """A worker process that runs from construction until `close`, in its own folder.

    Args:
        name: The name used in errors.
        command: The command to run.
        timeout_seconds: The maximum time without an answer or progress.
        told: Additional environment variables.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        timeout_seconds: float,
        told: Mapping[str, str],
    ) -> None:
        self._name = name
        self._timeout_seconds = timeout_seconds
        self._folder = TemporaryDirectory(prefix="remem-worker-")
        self._log = Path(self._folder.name) / "stderr.log"
        self._received = b""
        seen = {name: os.environ[name] for name in KEPT if name in os.environ}
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                cwd=self._folder.name,
                env={**seen, **told, "HOME": self._folder.name, "PYTHONHASHSEED": "0"},
                bufsize=0,
                start_new_session=True,  # Ctrl-C must not reach the worker
            )

    def ask(
        self, asked: Mapping[str, object], kind: type[Kind], progress: Callable[[], object]
    ) -> Kind:
        """Write a line and return the answer.

        Args:
            asked: The content of the line.
            kind: The expected type of the answer.
            progress: Returns a value that changes while the worker makes progress.

        Raises:
            WorkerError: There is no valid answer. The worker cannot be used any more.
        """
        self._write(json.dumps(asked).encode() + b"\n")
        line = self._line(progress)
        try:
            return read_reply(kind, line)
        except ValueError as error:
            raise WorkerError(f"{self._name} sent an invalid {kind.__name__}: {error}") from error

    def close(self) -> None:
        """Stop the process and remove its folder."""
        self._process.kill()
        self._process.communicate()
        self._folder.cleanup()

    def _write(self, line: bytes) -> None:
        assert self._process.stdin is not None
        try:
            while line:  # a pipe may take less than all of it
                line = line[self._process.stdin.write(line) :]
        except BrokenPipeError as error:
            raise self._ended() from error

    def _line(self, progress: Callable[[], object]) -> bytes:
        assert self._process.stdout is not None
        output, seen = self._process.stdout.fileno(), progress()
        while b"\n" not in self._received:
            if not select.select([output], [], [], self._timeout_seconds)[0]:
                before, seen = seen, progress()
                if seen == before:
                    raise WorkerError(
                        f"{self._name} hangs: no answer and no model call in "
                        f"{self._timeout_seconds:g} s; {self._last_words()}"
                    )
                continue
            chunk = os.read(output, CHUNK)
            if not chunk:
                raise self._ended()
            self._received += chunk
        line, _, self._received = self._received.partition(b"\n")
        return line

    def _ended(self) -> WorkerError:
        code = self._process.wait()
        return WorkerError(f"{self._name} ended with exit code {code}; {self._last_words()}")

    def _last_words(self) -> str:
        written = self._log.read_bytes()[-SHOWN_CHARACTERS:].decode(errors="replace").strip()
        lines = written.splitlines()[-SHOWN_LINES:]
        return "its last output: " + " / ".join(lines) if lines else "it printed nothing"
