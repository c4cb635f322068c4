"""The peak memory of a process."""

import resource
import sys
from pathlib import Path


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
