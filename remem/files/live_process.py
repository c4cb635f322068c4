"""Identify processes, tell whether they are still running, and measure their memory."""

import errno
import os
import platform
import re
import resource
import sys
from dataclasses import dataclass
from pathlib import Path

LONGEST_HOST = 32
UNMAPPED = "failed to map segment"
"""The message of the library loader when it runs out of memory."""


@dataclass(frozen=True, slots=True)
class Process:
    """A process on a machine.

    `started` distinguishes it from a later process with the same id; "" if unknown.
    """

    host: str
    pid: int
    started: str

    @classmethod
    def current(cls) -> "Process":
        """Return this process."""
        return cls(host_name(), os.getpid(), _started(os.getpid()))

    def is_alive(self) -> bool:
        """Return whether the process still runs; it must be a process on this machine."""
        return is_alive(self.pid) and _started(self.pid) == self.started


def host_name() -> str:
    """Return the name of this machine, shortened and usable in a file name."""
    return re.sub(r"[^A-Za-z0-9_-]", "-", platform.node())[:LONGEST_HOST] or "unnamed"


def is_alive(pid: int) -> bool:
    """Return whether this machine has a process with this id; a zombie process counts."""
    if not pid:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _started(pid: int) -> str:
    """Return the start of a process in clock ticks since the boot; "" if it is not known."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return ""
    state, *fields = stat.rpartition(b")")[2].split()  # the name before it may hold anything
    return "" if state in (b"Z", b"X") else fields[18].decode()


def is_out_of_memory(error: BaseException) -> bool:
    """Return whether an error means that memory ran out, for data or for loading a library."""
    return (
        isinstance(error, MemoryError)
        or (isinstance(error, OSError) and error.errno == errno.ENOMEM)
        or (isinstance(error, ImportError) and UNMAPPED in str(error))
    )


def memory_complaint() -> str:
    """Return a message about the lack of memory: the process's limit, its peak, and what to do."""
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    allowed = "" if limit == resource.RLIM_INFINITY else f" (the limit is {limit >> 20:,} MiB)"
    return (
        f"out of memory{allowed}; the peak was {peak_rss_mib():,} MiB: end other programs, raise "
        "the limit (ulimit -v), or run a smaller part, then run the same command to continue"
    )


def peak_rss_mib(process: int | None = None) -> int:
    """Return the peak memory of a process in MiB, of this process by default.

    Other processes can be measured on Linux only; return 0 elsewhere, or if the process has ended.
    """
    status = Path(f"/proc/{process or 'self'}/status")
    if status.exists():  # what a child has of getrusage begins with the peak of its parent
        lines = (line.split() for line in status.read_text().splitlines())
        return next((int(line[1]) for line in lines if line[0] == "VmHWM:"), 0) // 1024
    if process is not None:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak // (1024 * 1024 if sys.platform == "darwin" else 1024)
