"""Exact search with torch: one matrix-vector product, on the GPU if there is one.

Candidates are ranked by the rule of ranking.py, so the results equal those of NumpyDense.
"""

import threading
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from remem.index.exact_scan import are_few
from remem.index.pairs import Pairs, decided_pairs, pair_blocks, sorted_pairs
from remem.index.ranking import TOLERANCE, Positions, find_candidates, full_mask, rank_candidates
from remem.index.vector_table import VectorTable
from remem.protocols import Hit, Mask, Vectors

if TYPE_CHECKING:
    from torch import Tensor

BLOCK = 4096


def cuda_is_present() -> bool:
    """Return True if torch is installed and finds a CUDA device."""
    if find_spec("torch") is None:
        return False
    import torch

    return bool(torch.cuda.is_available())


class TorchDense:
    """A dense index with a copy of the vectors on the device; the CPU needs no copy."""

    def __init__(self, *, device: Literal["auto", "cuda", "cpu"]) -> None:
        self._device = _chosen(device)
        self._table = VectorTable()
        self._lock = threading.Lock()
        self._copy: Any = None

    @property
    def vectors(self) -> Vectors:
        """Return all vectors, in the order in which they were added."""
        return self._table.rows

    def adopt(self, room: Vectors, count: int) -> None:
        """Use the first `count` rows of a matrix without copying; later rows are free space."""
        self._table.adopt(room, count)

    def add(self, vectors: Vectors) -> None:
        """Append unit vectors."""
        self._table.append(vectors)

    def search(self, query: Vectors, top_k: int, allowed: Mask | None = None) -> list[Hit]:
        """Return the best `top_k` allowed entries for a vector, best first; ties: by position."""
        rows = self._table.rows
        admitted = np.flatnonzero(full_mask(allowed, len(rows)))
        if top_k < 1 or not admitted.size:
            return []
        scores = self._scores(query, admitted)

        def nearest(count: int) -> tuple[Positions, NDArray[np.float32]]:
            best, positions = scores.topk(count)
            return positions.cpu().numpy(), best.cpu().numpy()

        found = find_candidates(nearest, top_k, admitted.size)
        return rank_candidates(rows, query, admitted[found], top_k)

    def pairs_above(self, threshold: float, since: int = 0) -> NDArray[np.int64]:
        """Return sorted pairs i < j, j >= since, of similarity >= `threshold`, shape (m, 2)."""
        blocks = pair_blocks(len(self._table.rows), since, BLOCK)
        return sorted_pairs([self._block_pairs(top, left, threshold) for top, left in blocks])

    def _scores(self, query: Vectors, admitted: Positions) -> "Tensor":
        import torch

        rows = self._on_device()
        vector = torch.from_numpy(np.ascontiguousarray(query)).to(self._device)
        if admitted.size == len(rows):
            return rows @ vector
        chosen = torch.from_numpy(admitted).to(self._device)
        few = are_few(admitted.size, self._table.rows)
        return rows[chosen] @ vector if few else (rows @ vector)[chosen]

    def _block_pairs(self, top: int, left: int, threshold: float) -> Pairs:
        rows = self._on_device()
        similarity = rows[top : top + BLOCK] @ rows[left : left + BLOCK].T
        near = (similarity >= threshold - TOLERANCE).nonzero()
        values = similarity[near[:, 0], near[:, 1]].cpu().numpy()
        pairs = near.cpu().numpy() + np.array([top, left], dtype=np.int64)
        return decided_pairs(self._table.rows, pairs, values, threshold)

    def _on_device(self) -> "Tensor":
        import torch

        rows = self._table.rows
        if self._device == "cpu":
            return torch.from_numpy(rows)
        with self._lock:
            copied = 0 if self._copy is None else len(self._copy)
            if copied < len(rows):
                added = torch.from_numpy(rows[copied:]).to(self._device)
                self._copy = added if self._copy is None else torch.cat([self._copy, added])
            copy: torch.Tensor = self._copy
            return copy


def _chosen(device: str) -> str:
    if device not in ("auto", "cuda", "cpu"):
        raise ValueError(f"unknown torch device {device!r}, expected 'auto', 'cuda' or 'cpu'")
    if find_spec("torch") is None:
        raise ImportError("index=torch needs torch, which is not installed: pip install torch")
    present = cuda_is_present()
    if device == "cuda" and not present:
        raise ValueError("torch finds no CUDA device; use index=torch index.build.device=cpu")
    chosen = "cuda" if present and device != "cpu" else "cpu"
    if chosen == "cuda":
        _refuse_rounded_products()
    return chosen


def _refuse_rounded_products() -> None:
    import torch

    if torch.get_float32_matmul_precision() != "highest":
        raise ValueError(
            "torch multiplies float32 in TF32 here, which is too inexact to find the right "
            "candidates; call torch.set_float32_matmul_precision('highest')"
        )
