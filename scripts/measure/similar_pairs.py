"""Measure synonymy edges: all pairs of gists with a cosine of 0.8 or more, compared with numpy.

Both are exact and quadratic. Ours decides the pairs about the threshold in float64; the peer leaves
them to the summation order of BLAS.
"""

from collections.abc import Iterator

import numpy as np

from measure.beside import beside, timed
from measure.line import Goal, MeasuredLine, MemoryGrowth, Sample
from measure.workload import unit_vectors
from remem.index.numpy_dense import pairs_by_blocks
from remem.index.ranking import Pairs
from remem.protocols import Vectors

THRESHOLD = 0.8
DIMENSION = 384
PEER_BLOCK = 768
"""The fastest block size from 512 to 8,192."""
LARGE = 50_000
"""From this number of vectors on, one measurement is enough."""


def measure_pairs(sizes: tuple[int, ...], repeats: int) -> Iterator[MeasuredLine | MemoryGrowth]:
    """Find all pairs at each size, both in float32 blocks on as many cores.

    Raises:
        ValueError: The pairs differ elsewhere than at the threshold.
    """
    medians = []
    for size in sizes:
        line = _measured(size, repeats)
        medians.append(line.ours.median)
        yield line
    if len(sizes) > 1:
        why = "exact, so quadratic at every size"
        yield MemoryGrowth("synonymy edges", "s of CPU", sizes, tuple(medians), why)


def _measured(size: int, repeats: int) -> MeasuredLine:
    rows = unit_vectors(size, DIMENSION, np.random.default_rng(size))
    pairs: dict[str, Pairs] = {}

    def find() -> None:
        pairs["ours"] = pairs_by_blocks(rows, THRESHOLD, 0)

    def find_by_numpy() -> None:
        pairs["numpy"] = by_numpy(rows)

    if size < LARGE:
        ours, peer = beside(find, find_by_numpy, repeats)
    else:
        ours, peer = Sample.of([timed(find)]), Sample.of([timed(find_by_numpy)])
    _check(rows, pairs["ours"], pairs["numpy"])
    return MeasuredLine(
        name=f"synonymy edges of {size:,} gists, d = {DIMENSION}",
        unit="s of CPU",
        ours=ours,
        against=f"upper blocks of {PEER_BLOCK}, numpy {np.__version__}",
        peer=peer,
        goal=Goal("<=", 1.0),
        note=f"{len(pairs['ours']):,} edges, the same",
    )


def by_numpy(rows: Vectors) -> Pairs:
    """Return the pairs without the second check of borderline pairs."""
    all_pairs = []
    for top in range(0, len(rows), PEER_BLOCK):
        for left in range(top, len(rows), PEER_BLOCK):
            similarity = rows[top : top + PEER_BLOCK] @ rows[left : left + PEER_BLOCK].T
            i, j = np.divmod(np.flatnonzero(similarity >= THRESHOLD), similarity.shape[1])
            pairs = np.column_stack((i + top, j + left))
            all_pairs.append(pairs[pairs[:, 0] < pairs[:, 1]])
    pairs = np.concatenate(all_pairs)
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]


def _check(rows: Vectors, pairs: Pairs, expected: Pairs) -> None:
    """Raise ValueError if the pairs differ from numpy's, except at the threshold."""
    differing = set(map(tuple, pairs.tolist())) ^ set(map(tuple, expected.tolist()))
    for first, second in differing:
        exact = float(rows[first].astype(np.float64) @ rows[second])
        if abs(exact - THRESHOLD) > 1e-5:
            raise ValueError(f"the pair {first}, {second} is {exact} alike: see {pairs_by_blocks}")
