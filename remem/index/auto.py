"""Select the fastest exact dense index on this machine.

It is always exact, so `index=auto` gives the same rankings on every machine.
"""

from remem.index.faiss_gpu_dense import FaissGpuDense
from remem.index.faiss_gpus import gpu_is_present
from remem.index.numpy_dense import NumpyDense
from remem.index.torch_dense import TorchDense, cuda_is_present
from remem.protocols import DenseIndex


def best_dense() -> DenseIndex:
    """Return an empty index: torch on a CUDA device, else faiss on a GPU, else numpy.

    faiss-cpu is not used, because it needs longer than numpy for a single query: it distributes
    queries, not rows, over the cores.
    """
    if cuda_is_present():
        return TorchDense(device="cuda")
    return FaissGpuDense(device=0) if gpu_is_present() else NumpyDense()
