"""torch: the same rankings as numpy on every device there is."""

from typing import Any

import numpy as np
import pytest

from remem.index import torch_dense
from remem.index.numpy_dense import NumpyDense
from remem.index.torch_dense import BLOCK, TorchDense, cuda_is_present

pytestmark = pytest.mark.extra
torch: Any = pytest.importorskip("torch", reason="torch is not installed")

no_cuda = pytest.mark.skipif(not cuda_is_present(), reason="torch finds no CUDA device")
DEVICES = ["cpu", pytest.param("cuda", marks=no_cuda)]


def random_units(count: int, dimension: int, seed: int = 0) -> np.ndarray:
    vectors = np.random.default_rng(seed).normal(size=(count, dimension))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("share", [None, 0.01, 0.6])
def test_search_ranks_as_numpy_does_under_any_mask(device: str, share: float | None) -> None:
    rows = random_units(3000, 48)
    ours, reference = TorchDense(device=device), NumpyDense()
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
    index = TorchDense(device=device)
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


@pytest.mark.parametrize("device", ["tpu", "cuda:", "cuda:-1", "cuda:1a", "CUDA"])
def test_an_unknown_device_is_refused(device: str) -> None:
    with pytest.raises(ValueError, match=f"unknown torch device '{device}'"):
        TorchDense(device=device)


def test_a_gpu_that_is_not_there_is_refused_with_those_that_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(torch_dense, "cuda_is_present", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    for device in ("auto", "cuda", "cuda:0", "cuda:1"):
        TorchDense(device=device)
    with pytest.raises(ValueError, match=r"cuda:2 is not there: torch finds 2 .* cuda:0 to cuda:1"):
        TorchDense(device="cuda:2")


def test_only_the_best_rows_and_the_similar_pairs_leave_the_device(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    left: list[int] = []

    def noted(tensor: Any) -> Any:
        left.append(tensor.numel())
        return tensor

    index = TorchDense(device="cpu")
    rows = random_units(3000, 48)
    rows[2000] = rows[3]
    index.add(rows)
    monkeypatch.setattr(torch.Tensor, "cpu", noted)
    for share in (0.02, 0.5, 1.1):
        index.search(rows[0], 10, np.random.default_rng(4).random(len(rows)) < share)
    assert left == [42] * 6  # positions and scores of the best ten and of 32 more
    left.clear()
    assert index.pairs_above(0.9).tolist() == [[3, 2000]]
    assert sorted(left) == [3002, 6004]  # each row with itself, and the pair twice
