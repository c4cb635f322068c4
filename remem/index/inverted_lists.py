"""Build the inverted lists of an approximate faiss index, and measure its recall.

Each list has similar vectors, with one byte per dimension. The sample queries are rows from all
over the index, with noise added.
"""

from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from remem.index.pairs import BLOCK, Pairs, decided_pairs
from remem.index.ranking import TOLERANCE, full_mask, highest
from remem.protocols import Mask, Vectors

TOP = 10
SAMPLE = 100
NOISE = 0.5
SEED = 7
TRAINED_ON = 64
"""Number of rows per list that are used for clustering."""
SLACK = 0.02
"""More than the maximum error of a similarity due to byte precision."""


def trained_lists(faiss: Any, rows: Vectors) -> Any:
    """Return an index with sqrt(n) empty lists, clustered from a sample of the rows."""
    lists, dimension = max(1, isqrt(len(rows))), rows.shape[1]
    coarse = faiss.IndexFlatIP(dimension)
    kind, metric = faiss.ScalarQuantizer.QT_8bit, faiss.METRIC_INNER_PRODUCT
    index = faiss.IndexIVFScalarQuantizer(coarse, dimension, lists, kind, metric)
    chosen = np.random.default_rng(SEED).permutation(len(rows))[: TRAINED_ON * lists]
    index.train(rows[np.sort(chosen)])
    return index


def probed_pairs(index: Any, rows: Vectors, begin: int, threshold: float) -> Pairs:
    """Return the similar pairs of a block of rows with earlier rows in the probed lists."""
    block = rows[begin : begin + BLOCK]
    limits, _, found = index.range_search(block, threshold - SLACK)
    later = np.repeat(np.arange(begin, begin + len(block)), np.diff(limits).astype(np.int64))
    pairs = np.column_stack((found, later))[found < later]
    similarity = np.vecdot(rows[pairs[:, 0]], rows[pairs[:, 1]])
    near = similarity >= threshold - TOLERANCE
    return decided_pairs(rows, pairs[near], similarity[near], threshold)


def sample_queries(rows: Vectors) -> Vectors:
    """Return sample queries: rows with noise added."""
    rng = np.random.default_rng(SEED)
    queries = rows[np.linspace(0, len(rows) - 1, min(SAMPLE, len(rows)), dtype=np.int64)]
    noise = rng.normal(size=queries.shape).astype(np.float32)
    moved: Vectors = queries + NOISE * noise / np.linalg.norm(noise, axis=1, keepdims=True)
    return moved


def nearest_rows(rows: Vectors, queries: Vectors, allowed: Mask | None) -> NDArray[np.int64]:
    """Return the positions of the allowed rows that are nearest to each query."""
    admitted = np.flatnonzero(full_mask(allowed, len(rows)))
    scores = (rows @ query for query in queries)
    return np.array([admitted[highest(found[admitted], TOP)] for found in scores])


def one_in(share: int, count: int) -> Mask:
    """Return a random mask that allows one entry in `share`, and at least the first."""
    mask = np.random.default_rng(SEED).random(count) < 1 / share
    mask[0] = True
    return mask
