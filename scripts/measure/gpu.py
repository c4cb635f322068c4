"""Dense search, synonymy and embedding on CUDA, as shares of the device's limits.

Where there is no device the same lines are measured on the processor, at small sizes: `make
bench-gpu` runs this.
"""

from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec

from measure.dense_on_device import Backend, Sizes, measure_dense
from measure.device import Device, Effort, TorchDevice, present_device
from measure.line import Growth, Line, Sample
from measure.random_encoder import SEVEN_BILLION, SMALL, measure_encoder
from remem.index.faiss_gpu_dense import FaissGpuDense
from remem.index.faiss_gpus import chosen_gpus, gpu_is_present
from remem.index.numpy_dense import NumpyDense
from remem.index.torch_dense import TorchDense, cuda_is_present

ON_GPU = Sizes(4096, (100_000, 1_000_000), 1_000_000, 10_000, 20_000)
ON_GPU_QUICK = Sizes(4096, (100_000,), 100_000, 1000, 20_000)
ON_CPU = Sizes(384, (5_000, 20_000), 50_000, 200, 5_000)
ON_CPU_QUICK = Sizes(384, (5_000,), 50_000, 100, 2_000)
GPU_EFFORT, CPU_EFFORT = Effort(2**31, 8192), Effort(2**27, 1024)
NO_TORCH = "torch is not installed: make bench-gpu TORCH=torch, or: pip install 'remem[local]'"
FAISS = "faiss_gpu"
NO_FAISS = (
    "faiss finds no GPU, or torch none: make test-faiss-gpu; .venv-gpu/bin/pip install "
    "'.[local,bench]'; .venv-gpu/bin/python scripts/bench.py gpu"
)


def measure(*, quick: bool) -> Iterator[Line | Growth]:
    """Measure on CUDA, or report that it is missing and measure on the processor."""
    cuda = cuda_is_present()
    if cuda:
        device, sizes = present_device(GPU_EFFORT), ON_GPU_QUICK if quick else ON_GPU
    else:
        device, sizes = present_device(CPU_EFFORT), ON_CPU_QUICK if quick else ON_CPU
        missing = "torch finds no CUDA device" if find_spec("torch") else NO_TORCH
        yield _not_measured("cuda: the lines below", f"{missing}; those below are the processor's")
    yield from measure_on(device, sizes)
    yield from measure_encoder(device, SEVEN_BILLION if cuda else SMALL)


def measure_on(device: Device, sizes: Sizes) -> Iterator[Line]:
    """Measure every index that can run on the device."""
    found = backends(device)
    for backend in found:
        yield from measure_dense(device, backend, sizes)
    if not any(backend.name.startswith(FAISS) for backend in found):
        yield _not_measured(f"{FAISS}: the same", NO_FAISS)


def backends(device: Device) -> list[Backend]:
    """Return the indexes that can run on the device, and faiss on all GPUs if there are several."""
    if not isinstance(device, TorchDevice):
        return [Backend("numpy", NumpyDense)]
    found = [Backend(f"torch on {device.name}", partial(TorchDense, device=device.name))]
    if device.name == "cuda" and gpu_is_present():
        found.append(Backend(FAISS, partial(FaissGpuDense, device=0)))
        if (count := len(chosen_gpus("all"))) > 1:
            found.append(Backend(f"{FAISS} on {count} GPUs", partial(FaissGpuDense, device="all")))
    return found


def _not_measured(name: str, note: str) -> Line:
    return Line(name, "", Sample(0, 0, 0, 0), "the device's limits", note=note)
