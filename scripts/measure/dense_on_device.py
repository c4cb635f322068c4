"""Compare dense indexes on a device with numpy's rankings and with the limits of the device.

A search reads every vector once, so its limit is a copy, also if a mask admits few; all pairs are a
matrix product.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import cycle, islice

import numpy as np

from measure.device import Device, host_free_bytes
from measure.line import Goal, Line, Sample
from measure.workload import unit_vectors
from remem.index.numpy_dense import NumpyDense
from remem.protocols import DenseIndex, Mask, Vectors

TOP = 10
THRESHOLD = 0.8  # paper, Implementation Details: synonymy edges
SEED = 7
DRAWN = 20_000
"""Number of rows drawn at once."""
USED = 0.6
"""Share of the free memory that vectors may use."""
ADMITTED = {"all rows": 1.0, "1 row in 2": 1 / 2, "1 row in 20": 1 / 20, "1 row in 200": 1 / 200}
"""What share of the rows a mask admits; a question about a time searches under such a mask."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """The sizes of the searches."""

    dimension: int
    pairs: tuple[int, ...]
    """Numbers of gists for which synonymy edges are found."""
    searched: int
    queries: int
    compared: int
    """Number of rows over which the rankings are compared with numpy's."""


@dataclass(frozen=True, slots=True)
class Backend:
    """An index on a device."""

    name: str
    make: Callable[[], DenseIndex]


def measure_dense(device: Device, backend: Backend, sizes: Sizes) -> Iterator[Line]:
    """Compare the rankings with numpy's, then time pairs and searches."""
    if backend.make is not NumpyDense:
        yield from _same_as_numpy(backend, sizes)
    for wanted in sizes.pairs:
        yield _pairs(device, backend, wanted, sizes.dimension)
    yield from _searches(device, backend, sizes)


def drawn_rows(count: int, dimension: int) -> Vectors:
    """Draw unit vectors, one in five a near copy of another, without temporary copies."""
    rng = np.random.default_rng(SEED)
    rows = np.empty((count, dimension), dtype=np.float32)
    for at in range(0, count, DRAWN):
        rows[at : at + DRAWN] = unit_vectors(min(DRAWN, count - at), dimension, rng)
    return rows


def fitting(device: Device, wanted: int, dimension: int) -> int:
    """Return the wanted number of rows, or the number that fits on the device and the host."""
    room = min(device.free_bytes(), host_free_bytes())
    return min(wanted, int(USED * room / (4 * dimension)))


def _same_as_numpy(backend: Backend, sizes: Sizes) -> Iterator[Line]:
    rows = drawn_rows(sizes.compared, sizes.dimension)
    rng = np.random.default_rng(SEED + 1)
    asked = unit_vectors(min(sizes.queries, 100), sizes.dimension, rng)
    ours, reference = backend.make(), NumpyDense()
    for index in (ours, reference):
        index.add(rows)
    held = f"{len(rows):,} x {sizes.dimension}"
    for name, share in ADMITTED.items():
        mask = _mask(len(rows), share)
        same = [ours.search(q, TOP, mask) == reference.search(q, TOP, mask) for q in asked]
        yield _whole(f"{backend.name}: rankings equal to numpy's, {name} of {held}", same)
    pairs, expected = ours.pairs_above(THRESHOLD), reference.pairs_above(THRESHOLD)
    found = f"{backend.name}: synonymy edges equal to numpy's, {len(expected):,} of {held}"
    yield _whole(found, [bool(len(pairs)) and np.array_equal(pairs, expected)])


def _whole(name: str, same: list[bool]) -> Line:
    share = Sample(len(same), sum(same) / len(same), float(min(same)), float(max(same)))
    return Line(name, "of 1", share, goal=Goal(">=", 1, "median"))


def _pairs(device: Device, backend: Backend, wanted: int, dimension: int) -> Line:
    size = fitting(device, wanted, dimension)
    limit = device.multiply_seconds(float(size) ** 2 * dimension, "float32")  # half of all, 2 each
    index = _filled(backend, drawn_rows(size, dimension))
    taken = device.seconds(lambda: index.pairs_above(THRESHOLD))
    return Line(
        name=f"{backend.name}: synonymy edges of {size:,} gists, d = {dimension}",
        unit="s",
        ours=Sample.of([taken]),
        against=f"its matmul in float32, {device.library}",
        peer=limit,
        times_less=True,
        note=_share(size, wanted),
    )


def _searches(device: Device, backend: Backend, sizes: Sizes) -> Iterator[Line]:
    size = fitting(device, sizes.searched, sizes.dimension)
    limit = device.copy_seconds(4 * float(size) * sizes.dimension)
    index = _filled(backend, drawn_rows(size, sizes.dimension))
    rng = np.random.default_rng(SEED + 2)
    asked = unit_vectors(min(sizes.queries, 1000), sizes.dimension, rng)
    held = f"{size:,} x {sizes.dimension}"
    for name, share in ADMITTED.items():
        mask = _mask(size, share)
        queries = islice(cycle(asked), sizes.queries)
        taken = [device.seconds(partial(index.search, query, TOP, mask)) for query in queries]
        yield Line(
            name=f"{backend.name}: top {TOP} of {sizes.queries:,} queries, {name} of {held}, each",
            unit="s",
            ours=Sample.of(taken),
            against=f"its copy, {device.library}",
            peer=limit,
            times_less=True,
            note=f"{_share(size, sizes.searched)}; {sum(taken):.1f} s in all",
        )


def _mask(size: int, share: float) -> Mask | None:
    return None if share == 1 else np.random.default_rng(SEED).random(size) < share


def _filled(backend: Backend, rows: Vectors) -> DenseIndex:
    """Return an index that has searched once, as added vectors reach the device then."""
    index = backend.make()
    index.add(rows)
    index.search(rows[0], 1)
    return index


def _share(size: int, wanted: int) -> str:
    told = "the ratio is the share of the limit"
    return told if size == wanted else f"{told}; {wanted:,} have no room here"
