"""The lines of the GPU benchmark come out on the processor; equal rankings are told from others."""

import runpy
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from measure import gpu
from measure.dense_on_device import Backend, Sizes, drawn_rows, fitting, measure_dense
from measure.device import Device, Effort, NumpyDevice, TorchDevice
from measure.line import Line
from measure.random_encoder import SEVEN_BILLION, SMALL, measure_encoder

from remem.index.numpy_dense import NumpyDense

PLAYED = Path(__file__).parents[2] / "parts" / "faiss_of_numpy.py"
EFFORT = Effort(copied_bytes=2**16, multiplied=64)
SIZES = Sizes(dimension=16, pairs=(60, 120), searched=80, queries=5, compared=50)
needs_torch = pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed")


def names(lines: Iterator[Line]) -> list[str]:
    return [line.name for line in lines]


class Off(NumpyDense):
    """Ranks as numpy does, but for the last hit."""

    def search(self, *asked):
        return super().search(*asked)[:-1]


def devices() -> list[object]:
    torch = pytest.param(
        lambda: TorchDevice("cpu", EFFORT), id="torch", marks=[pytest.mark.extra, needs_torch]
    )
    return [pytest.param(lambda: NumpyDevice(EFFORT), id="numpy"), torch]


@pytest.mark.parametrize("make", devices())
def test_every_line_has_its_limit_and_the_rankings_are_those_of_numpy(make):
    device: Device = make()
    lines = [line for line in gpu.measure_on(device, SIZES) if line.ours.n]
    compared, timed = lines[:-6], lines[-6:]
    assert len(compared) == (5 if isinstance(device, TorchDevice) else 0)  # numpy equals itself
    assert all(line.holds for line in compared)
    assert [line.ours.n for line in timed] == [1, 1, 5, 5, 5, 5]
    assert all(line.ratio and not line.goal for line in timed)
    assert "synonymy edges of 120 gists, d = 16" in timed[1].name
    assert "all rows of 80 x 16" in timed[2].name
    assert "1 row in 200 of 80 x 16" in timed[5].name


@pytest.mark.parametrize("make", devices())
def test_a_limit_is_measured_five_times_after_a_round_that_does_not_count(make):
    device: Device = make()
    for limit in (device.copy_seconds(1e6), device.multiply_seconds(1e6, "float32")):
        assert limit.n == 5 and 0 < limit.low <= limit.median <= limit.high
    assert device.free_bytes() > 0


def test_an_index_that_ranks_otherwise_misses_the_goal():
    lines = list(measure_dense(NumpyDevice(EFFORT), Backend("off", Off), SIZES))
    *rankings, pairs = lines[:5]
    assert [line.holds for line in rankings[:2]] == [False, False]
    assert [line.ours.median for line in rankings[:2]] == [0, 0]
    assert pairs.holds and "synonymy edges" in pairs.name


def test_vectors_that_have_no_room_are_left_out():
    class Small(NumpyDevice):
        def free_bytes(self):
            return 1000

    device = Small(EFFORT)
    assert fitting(device, 100, 16) == 9  # 0.6 of 1,000 bytes, 64 bytes each
    line, *_ = [
        item
        for item in measure_dense(device, Backend("numpy", NumpyDense), SIZES)
        if "top 10" in item.name
    ]
    assert "80 have no room here" in line.note
    assert drawn_rows(7, 16).shape == (7, 16)


def test_all_gpus_of_faiss_together_are_measured_if_there_are_several(monkeypatch):
    played = runpy.run_path(str(PLAYED))["faiss_with"]
    monkeypatch.setattr(gpu, "gpu_is_present", lambda: True)
    device = object.__new__(TorchDevice)
    device.name = "cuda"
    for count, found in ((1, ["faiss_gpu"]), (3, ["faiss_gpu", "faiss_gpu on 3 GPUs"])):
        monkeypatch.setitem(sys.modules, "faiss", played(count))
        backends = gpu.backends(device)
        assert [backend.name for backend in backends] == ["torch on cuda", *found]
        assert backends[-1].make().search(np.ones(4), 1) == []


def test_without_a_device_the_first_line_says_so(monkeypatch):
    monkeypatch.setattr(gpu, "cuda_is_present", lambda: False)
    first = next(gpu.measure(quick=True))
    assert first.ours.n == 0 and first.peer is None and first.holds is None
    assert "the processor's" in first.note


def test_the_large_encoder_has_seven_billion_weights():
    # Mistral 7B: 7.24e9, of which 0.26e9 are embeddings of tokens and the head.
    assert SEVEN_BILLION.layers * SEVEN_BILLION.layer_weights == pytest.approx(6.98e9, rel=0.001)
    tokens = SEVEN_BILLION.texts * SEVEN_BILLION.tokens
    assert SEVEN_BILLION.operations / tokens == pytest.approx(2 * 6.98e9, rel=0.02)


def test_without_transformers_the_line_says_what_to_install(monkeypatch):
    monkeypatch.setattr("measure.random_encoder.find_spec", lambda name: None)
    (line,) = measure_encoder(NumpyDevice(EFFORT), SMALL)
    assert line.peer is None and "pip install 'remem[local]'" in line.note


@pytest.mark.extra
@pytest.mark.skipif(find_spec("transformers") is None, reason="transformers is not installed")
def test_a_batch_of_random_weights_is_embedded():
    (line,) = measure_encoder(TorchDevice("cpu", EFFORT), SMALL)
    assert "tokens/s, 2 layers of 2" in line.note
    assert line.ratio is not None and line.ratio > 0
