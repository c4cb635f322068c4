"""How many histories the machines of a cluster run at once."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

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
