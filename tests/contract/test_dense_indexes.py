"""What every dense index promises. Add a new one with a line in INDEXES.

The reference is brute force with correctly rounded sums (math.fsum). Indexes whose package or
device is missing are skipped.
"""

import runpy
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from math import fsum
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.index.faiss_dense import FaissDense
from remem.index.faiss_gpu_dense import FaissGpuDense
from remem.index.milvus_dense import MilvusDense
from remem.index.numpy_dense import NumpyDense
from remem.index.ranking import RankedVectors
from remem.index.torch_dense import TorchDense, cuda_is_present
from remem.protocols import DenseIndex, Hit

PLAYED = runpy.run_path(str(Path(__file__).parents[1] / "parts" / "faiss_of_numpy.py"))


def faiss_finds_a_gpu() -> bool:
    return find_spec("faiss") is not None and bool(import_module("faiss").get_num_gpus())


def faiss_of_numpy() -> DenseIndex:
    """Make an index on two GPUs that numpy simulates."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "faiss", PLAYED["faiss_with"](2))
        return FaissGpuDense(device="all")


INDEXES: dict[str, Callable[[], DenseIndex]] = {
    "numpy": NumpyDense,
    "faiss_cpu": lambda: FaissDense(device="cpu", approximation=None),
    "faiss_gpu": lambda: FaissGpuDense(device=0),
    "faiss_of_numpy": faiss_of_numpy,
    "torch_cpu": lambda: TorchDense(device="cpu"),
    "torch_cuda": lambda: TorchDense(device="cuda"),
    "milvus": lambda: MilvusDense(uri=""),
}
MISSING = {
    "faiss_cpu": find_spec("faiss") is None and "faiss is not installed",
    "faiss_gpu": not faiss_finds_a_gpu() and "faiss finds no GPU",
    "torch_cpu": find_spec("torch") is None and "torch is not installed",
    "milvus": find_spec("milvus_lite") is None and "milvus-lite is not installed",
    "torch_cuda": not cuda_is_present() and "torch finds no CUDA device",
}


def parameter(name: str) -> object:
    """Return the parameter of an index, skipped with a reason if the index cannot be made."""

    def make() -> RankedVectors:
        return RankedVectors(INDEXES[name]())

    if name not in MISSING:
        return pytest.param(make, id=name)
    reason = MISSING[name]
    marks = [pytest.mark.extra, pytest.mark.skipif(bool(reason), reason=str(reason))]
    return pytest.param(make, id=name, marks=marks)


every_index = pytest.mark.parametrize("make", [parameter(name) for name in INDEXES])
DIMENSION = 5


def unit_vectors(rng: np.random.Generator, count: int, distinct: int) -> np.ndarray:
    """Draw `count` rows from a pool, so that equal and opposite ones are common."""
    pool = rng.integers(-2, 3, size=(distinct, DIMENSION)).astype(np.float64)
    pool[np.abs(pool).sum(axis=1) == 0, 0] = 1.0
    pool /= np.linalg.norm(pool, axis=1, keepdims=True)
    return pool[rng.integers(0, distinct, size=count)].astype(np.float32)


def similarity(left: np.ndarray, right: np.ndarray) -> float:
    return round(fsum(float(x) * float(y) for x, y in zip(left, right, strict=True)), 6)


def brute_force(rows: np.ndarray, query: np.ndarray, top_k: int, allowed: np.ndarray) -> list[Hit]:
    scored = [(at, similarity(row, query)) for at, row in enumerate(rows) if allowed[at]]
    return sorted(scored, key=lambda hit: (-hit[1], hit[0]))[:top_k]


def filled(make: Callable[[], RankedVectors], rows: np.ndarray) -> RankedVectors:
    index = make()
    index.add(rows)
    return index


@every_index
@given(
    seed=st.integers(0, 2**32 - 1),
    count=st.integers(1, 120),
    distinct=st.integers(1, 30),
    top_k=st.integers(1, 60),
    share=st.sampled_from([0.0, 0.1, 0.5, 1.0]),
)
def test_a_mask_never_loses_a_hit(
    make: Callable[[], RankedVectors],
    seed: int,
    count: int,
    distinct: int,
    top_k: int,
    share: float,
) -> None:
    rng = np.random.default_rng(seed)
    rows, query = unit_vectors(rng, count, distinct), unit_vectors(rng, 1, 1)[0]
    allowed = rng.random(count) < share
    index = filled(make, rows)
    assert index.search(query, top_k, allowed) == brute_force(rows, query, top_k, allowed)
    everything = np.ones(count, dtype=np.bool_)
    assert index.search(query, top_k) == brute_force(rows, query, top_k, everything)


@every_index
@given(seed=st.integers(0, 2**32 - 1), sizes=st.lists(st.integers(0, 20), min_size=1, max_size=8))
def test_vectors_added_in_pieces_rank_as_if_added_at_once(
    make: Callable[[], RankedVectors], seed: int, sizes: list[int]
) -> None:
    rng = np.random.default_rng(seed)
    rows, query = unit_vectors(rng, sum(sizes), 6), unit_vectors(rng, 1, 1)[0]
    whole, pieces = filled(make, rows), make()
    for piece in np.split(rows, np.cumsum(sizes)[:-1]):
        pieces.add(piece)
        pieces.search(query, 3)  # a search between two adds changes nothing
    assert pieces.search(query, 10) == whole.search(query, 10)
    np.testing.assert_array_equal(pieces.pairs_above(0.8), whole.pairs_above(0.8))


def random_units(count: int, dimension: int, seed: int = 0) -> np.ndarray:
    vectors = np.random.default_rng(seed).normal(size=(count, dimension))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


@every_index
@pytest.mark.parametrize("share", [None, 0.001, 0.05, 0.6])
def test_many_vectors_rank_as_by_numpy_under_any_mask(
    make: Callable[[], RankedVectors], share: float | None
) -> None:
    rows = random_units(6000, 24)
    ours, reference = make(), RankedVectors(NumpyDense())
    for piece in np.split(rows, [1, 2, 1000]):
        for index in (ours, reference):
            index.add(piece)
        ours.search(rows[0], 3)  # what is added later reaches a device too
    allowed = None if share is None else np.random.default_rng(4).random(len(rows)) < share
    for query in random_units(5, 24, seed=5):
        assert ours.search(query, 10, allowed) == reference.search(query, 10, allowed)


@every_index
def test_pairs_are_found_within_and_across_blocks_and_sorted(
    make: Callable[[], RankedVectors],
) -> None:
    rows = random_units(4200, 64)
    copies = {4: 2, 768: 767, 1500: 4, 1600: 800, 4096: 4095, 4101: 3, 4150: 4102}
    for copy, original in copies.items():
        rows[copy] = rows[original]
    expected = sorted([[2, 1500], *([original, copy] for copy, original in copies.items())])
    index = filled(make, rows)
    for since in (0, 3, 5, 768, 4096, 4097, 4102, len(rows)):
        new = [pair for pair in expected if pair[1] >= since]
        assert index.pairs_above(0.95, since).tolist() == new


@every_index
def test_equal_vectors_tie_by_position_however_many_there_are(
    make: Callable[[], RankedVectors],
) -> None:
    rng = np.random.default_rng(0)
    rows = np.repeat(unit_vectors(rng, 1, 1), 500, axis=0)
    hits = filled(make, rows).search(rows[0], 7)
    assert hits == [(at, 1.0) for at in range(7)]


@every_index
@given(
    seed=st.integers(0, 2**32 - 1),
    count=st.integers(0, 40),
    threshold=st.sampled_from([-1.0, 0.0, 0.5, 0.8, 1.0]),
)
def test_pairs_above_are_all_pairs_and_sorted(
    make: Callable[[], RankedVectors], seed: int, count: int, threshold: float
) -> None:
    rows = unit_vectors(np.random.default_rng(seed), count, 12)
    expected = [
        [i, j]
        for i in range(count)
        for j in range(i + 1, count)
        if similarity(rows[i], rows[j]) >= threshold
    ]
    pairs = filled(make, rows).pairs_above(threshold)
    assert pairs.tolist() == expected
    assert (pairs.shape, pairs.dtype) == ((len(expected), 2), np.int64)


THRESHOLD = 0.8
BESIDE = (-2e-5, -1e-5, -1e-6, -6e-7, -4e-7, 0.0, 4e-7, 6e-7, 1e-6, 1e-5, 2e-5)
"""How far planted similarities lie from the threshold; scores are rounded to 1e-6."""


def borderline_vectors(rng: np.random.Generator, count: int, dimension: int) -> np.ndarray:
    """Draw rows whose similarity to one of three centres is the threshold, or nearly so."""
    centres = np.linalg.qr(rng.normal(size=(dimension, 3)))[0].T
    chosen = centres[rng.integers(0, 3, size=count)]
    across = rng.normal(size=(count, dimension))
    across -= (across @ centres.T) @ centres
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    cosines = (THRESHOLD + rng.choice(BESIDE, size=count))[:, None]
    rows = cosines * chosen + np.sqrt(1 - cosines**2) * across
    where = rng.random(count) < 0.3
    rows[where] = chosen[where]
    return rows.astype(np.float32)


@every_index
@given(
    seed=st.integers(0, 2**32 - 1),
    sizes=st.lists(st.integers(0, 12), min_size=1, max_size=5),
    dimension=st.sampled_from([8, 96, 1000]),
)
def test_the_new_pairs_of_each_piece_are_all_pairs_on_the_border_too(
    make: Callable[[], RankedVectors], seed: int, sizes: list[int], dimension: int
) -> None:
    rows = borderline_vectors(np.random.default_rng(seed), sum(sizes), dimension)
    expected = [
        [i, j]
        for j in range(len(rows))
        for i in range(j)
        if similarity(rows[i], rows[j]) >= THRESHOLD
    ]
    pieces, found, since = make(), [], 0
    for piece in np.split(rows, np.cumsum(sizes)[:-1]):
        pieces.add(piece)
        new = pieces.pairs_above(THRESHOLD, since).tolist()
        assert new == sorted(new)
        found += new
        since += len(piece)
    assert sorted(found) == sorted(expected)
    assert pieces.pairs_above(THRESHOLD).tolist() == sorted(expected)
    assert pieces.pairs_above(THRESHOLD, since).shape == (0, 2)


@every_index
def test_an_empty_index_finds_nothing(make: Callable[[], RankedVectors]) -> None:
    query = np.eye(DIMENSION, dtype=np.float32)[0]
    assert make().search(query, 10) == []
    assert make().search(query, 10, np.zeros(0, dtype=np.bool_)) == []


@every_index
def test_a_top_k_beyond_the_index_returns_all_of_it(make: Callable[[], RankedVectors]) -> None:
    index = filled(make, np.eye(DIMENSION, dtype=np.float32))
    assert len(index.search(np.eye(DIMENSION, dtype=np.float32)[2], 1000)) == DIMENSION
    assert index.search(np.eye(DIMENSION, dtype=np.float32)[2], 0) == []


@every_index
def test_hits_are_plain_numbers(make: Callable[[], RankedVectors]) -> None:
    index = filled(make, np.eye(DIMENSION, dtype=np.float32))
    for position, score in index.search(np.eye(DIMENSION, dtype=np.float32)[0], 2):
        assert (type(position), type(score)) == (int, float)


@every_index
def test_a_vector_that_is_no_unit_vector_is_refused(make: Callable[[], RankedVectors]) -> None:
    with pytest.raises(ValueError, match="expected 1"):
        make().add(np.zeros((1, DIMENSION), dtype=np.float32))


@every_index
def test_a_mask_of_another_length_is_refused(make: Callable[[], RankedVectors]) -> None:
    index = filled(make, np.eye(DIMENSION, dtype=np.float32))
    with pytest.raises(ValueError, match="mask has shape"):
        index.search(np.eye(DIMENSION, dtype=np.float32)[0], 2, np.ones(2, dtype=np.bool_))
