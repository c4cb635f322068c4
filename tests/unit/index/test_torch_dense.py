"""torch: which devices it uses, and what it copies back from them."""

from typing import Any

import numpy as np
import pytest

from remem.index import torch_dense
from remem.index.ranking import RankedVectors
from remem.index.torch_dense import TorchDense, cuda_is_present

pytestmark = pytest.mark.extra
torch: Any = pytest.importorskip("torch", reason="torch is not installed")


@pytest.mark.skipif(cuda_is_present(), reason="torch sees a CUDA device")
def test_without_cuda_auto_is_the_cpu_and_cuda_an_error_that_names_it() -> None:
    index = RankedVectors(TorchDense(device="auto"))
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
    with pytest.raises(ValueError, match="cuda:2 does not exist; torch finds cuda:0, cuda:1"):
        TorchDense(device="cuda:2")
