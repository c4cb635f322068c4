"""How many histories the machines of a cluster run at once, and where its SQLite files may be.

SQLite's WAL needs shared memory on one machine: https://www.sqlite.org/wal.html: "WAL does not work
over a network filesystem".
"""

import math
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from remem.errors import NetworkDiskError

MOUNTS = Path("/proc/self/mounts")
NETWORK = re.compile(
    r"nfs\d*|cifs|smb\d*|smbfs|lustre|gpfs|beegfs|ceph|glusterfs|afs|9p|pvfs2|orangefs|wekafs|"
    r"fuse\.(sshfs|glusterfs|ceph\S*|s3fs|gcsfuse|juicefs|beegfs\S*|weka\S*|moosefs)"
)
PARTS = 10_000
"""A cluster divides a GPU into this many parts."""
SECONDS_PER_COUNT = 10.0
"""Minimum time between two counts of the machines."""


@dataclass(frozen=True, slots=True)
class Machine:
    """The CPUs and GPUs that a machine gives to tasks."""

    cpus: float
    gpus: float


def checked_gpus(gpus: float) -> float:
    """Return the GPUs of each history.

    Raises:
        ValueError: It is neither a whole number nor a part of one GPU.
    """
    is_whole = float(gpus).is_integer() and gpus >= 0
    if not (is_whole or 1 / PARTS <= gpus < 1):
        raise ValueError(
            f"runner.gpus_per_history is {gpus}, expected 0, a part of one GPU such as 0.5, or a "
            f"whole number"
        )
    return gpus


def histories_at_once(machines: Sequence[Machine], gpus: float) -> int:
    """Return how many histories run at once, each with one CPU and this many GPUs."""
    return sum(_on_one(machine, gpus) for machine in machines)


def check_machines(machines: Sequence[Machine], gpus: float, address: str) -> None:
    """Raise ValueError if no machine can run a history, since all would wait forever."""
    with_cpu = [machine for machine in machines if machine.cpus >= 1]
    if not with_cpu:
        raise ValueError(
            f"the cluster at {address} has no CPU for a history: start another machine of it, "
            f"with at least one CPU (docs/cluster.md)"
        )
    if histories_at_once(machines, gpus) == 0:
        total = sum(machine.gpus for machine in machines)
        most = max(machine.gpus for machine in with_cpu)
        raise ValueError(
            f"runner.gpus_per_history={gpus:g}, but the cluster at {address} has {total:g} GPUs, "
            f"and at most {most:g} on one machine that also has a CPU for a history; add such a "
            f"machine, or set runner.gpus_per_history=0"
        )


class Places:
    """The histories that the cluster runs at once, counted again after a while.

    A count asks another process for all machines, which may join and leave. If it were made for
    each answer, it would be most of the driver's work.
    """

    def __init__(self, count: Callable[[], int], now: Callable[[], float] = time.monotonic) -> None:
        self._count = count
        self._now = now
        self._at_once = 0
        self._counted_at = -math.inf

    def is_free(self, running: int) -> bool:
        """Return whether another history can run besides these; the first always can."""
        if self._now() - self._counted_at >= SECONDS_PER_COUNT:
            self._at_once = max(1, self._count())
            self._counted_at = self._now()
        return running < self._at_once


def _on_one(machine: Machine, gpus: float) -> int:
    by_cpu = int(machine.cpus)
    if gpus == 0:
        return by_cpu
    if gpus < 1:  # the rest of a GPU that is too small for a history stays unused
        return min(by_cpu, int(machine.gpus) * (PARTS // round(gpus * PARTS)))
    return min(by_cpu, int(machine.gpus) // int(gpus))


def check_local_disk(what: str, path: Path, setting: str) -> None:
    """Raise NetworkDiskError if a file is known to be on a network file system.

    Args:
        what: The kind of file.
        path: The file; it need not exist.
        setting: The setting that names the file.
    """
    if not MOUNTS.exists():
        return
    kind = file_system(path.resolve(), MOUNTS.read_text())
    if NETWORK.fullmatch(kind):
        raise NetworkDiskError(
            f"the {what} {path} is on {kind}, a network file system, but SQLite needs a local "
            f"disk; set {setting}=<a file on a local disk>"
        )


def file_system(path: Path, mounts: str) -> str:
    """Return the type of the file system that holds a path; "" if no line names it.

    Args:
        path: An absolute path, links resolved; it need not exist.
        mounts: The lines of /proc/mounts: device, place, type and more; the last mount counts.
    """
    best, kind = "", ""
    for line in mounts.splitlines():
        _, place, type_of, *_ = line.split(" ")
        place = re.sub(r"\\(\d{3})", lambda octal: chr(int(octal[1], 8)), place)
        if path.is_relative_to(place) and len(place) >= len(best):
            best, kind = place, type_of
    return kind
