"""Vectors, and pairs of indexes over them, that the tests of the dense backends share."""

from collections.abc import Callable

import numpy as np
import pytest

from remem.index.numpy_dense import NumpyDense
from remem.index.ranking import RankedVectors
from remem.protocols import DenseIndex

Units = Callable[..., np.ndarray]
Both = Callable[[DenseIndex, np.ndarray], tuple[RankedVectors, RankedVectors]]


@pytest.fixture
def units() -> Units:
    """Return a function that draws unit vectors."""

    def draw(count: int, dimension: int, seed: int = 0) -> np.ndarray:
        vectors = np.random.default_rng(seed).normal(size=(count, dimension))
        return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)

    return draw


@pytest.fixture
def both() -> Both:
    """Return a function that fills an index, and that of numpy, with the same vectors."""

    def fill(index: DenseIndex, rows: np.ndarray) -> tuple[RankedVectors, RankedVectors]:
        filled = RankedVectors(index), RankedVectors(NumpyDense())
        for vectors in filled:
            vectors.add(rows)
        return filled

    return fill
