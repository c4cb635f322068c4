"""Identify a process, so that other processes can tell later whether it still runs; its memory."""

import os
import platform
import re
import resource
import sys
from dataclasses import dataclass
from pathlib import Path

LONGEST_HOST = 32


@dataclass(frozen=True, slots=True)
class Process:
    """A process of a host.

    `started` tells it from a later process with the same id; "" if the system does not say it.
    """

    host: str
    pid: int
    started: str

    @classmethod
    def current(cls) -> "Process":
        """Return this process."""
        return cls(host_name(), os.getpid(), _started(os.getpid()))

    def is_alive(self) -> bool:
        """Return whether it runs on this machine; ask only for a process of this machine."""
        return is_alive(self.pid) and _started(self.pid) == self.started


def host_name() -> str:
    """Return the name of this machine, shortened to what a file name may hold."""
    return re.sub(r"[^A-Za-z0-9_-]", "-", platform.node())[:LONGEST_HOST] or "unnamed"


def is_alive(pid: int) -> bool:
    """Return whether a process of this machine has this id; a killed one keeps it for a while."""
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


def peak_rss_mib(process: int | None = None) -> int:
    """Return the peak memory of a process in MiB, of this process by default.

    For another process this works on Linux only; elsewhere, or if it has ended, return 0.
    """
    status = Path(f"/proc/{process or 'self'}/status")
    if status.exists():  # what a child has of getrusage begins with the peak of its parent
        lines = (line.split() for line in status.read_text().splitlines())
        return next((int(line[1]) for line in lines if line[0] == "VmHWM:"), 0) // 1024
    if process is not None:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak // (1024 * 1024 if sys.platform == "darwin" else 1024)
