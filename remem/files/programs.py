"""Start programs that end when this process ends, and whose child processes end with them.

A `Program` runs below a small guard (program_guard.py). Only this module starts processes.
"""

import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from remem.files.bounded_log import BoundedLog

CHUNK = 1 << 16
LONGEST_LINE = 16 * 2**20
"""Maximum length of a line in bytes, so that a program cannot fill the memory."""
START_SECONDS = 60.0
"""Maximum time until a program is started, on a busy machine."""
END_SECONDS = 3.0
"""Maximum time for the guard to end a program; a little more than the guard takes itself."""
GUARD = Path(__file__).with_name("program_guard.py")

SecondsLeft = Callable[[], float]


class LongLineError(ValueError):
    """A program wrote a line of more than LONGEST_LINE bytes."""


class Program:
    """A running program with line-based input and output; `close` ends it and its child processes.

    Attributes:
        pid: The id of its process.

    Args:
        command: The program and its arguments.
        environment: Its environment; None for the environment of this process.
        folder: Its working directory; "" for the current directory. The folder is removed if this
            process ends before the program.

    Raises:
        OSError: The program cannot be started; the error names it.
    """

    def __init__(
        self, command: Sequence[str], *, environment: Mapping[str, str] | None, folder: str
    ) -> None:
        self._log = BoundedLog()
        self._reading = threading.Lock()
        self._received = b""
        reader, report = os.pipe()
        guard = [sys.executable, "-I", "-S", str(GUARD), str(os.getpid()), str(report), folder]
        try:
            self._guard = subprocess.Popen(
                [*guard, *command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._log.writer,
                cwd=folder or None,
                env=environment,
                bufsize=0,
                pass_fds=(report,),
                start_new_session=True,  # Ctrl-C must not reach it
            )
        except BaseException:
            os.close(reader)
            raise
        finally:
            os.close(report)
            self._log.started()
        assert self._guard.stdin is not None
        assert self._guard.stdout is not None
        self._input, self._output = self._guard.stdin, self._guard.stdout
        os.set_blocking(self._input.fileno(), False)
        try:
            self.pid = _read_report(reader, command[0])
        except BaseException:
            self.close()
            raise

    @property
    def exit_code(self) -> int | None:
        """Return the exit code, negative for a signal; None while the program runs."""
        return self._guard.poll()

    def wait(self, seconds: float) -> int | None:
        """Wait for the program to end and return its exit code; None if it is still running."""
        with suppress(subprocess.TimeoutExpired):
            return self._guard.wait(max(0.0, seconds))
        return None

    def last_words(self, *, ended: bool) -> str:
        """Return a phrase with the last lines of the program's stderr (see `BoundedLog`)."""
        return self._log.last_words(ended=ended)

    def write(self, line: bytes, seconds_left: SecondsLeft) -> bool:
        """Write a line; return False if the program has not read all of the line in time.

        Raises:
            BrokenPipeError: The program has closed its input.
        """
        try:
            while line:  # a pipe may take less than all of it
                if not _is_ready(self._input.fileno(), select.POLLOUT, seconds_left):
                    return False
                line = line[self._input.write(line) or 0 :]
        except ValueError as error:  # of a file that another thread has closed
            raise BrokenPipeError from error
        return True

    def read_line(self, seconds_left: SecondsLeft) -> bytes | None:
        """Return the next line; None if the program has not written it in time.

        Raises:
            EOFError: The program has closed its output.
            LongLineError: The line is too long.
        """
        with self._reading:
            received, size = [self._received], len(self._received)
            while b"\n" not in received[-1]:
                chunk = self._chunk(seconds_left)
                if chunk is None:
                    self._received = b"".join(received)
                    return None
                received.append(chunk)
                size += len(chunk)
                if size > LONGEST_LINE:
                    raise LongLineError(f"a line of more than {LONGEST_LINE:,} bytes")
            line, _, self._received = b"".join(received).partition(b"\n")
            return line

    def end(self, grace_seconds: float = 0.0) -> None:
        """Close the program's input; after the grace period, kill the program and what it started.

        This takes at most the grace period and a few seconds.
        """
        with suppress(OSError):
            self._input.close()
        if self.wait(grace_seconds) is None:
            self._guard.terminate()
            self._guard.send_signal(signal.SIGCONT)  # the program may have stopped it
            if self.wait(END_SECONDS) is None:
                self._guard.kill()
        if self.wait(END_SECONDS) == -signal.SIGKILL:  # perhaps the guard itself was killed
            with suppress(OSError, AttributeError):  # there is no id if it was never started
                os.killpg(self.pid, signal.SIGKILL)

    def close(self, grace_seconds: float = 0.0) -> None:
        """End the program as `end` does, and close its output once no thread is reading it."""
        self.end(grace_seconds)
        if self._reading.acquire(timeout=END_SECONDS):
            self._output.close()
            self._reading.release()

    def _chunk(self, seconds_left: SecondsLeft) -> bytes | None:
        if self._output.closed:
            raise EOFError
        if not _is_ready(self._output.fileno(), select.POLLIN, seconds_left):
            return None
        if chunk := os.read(self._output.fileno(), CHUNK):
            return chunk
        raise EOFError


@dataclass(frozen=True, slots=True)
class Ended:
    """How a program ended, and the last 64 KiB of what it wrote."""

    exit_code: int
    output: str
    errors: str


def run_program(command: Sequence[str], seconds: float) -> Ended:
    """Run a program without input until it ends; then kill what is left of its process group.

    The program has no guard, because starting a guard takes ten times as long as running git.

    Raises:
        OSError: The program cannot be started, or did not end in time.
    """
    output, errors = BoundedLog(), BoundedLog()
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output.writer,
            stderr=errors.writer,
            start_new_session=True,
        )
    finally:
        output.started()
        errors.started()
    try:
        code = process.wait(seconds)
    except subprocess.TimeoutExpired as error:
        raise TimeoutError(f"{command[0]} did not end within {seconds:g} s") from error
    finally:
        with suppress(OSError):  # no process of its group is left
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    return Ended(code, output.text(), errors.text())


def run_at_terminal(command: Sequence[str]) -> int:
    """Run a program that asks the user at the terminal, and return its exit code.

    Raises:
        OSError: The program cannot be started.
    """
    return subprocess.run(command, check=False).returncode


def _is_ready(file: int, event: int, seconds_left: SecondsLeft) -> bool:
    """Wait until a file can be read or written, or has been closed at the other end."""
    ready = select.poll()
    ready.register(file, event)
    while (seconds := seconds_left()) > 0:
        if ready.poll(seconds * 1000):
            return True
    return False


def _read_report(reader: int, program: str) -> int:
    """Return the process id that the guard reports; raise the error if the program cannot start."""
    deadline = time.monotonic() + START_SECONDS
    report = b""
    with os.fdopen(reader, "rb", buffering=0) as pipe:
        while _is_ready(reader, select.POLLIN, lambda: deadline - time.monotonic()):
            chunk = pipe.read(CHUNK)
            if not chunk:
                break
            report += chunk
    fields = {line[0]: int(line[1]) for line in map(bytes.split, report.splitlines())}
    if code := fields.get(b"error"):
        raise OSError(code, os.strerror(code), program)
    if b"pid" not in fields:
        raise OSError(f"the process that guards {program} did not start it")
    return fields[b"pid"]
