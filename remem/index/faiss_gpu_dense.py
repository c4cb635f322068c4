"""Dense search with faiss on one or more GPUs; several GPUs share the rows."""

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from remem.index.numpy_dense import decided_pairs, nearest_by_scan, sorted_pairs
from remem.index.ranking import TOLERANCE, Pairs, Positions, find_candidates
from remem.protocols import Mask, Vectors

MOST = 2048
"""Maximum number of entries that faiss-gpu returns for a query."""

_MAKING = threading.Lock()


@dataclass(frozen=True, slots=True)
class Gpu:
    """A GPU and faiss's working memory on it, which only one thread may use at a time."""

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

        Both arrays have the shape (queries, count), with fewer columns if there are fewer rows.
        """
        with self._gpu.lock:
            scores, positions = self._index.search(queries, min(count, self.size))
        return scores, self._positions[positions]


def chosen_gpus(device: int | Sequence[int] | Literal["all"]) -> tuple[Gpu, ...]:
    """Return the GPUs that `device` names.

    Raises:
        ValueError: There is no GPU, or `device` names a GPU that does not exist.
    """
    faiss = _faiss()
    count = faiss.get_num_gpus()
    if count == 0:
        raise ValueError("faiss finds no GPU; use index=faiss_cpu")
    numbers = range(count) if device == "all" else [device] if isinstance(device, int) else device
    known = all(isinstance(number, int) and 0 <= number < count for number in numbers)
    if not numbers or not known or len(set(numbers)) < len(numbers):
        raise ValueError(
            f"index.build.device={device!r} does not exist; choose all, or one or more numbers of "
            f"GPUs, such as [0,1]; faiss finds {', '.join(map(str, range(count)))}"
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


BLOCK = 4096
"""Number of rows whose similar rows are searched at once."""
NEIGHBOURS = (64, 512, MOST)
"""Numbers of neighbours of a row, requested in turn until the last neighbour is not similar."""


class FaissGpuDense:
    """A dense index whose rows are on one GPU or divided among several.

    faiss ignores masks on a GPU (`FlatIndex::query` drops its selector), so a search with a mask
    asks for the best 2048 of all rows and drops those that the mask excludes. If too few are left,
    numpy scores the allowed rows.

    Args:
        device: The number of a GPU, a sequence of numbers, or "all".
    """

    def __init__(self, *, device: int | Sequence[int] | Literal["all"]) -> None:
        self._gpus = chosen_gpus(device)
        self._lock = threading.Lock()
        self._parts: tuple[RowsOnGpu, ...] = ()

    def candidates(self, rows: Vectors, query: Vectors, top_k: int, allowed: Mask) -> Positions:
        """Return allowed positions that include the best `top_k`."""
        admitted = int(np.count_nonzero(allowed))

        def nearest(count: int) -> tuple[Positions, NDArray[np.float32]]:
            if count * len(rows) <= MOST * admitted:  # else the best probably have too few
                mask = None if admitted == len(rows) else allowed
                positions = self._nearest(rows, query, mask, count)
                if len(positions[0]) == count:
                    return positions
            return nearest_by_scan(rows, query, np.flatnonzero(allowed))(count)

        return find_candidates(nearest, top_k, admitted)

    def pairs_above(self, rows: Vectors, threshold: float, since: int) -> Pairs:
        """Return sorted pairs i < j with j >= since and similarity >= `threshold`, shape (m, 2)."""
        blocks = [
            np.arange(begin, min(begin + BLOCK, len(rows)))
            for begin in range(since, len(rows), BLOCK)
        ]
        all_pairs = [pairs for block in blocks for pairs in self._pairs(rows, block, threshold)]
        return sorted_pairs(all_pairs)

    def _nearest(
        self, rows: Vectors, query: Vectors, mask: Mask | None, count: int
    ) -> tuple[Positions, NDArray[np.float32]]:
        """Return the best `count` admitted rows, or as many as the GPU's best rows contain."""
        scores, positions = self._best(rows, query[None], count if mask is None else MOST)
        if mask is None:
            return positions[0], scores[0]
        inside = np.flatnonzero(mask[positions[0]])[:count]
        return positions[0, inside], scores[0, inside]

    def _pairs(self, rows: Vectors, later: Positions, threshold: float) -> Iterator[Pairs]:
        """Yield the similar pairs of the rows `later` with earlier rows."""
        for count in NEIGHBOURS:
            if not later.size:
                return
            scores, positions = self._best(rows, rows[later], count)
            near = scores >= threshold - TOLERANCE
            complete = ~near[:, -1] | (positions.shape[1] == len(rows))
            at, nth = np.nonzero(near & complete[:, None])
            pairs = np.column_stack((positions[at, nth], later[at]))
            yield decided_pairs(rows, pairs, scores[at, nth], threshold)
            later = later[~complete]
        yield from self._crowded_pairs(rows, later, threshold)

    def _crowded_pairs(self, rows: Vectors, later: Positions, threshold: float) -> Iterator[Pairs]:
        """Yield the pairs of rows that have more neighbours than the GPU returns."""
        gpu = self._gpus[0]
        for top in range(0, len(rows) if later.size else 0, BLOCK):
            block, crowded = rows[top : top + BLOCK], rows[later]
            with gpu.lock:
                similarity = gpu.faiss.pairwise_distance_gpu(
                    gpu.resources,
                    block,
                    crowded,
                    metric=gpu.faiss.METRIC_INNER_PRODUCT,
                    device=gpu.number,
                )
            i, j = np.nonzero(similarity >= threshold - TOLERANCE)
            pairs = np.column_stack((i + top, later[j]))
            yield decided_pairs(rows, pairs, similarity[i, j], threshold)

    def _best(
        self, rows: Vectors, queries: Vectors, count: int
    ) -> tuple[NDArray[np.float32], Positions]:
        """Return the scores and positions of the best `count` rows of each query, at most 2048."""
        parts, count = self._current_parts(rows), min(count, MOST)
        if len(parts) == 1:
            return parts[0].search(queries, count)
        with ThreadPoolExecutor(len(parts)) as pool:
            results = list(pool.map(lambda part: part.search(queries, count), parts))
        scores = np.concatenate([scores for scores, _ in results], axis=1)
        positions = np.concatenate([positions for _, positions in results], axis=1)
        order = np.argsort(-scores, axis=1, kind="stable")[:, :count]
        return np.take_along_axis(scores, order, 1), np.take_along_axis(positions, order, 1)

    def _current_parts(self, rows: Vectors) -> list[RowsOnGpu]:
        """Copy the rows that were appended since the last search; return the parts with rows."""
        with self._lock:
            if not self._parts:
                self._parts = tuple(RowsOnGpu(gpu, rows.shape[1]) for gpu in self._gpus)
            begin = sum(part.size for part in self._parts)
            smallest_first = sorted(self._parts, key=lambda part: part.size)
            pieces = np.array_split(rows[begin:], len(self._parts))  # views: the first are longest
            for part, piece in zip(smallest_first, pieces, strict=True):
                if len(piece):
                    part.add(piece, begin)
                    begin += len(piece)
        return [part for part in self._parts if part.size]
