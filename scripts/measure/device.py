"""Measure the limits of a device: bytes copied and multiplications per second.

The devices are those of torch, or numpy's processor if torch is not installed.
"""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np

from measure.line import Sample
from remem.index.torch_dense import cuda_is_present

REPEATS = 5
Precision = Literal["float32", "bfloat16"]


@dataclass(frozen=True, slots=True)
class Effort:
    """The number of bytes to copy and the size of the matrices to multiply."""

    copied_bytes: int
    multiplied: int


class Device(Protocol):
    """A device for vector searches, with its measured limits."""

    @property
    def name(self) -> str:
        """Return "cuda" or "cpu"."""

    @property
    def library(self) -> str:
        """Return the library for products on this device, with its version."""

    def free_bytes(self) -> int:
        """Return the free memory of the device."""

    def seconds(self, work: Callable[[], object]) -> float:
        """Time some work until the device has done it."""

    def copy_seconds(self, count: float) -> Sample:
        """Return the seconds in which the device copies this number of bytes, read plus written."""

    def multiply_seconds(self, operations: float, precision: Precision) -> Sample:
        """Return the seconds in which it multiplies matrices with this number of operations."""


def present_device(effort: Effort) -> Device:
    """Return CUDA if present, else the processor."""
    if find_spec("torch") is None:
        return NumpyDevice(effort)
    return TorchDevice("cuda" if cuda_is_present() else "cpu", effort)


def host_free_bytes() -> int:
    """Return the free memory of this machine, or half of all memory without Linux's /proc."""
    file = Path("/proc/meminfo")
    for line in file.read_text(encoding="ascii").splitlines() if file.exists() else ():
        if line.startswith("MemAvailable:"):
            return 1024 * int(line.split()[1])
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2


class TorchDevice:
    """A device of torch: "cuda" or "cpu"."""

    def __init__(self, name: Literal["cuda", "cpu"], effort: Effort) -> None:
        import torch

        self.name: Literal["cuda", "cpu"] = name
        self.library: str = f"torch {torch.__version__}"
        self._effort = effort

    def free_bytes(self) -> int:
        """Return the free memory of the device."""
        import torch

        if self.name == "cpu":
            return host_free_bytes()
        torch.cuda.empty_cache()  # what torch keeps for later counts as free
        return int(torch.cuda.mem_get_info()[0])

    def seconds(self, work: Callable[[], object]) -> float:
        """Time some work until the device has done it."""
        self._wait()
        begun = time.perf_counter()
        work()
        self._wait()
        return time.perf_counter() - begun

    def copy_seconds(self, count: float) -> Sample:
        """Return the seconds in which the device copies this number of bytes, read plus written."""
        import torch

        block = torch.zeros(self._effort.copied_bytes, dtype=torch.uint8, device=self.name)
        target = torch.empty_like(block)
        return _at_this_pace(
            self, partial(target.copy_, block), count / (2 * self._effort.copied_bytes)
        )

    def multiply_seconds(self, operations: float, precision: Precision) -> Sample:
        """Return the seconds in which it multiplies matrices with this number of operations."""
        import torch

        side = self._effort.multiplied
        matrix = torch.randn(side, side, device=self.name, dtype=getattr(torch, precision))
        return _at_this_pace(self, partial(torch.mm, matrix, matrix), operations / (2 * side**3))

    def _wait(self) -> None:
        import torch

        if self.name == "cuda":
            torch.cuda.synchronize()


class NumpyDevice:
    """The processor, used if torch is not installed."""

    def __init__(self, effort: Effort) -> None:
        self.name = "cpu"
        self.library = f"numpy {np.__version__}"
        self._effort = effort

    def free_bytes(self) -> int:
        """Return the free memory."""
        return host_free_bytes()

    def seconds(self, work: Callable[[], object]) -> float:
        """Time some work."""
        begun = time.perf_counter()
        work()
        return time.perf_counter() - begun

    def copy_seconds(self, count: float) -> Sample:
        """Return the seconds in which it copies this number of bytes, read plus written."""
        block = np.zeros(self._effort.copied_bytes, dtype=np.uint8)
        target = np.ones_like(block)
        return _at_this_pace(self, partial(np.copyto, target, block), count / (2 * block.nbytes))

    def multiply_seconds(self, operations: float, precision: Precision) -> Sample:
        """Return the seconds in which it multiplies, in float32, with this number of operations."""
        side = self._effort.multiplied
        matrix: Any = np.random.default_rng(0).standard_normal((side, side), dtype=np.float32)
        return _at_this_pace(self, partial(np.matmul, matrix, matrix), operations / (2 * side**3))


def _at_this_pace(device: Device, work: Callable[[], object], times: float) -> Sample:
    """Time an action after an unmeasured round, multiplied by `times`."""
    taken = [device.seconds(work) for _ in range(REPEATS + 1)][1:]
    return Sample.of([times * seconds for seconds in taken])
