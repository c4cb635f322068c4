"""torch: the same rankings as numpy on every device there is."""

import numpy as np
import pytest

from remem.index.numpy_dense import NumpyDense
from remem.index.torch_dense import BLOCK, TorchDense, cuda_is_present

pytestmark = pytest.mark.extra
pytest.importorskip("torch", reason="torch is not installed")

no_cuda = pytest.mark.skipif(not cuda_is_present(), reason="torch finds no CUDA device")
DEVICES = ["cpu", pytest.param("cuda", marks=no_cuda)]


def random_units(count: int, dimension: int, seed: int = 0) -> np.ndarray:
    vectors = np.random.default_rng(seed).normal(size=(count, dimension))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("share", [None, 0.01, 0.6])
def test_search_ranks_as_numpy_does_under_any_mask(device: str, share: float | None) -> None:
    rows = random_units(3000, 48)
    ours, reference = TorchDense(device=device), NumpyDense()  # type: ignore[arg-type]
    for index in (ours, reference):
        index.add(rows[:1000])
    ours.search(rows[0], 3)  # what is added later reaches the device too
    for index in (ours, reference):
        index.add(rows[1000:])
    allowed = None if share is None else np.random.default_rng(4).random(len(rows)) < share
    for query in random_units(20, 48, seed=5):
        assert ours.search(query, 10, allowed) == reference.search(query, 10, allowed)


@pytest.mark.parametrize("device", DEVICES)
def test_pairs_are_found_within_and_across_blocks_and_sorted(device: str) -> None:
    rows = random_units(BLOCK + 50, 64)
    planted = [(BLOCK + 1, 3), (BLOCK, BLOCK - 1), (7, 5), (BLOCK + 40, BLOCK + 2)]
    for copy, original in planted:
        rows[copy] = rows[original]
    index = TorchDense(device=device)  # type: ignore[arg-type]
    index.add(rows)
    expected = sorted([original, copy] for copy, original in planted)
    assert index.pairs_above(0.95).tolist() == expected
    for since in (6, 8, BLOCK, BLOCK + 1, BLOCK + 2, len(rows)):
        new = [pair for pair in expected if pair[1] >= since]
        assert index.pairs_above(0.95, since).tolist() == new


@pytest.mark.skipif(cuda_is_present(), reason="torch sees a CUDA device")
def test_without_cuda_auto_is_the_cpu_and_cuda_an_error_that_names_it() -> None:
    index = TorchDense(device="auto")
    index.add(np.eye(3, dtype=np.float32))
    assert index.search(np.eye(3, dtype=np.float32)[1], 1) == [(1, 1.0)]
    with pytest.raises(ValueError, match=r"index\.build\.device=cpu"):
        TorchDense(device="cuda")


def test_an_unknown_device_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown torch device 'tpu'"):
        TorchDense(device="tpu")  # type: ignore[arg-type]
