"""Exact search with torch: one matrix-vector product per query, on a GPU if there is one.

Candidates are ranked by the rule of ranking.py, so the results equal those of NumpyDense.
"""

import re
import threading
from importlib.util import find_spec
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from remem.index.numpy_dense import are_few, decided_pairs, pair_blocks, sorted_pairs
from remem.index.ranking import TOLERANCE, Pairs, Positions, find_candidates
from remem.protocols import Mask, Vectors

if TYPE_CHECKING:
    from torch import Tensor

BLOCK = 4096
DEVICE = re.compile(r"auto|cpu|cuda(:\d+)?", re.ASCII)


def cuda_is_present() -> bool:
    """Return True if torch is installed and finds a CUDA device."""
    if find_spec("torch") is None:
        return False
    import torch

    return bool(torch.cuda.is_available())


class TorchDense:
    """A dense index that copies the vectors to a GPU, or uses them in place on the CPU.

    Masks are applied and similar pairs are found on the device; only the results are copied back.

    Args:
        device: "auto", "cpu", "cuda" or a numbered GPU such as "cuda:1".
    """

    def __init__(self, *, device: str) -> None:
        self._device = _chosen(device)
        self._lock = threading.Lock()
        self._copy: Any = None

    def candidates(self, rows: Vectors, query: Vectors, top_k: int, allowed: Mask) -> Positions:
        """Return allowed positions that include the best `top_k`."""
        admitted = int(np.count_nonzero(allowed))
        vectors, vector = self._on_device(rows), self._sent(query)
        if are_few(admitted, rows):
            only = np.flatnonzero(allowed)
            return only[_best(vectors[self._sent(only)] @ vector, top_k, admitted)]
        scores = vectors @ vector
        if admitted < len(rows):
            scores = scores.masked_fill(self._sent(~allowed), -inf)
        return _best(scores, top_k, admitted)

    def pairs_above(self, rows: Vectors, threshold: float, since: int) -> Pairs:
        """Return sorted pairs i < j with j >= since and similarity >= `threshold`, shape (m, 2)."""
        blocks = pair_blocks(len(rows), since, BLOCK)
        return sorted_pairs([self._block_pairs(rows, top, left, threshold) for top, left in blocks])

    def _sent(self, array: NDArray[Any]) -> "Tensor":
        import torch

        return torch.from_numpy(np.ascontiguousarray(array)).to(self._device)

    def _block_pairs(self, rows: Vectors, top: int, left: int, threshold: float) -> Pairs:
        vectors = self._on_device(rows)
        similarity = vectors[top : top + BLOCK] @ vectors[left : left + BLOCK].T
        near = (similarity >= threshold - TOLERANCE).nonzero()
        values = similarity[near[:, 0], near[:, 1]].cpu().numpy()
        pairs = near.cpu().numpy() + np.array([top, left], dtype=np.int64)
        return decided_pairs(rows, pairs, values, threshold)

    def _on_device(self, rows: Vectors) -> "Tensor":
        import torch

        if self._device == "cpu":
            return torch.from_numpy(rows)
        with self._lock:
            copied = 0 if self._copy is None else len(self._copy)
            if copied < len(rows):
                added = torch.from_numpy(rows[copied:]).to(self._device)
                self._copy = added if self._copy is None else torch.cat([self._copy, added])
            copy: torch.Tensor = self._copy
            return copy


def _best(scores: "Tensor", top_k: int, admitted: int) -> Positions:
    def nearest(count: int) -> tuple[Positions, NDArray[np.float32]]:
        best, positions = scores.topk(count)
        return positions.cpu().numpy(), best.cpu().numpy()

    return find_candidates(nearest, top_k, admitted)


def _chosen(device: str) -> str:
    if not DEVICE.fullmatch(device):
        raise ValueError(f"unknown torch device {device!r}, expected 'auto', 'cpu' or 'cuda:0'")
    if find_spec("torch") is None:
        raise ImportError("index=torch needs torch, which is not installed: pip install torch")
    if device == "cpu" or (device == "auto" and not cuda_is_present()):
        return "cpu"
    _check_number(device)
    _refuse_rounded_products()
    return "cuda" if device == "auto" else device


def _check_number(device: str) -> None:
    import torch

    count = torch.cuda.device_count() if cuda_is_present() else 0
    if not count:
        raise ValueError("torch finds no CUDA device; use index=torch index.build.device=cpu")
    if int(device.partition(":")[2] or 0) >= count:
        raise ValueError(
            f"index.build.device={device} does not exist; torch finds "
            f"{', '.join(f'cuda:{number}' for number in range(count))}"
        )


def _refuse_rounded_products() -> None:
    import torch

    if torch.get_float32_matmul_precision() != "highest":
        raise ValueError(
            "torch multiplies float32 in TF32 here, which is too inexact to find the right "
            "candidates; call torch.set_float32_matmul_precision('highest')"
        )
