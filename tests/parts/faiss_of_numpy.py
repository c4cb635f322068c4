"""faiss with GPUs, simulated by numpy: the part of its interface that remem uses, and its limits.

As in faiss-gpu 1.15: a search returns at most 2048 entries and ignores the selector of a mask,
equal scores come in no promised order, and the memory of a GPU serves one thread at a time.
"""

import threading
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, ClassVar

import numpy as np

MOST = 2048


class StandardGpuResources:
    """The working memory of a GPU; `made` counts the instances."""

    made = 0

    def __init__(self) -> None:
        type(self).made += 1
        self.one = threading.Lock()


class GpuIndexFlatConfig:
    device = 0


class GpuIndexFlatIP:
    """The rows on one GPU; `asked` holds the sizes of all searches, by GPU."""

    asked: ClassVar[dict[int, list[tuple[int, int]]]] = {}

    def __init__(self, resources: Any, dimension: int, config: GpuIndexFlatConfig) -> None:
        self._resources, self._device = resources, config.device
        self._rows = np.empty((0, dimension), dtype=np.float32)

    @property
    def ntotal(self) -> int:
        return len(self._rows)

    def add(self, rows: np.ndarray) -> None:
        with Alone(self._resources):
            assert rows.dtype == np.float32 and rows.shape[1] == self._rows.shape[1]
            self._rows = np.concatenate([self._rows, rows])

    def search(
        self, queries: np.ndarray, k: int, *, params: object = None
    ) -> tuple[np.ndarray, np.ndarray]:
        if not 0 < k <= MOST:
            raise RuntimeError(f"GPU index only supports min/max-K selection up to {MOST}")
        with Alone(self._resources):
            self.asked.setdefault(self._device, []).append((len(queries), k))
            scores = queries @ self._rows.T
            order = np.argsort(-scores[:, ::-1], axis=1, kind="stable")[:, :k]
            best = scores.shape[1] - 1 - order  # of equal scores the last comes first
            return np.take_along_axis(scores, best, 1), best


class Alone:
    """Fails if another thread uses the same working memory."""

    def __init__(self, resources: StandardGpuResources) -> None:
        self._one = resources.one

    def __enter__(self) -> None:
        assert self._one.acquire(blocking=False), "two threads use the memory of one GPU"

    def __exit__(self, *_: object) -> None:
        self._one.release()


def pairwise_distance_gpu(
    resources: Any, xq: np.ndarray, xb: np.ndarray, *, metric: str, device: int
) -> np.ndarray:
    assert metric == "inner product" and device in GpuIndexFlatIP.asked
    with Alone(resources):
        return np.asarray(xq @ xb.T)


def faiss_with(gpus: int) -> Any:
    """Return a module that finds this many GPUs, with all counts reset."""
    StandardGpuResources.made = 0
    GpuIndexFlatIP.asked = {}
    faiss: Any = ModuleType("faiss")
    faiss.__spec__ = ModuleSpec("faiss", None)
    faiss.METRIC_INNER_PRODUCT = "inner product"
    faiss.get_num_gpus = lambda: gpus
    faiss.pairwise_distance_gpu = pairwise_distance_gpu
    for part in (StandardGpuResources, GpuIndexFlatConfig, GpuIndexFlatIP):
        setattr(faiss, part.__name__, part)
    return faiss
