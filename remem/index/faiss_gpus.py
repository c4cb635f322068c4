"""The GPUs of faiss: which ones an index uses, what is shared, and the rows stored on each."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from remem.index.ranking import Positions
from remem.protocols import Vectors

MOST = 2048
"""Maximum number of entries that faiss-gpu returns for a query."""

_MAKING = threading.Lock()


@dataclass(frozen=True, slots=True)
class Gpu:
    """A GPU, and the working memory of faiss on it, which serves one thread at a time."""

    faiss: Any
    number: int
    resources: Any
    lock: threading.Lock


class RowsOnGpu:
    """Some rows of an index, stored on one GPU, with their positions in the index."""

    def __init__(self, gpu: Gpu, dimension: int) -> None:
        config = gpu.faiss.GpuIndexFlatConfig()
        config.device = gpu.number
        self._gpu = gpu
        self._index = gpu.faiss.GpuIndexFlatIP(gpu.resources, dimension, config)
        self._positions: Positions = np.empty(0, dtype=np.int64)

    @property
    def size(self) -> int:
        """Return the number of rows."""
        return len(self._positions)

    def add(self, rows: Vectors, begin: int) -> None:
        """Append rows whose positions in the index begin at `begin`."""
        with self._gpu.lock:
            self._index.add(rows)
            added = np.arange(begin, begin + len(rows))
            self._positions = np.concatenate([self._positions, added])

    def search(self, queries: Vectors, count: int) -> tuple[NDArray[np.float32], Positions]:
        """Return the scores and positions of the best `count` rows of each query, best first.

        The shapes are (queries, count), with fewer columns if there are fewer rows.
        """
        with self._gpu.lock:
            scores, found = self._index.search(queries, min(count, self.size))
        return scores, self._positions[found]


def chosen_gpus(device: int | Sequence[int] | Literal["all"]) -> tuple[Gpu, ...]:
    """Return the chosen GPUs.

    Raises:
        ValueError: There is no GPU, or not this one.
    """
    faiss = _faiss()
    count = faiss.get_num_gpus()
    if count == 0:
        raise ValueError("faiss finds no GPU; use index=faiss_cpu")
    numbers = range(count) if device == "all" else [device] if isinstance(device, int) else device
    known = all(isinstance(number, int) and 0 <= number < count for number in numbers)
    if not numbers or not known or len(set(numbers)) < len(numbers):
        raise ValueError(
            f"index.build.device={device!r} is not there: faiss finds {count} GPUs; choose a "
            f"number from 0 to {count - 1}, several as [0,1], or all"
        )
    with _MAKING:
        return tuple(_shared_gpu(faiss, number) for number in numbers)


@cache
def _shared_gpu(faiss: Any, number: int) -> Gpu:
    # All indexes of a process share it: each of these objects takes 1.5 GB of the GPU.
    return Gpu(faiss, number, faiss.StandardGpuResources(), threading.Lock())


def _faiss() -> Any:
    try:
        import faiss
    except ImportError as error:
        raise ImportError(
            "index=faiss_gpu needs faiss, which is not installed: pip install faiss-gpu"
        ) from error
    return faiss
