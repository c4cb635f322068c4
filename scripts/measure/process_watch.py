"""Watch a run from outside: its log, and the memory and CPU time of its process in /proc."""

import os
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

SECONDS_BETWEEN_LOOKS = 0.5


@dataclass(frozen=True, slots=True)
class Look:
    """The number of questions in the log, resident memory, and CPU time so far."""

    done: int
    rss_mib: float
    cpu_seconds: float


def watch(process: "subprocess.Popen[bytes]", folder: Path, log: str) -> Iterator[Look]:
    """Yield a look at a process for each new line in its log, until it ends.

    Args:
        process: What is looked at.
        folder: Below it the process makes its log.
        log: Where, as a glob.

    Raises:
        FileNotFoundError: This machine has no /proc.
    """
    if not Path("/proc/self/stat").exists():
        raise FileNotFoundError("there is no /proc here to read memory from: run this on Linux")
    done, read = 0, 0
    while process.poll() is None:
        time.sleep(SECONDS_BETWEEN_LOOKS)
        found, path = _memory_and_time(process.pid), next(folder.glob(log), None)
        if found is None or path is None:
            continue
        with path.open("rb") as file:
            file.seek(read)
            new = file.read()
        read += len(new)
        done += new.count(b"\n")
        if new:
            yield Look(done, *found)


def rss_about(looks: Sequence[Look], done: float) -> float:
    """Return the median memory of the five looks closest to a number of questions."""
    closest = sorted(looks, key=lambda look: abs(look.done - done))[:5]
    return median(look.rss_mib for look in closest)


def cpu_between(looks: Sequence[Look], begin: float, end: float) -> float:
    """Return the CPU seconds per question between two numbers of questions."""
    first, last = (min(looks, key=lambda look: abs(look.done - at)) for at in (begin, end))
    return (last.cpu_seconds - first.cpu_seconds) / (last.done - first.done)


def _memory_and_time(process: int) -> tuple[float, float] | None:
    """Return resident MiB and CPU seconds, or None if the process has ended."""
    try:
        text = Path(f"/proc/{process}/stat").read_text(encoding="ascii", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None
    fields = text.rpartition(")")[2].split()  # its name may hold spaces
    user, system, pages = int(fields[11]), int(fields[12]), int(fields[21])
    ticks, page_bytes = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")
    return pages * page_bytes / 2**20, (user + system) / ticks
