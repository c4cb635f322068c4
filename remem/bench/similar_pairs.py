"""Synonymy edges: all pairs of gists at least 0.8 alike, beside products of numpy blocks alone.

Both are exact and quadratic. Ours decides the pairs about the threshold in float64; the peer leaves
them to the summation order of BLAS.
"""

from collections.abc import Iterator

import numpy as np

from remem.bench.beside import beside, timed
from remem.bench.line import Goal, Growth, Line, Sample
from remem.bench.workload import unit_vectors
from remem.index.numpy_dense import NumpyDense
from remem.index.pairs import Pairs, pairs_by_blocks
from remem.protocols import Vectors

THRESHOLD = 0.8
DIMENSION = 384
PEER_BLOCK = 1024
"""The fastest of 1,024 to 8,192."""
EXACT_UP_TO = 200_000
"""From so many on index=faiss_cpu finds them by an approximate search."""
LARGE = 50_000
"""So many take long enough to be measured once."""


def measure(*, quick: bool) -> Iterator[Line | Growth]:
    """Measure as many gists as edges are promised to be exact for: 6 minutes."""
    yield from measure_pairs((5_000,) if quick else (EXACT_UP_TO,), 1)


def measure_pairs(sizes: tuple[int, ...], repeats: int) -> Iterator[Line | Growth]:
    """Find all pairs at each size, both in float32 blocks on as many cores.

    Raises:
        ValueError: The pairs differ elsewhere than at the threshold.
    """
    lines = [_measured(size, repeats) for size in sizes]
    yield from lines
    if len(sizes) > 1:
        medians = tuple(line.ours.median for line in lines)
        why = "exact, so quadratic at every size"
        yield Growth("synonymy edges", "s of CPU", sizes, medians, why)


def _measured(size: int, repeats: int) -> Line:
    rows = unit_vectors(size, DIMENSION, np.random.default_rng(size))
    index = NumpyDense()
    index.add(rows)
    found: list[Pairs] = []
    expected: list[Pairs] = []

    def find() -> None:
        found.append(index.pairs_above(THRESHOLD))

    def find_by_numpy() -> None:
        expected.append(by_numpy(rows))

    if size < LARGE:
        ours, peer = beside(find, find_by_numpy, repeats)
    else:
        ours, peer = Sample.of([timed(find)]), Sample.of([timed(find_by_numpy)])
    _check(rows, found[-1], expected[-1])
    return Line(
        name=f"synonymy edges of {size:,} gists, d = {DIMENSION}",
        unit="s of CPU",
        ours=ours,
        against=f"upper blocks of {PEER_BLOCK}, numpy {np.__version__}",
        peer=peer,
        goal=Goal("<=", 1.0),
        note=f"{len(found[-1]):,} edges, the same",
    )


def by_numpy(rows: Vectors) -> Pairs:
    """Find the pairs as one does without a second look at those about the threshold."""
    found = []
    for top in range(0, len(rows), PEER_BLOCK):
        for left in range(top, len(rows), PEER_BLOCK):
            similarity = rows[top : top + PEER_BLOCK] @ rows[left : left + PEER_BLOCK].T
            i, j = np.divmod(np.flatnonzero(similarity >= THRESHOLD), similarity.shape[1])
            pairs = np.column_stack((i + top, j + left))
            found.append(pairs[pairs[:, 0] < pairs[:, 1]])
    pairs = np.concatenate(found)
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]


def _check(rows: Vectors, found: Pairs, expected: Pairs) -> None:
    """Refuse pairs that are not those of numpy, but for the ones that lie on the threshold."""
    differing = set(map(tuple, found.tolist())) ^ set(map(tuple, expected.tolist()))
    for first, second in differing:
        exact = float(rows[first].astype(np.float64) @ rows[second])
        if abs(exact - THRESHOLD) > 1e-5:
            raise ValueError(f"the pair {first}, {second} is {exact} alike: see {pairs_by_blocks}")
