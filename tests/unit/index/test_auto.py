"""Which index this machine gets."""

import pytest

from remem.index import auto
from remem.index.auto import best_dense
from remem.index.numpy_dense import NumpyDense


def test_without_a_gpu_numpy_is_the_best(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auto, "cuda_is_present", lambda: False)
    monkeypatch.setattr(auto, "gpu_is_present", lambda: False)
    assert isinstance(best_dense(), NumpyDense)


@pytest.mark.parametrize(
    ("cuda", "gpu", "made"),
    [
        (True, True, ("torch", {"device": "cuda"})),
        (True, False, ("torch", {"device": "cuda"})),
        (False, True, ("faiss", {"device": 0})),
    ],
)
def test_a_gpu_is_used_by_whoever_sees_it_and_always_exactly(
    monkeypatch: pytest.MonkeyPatch, cuda: bool, gpu: bool, made: tuple[str, object]
) -> None:
    monkeypatch.setattr(auto, "cuda_is_present", lambda: cuda)
    monkeypatch.setattr(auto, "gpu_is_present", lambda: gpu)
    monkeypatch.setattr(auto, "TorchDense", lambda **settings: ("torch", settings))
    monkeypatch.setattr(auto, "FaissGpuDense", lambda **settings: ("faiss", settings))
    assert best_dense() == made
