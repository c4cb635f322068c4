"""faiss on GPUs that numpy simulates: rankings, masks, pairs, and several GPUs.

`make env NAME=gpu` compares what plays them with the interface of faiss-gpu itself.
"""

import inspect
import runpy
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from remem.index import faiss_gpu_dense
from remem.index.faiss_gpu_dense import FaissGpuDense
from remem.index.ranking import RankedVectors

Gpus = Callable[[int], Any]
Units = Callable[..., np.ndarray]
Both = Callable[[FaissGpuDense, np.ndarray], tuple[RankedVectors, RankedVectors]]
PLAYED = Path(__file__).parents[2] / "parts" / "faiss_of_numpy.py"


@pytest.fixture
def gpus(monkeypatch: pytest.MonkeyPatch) -> Gpus:
    """Return a function that makes faiss find this many simulated GPUs, and returns its module."""
    played = runpy.run_path(str(PLAYED))

    def find(count: int) -> Any:
        monkeypatch.setitem(sys.modules, "faiss", played["faiss_with"](count))
        return sys.modules["faiss"]

    return find


@pytest.mark.parametrize("near", [0, 9])
def test_a_mask_that_excludes_the_near_rows_but_a_few_is_still_exact(
    gpus: Gpus, units: Units, both: Both, near: int
) -> None:
    gpus(1)
    rows = units(5000, 8)
    ours, reference = both(FaissGpuDense(device=0), rows)
    nearest_first = np.argsort(-rows @ rows[0])
    allowed = np.zeros(len(rows), dtype=np.bool_)
    allowed[nearest_first[:near]] = allowed[nearest_first[2048:]] = True
    assert ours.search(rows[0], 10, allowed) == reference.search(rows[0], 10, allowed)


def test_more_entries_than_a_gpu_returns_are_found(gpus: Gpus, units: Units, both: Both) -> None:
    gpus(2)
    rows = np.repeat(units(2, 8), 3000, axis=0)
    ours, reference = both(FaissGpuDense(device="all"), rows)
    assert ours.search(rows[0], 5) == [(at, 1.0) for at in range(5)]
    assert ours.search(rows[0], 4000) == reference.search(rows[0], 4000)


def test_pairs_are_those_of_numpy_and_only_neighbours_leave_the_gpu(
    gpus: Gpus, units: Units, both: Both, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(faiss_gpu_dense, "BLOCK", 800)
    asked = gpus(2).GpuIndexFlatIP.asked
    rows = units(1500, 12)
    rows[700:900] = rows[7]  # more neighbours than are asked for at first
    ours, reference = both(FaissGpuDense(device=1), rows)
    for since in (0, 750):
        asked.clear()
        expected = reference.pairs_above(0.8, since)
        np.testing.assert_array_equal(ours.pairs_above(0.8, since), expected)
        if since == 0:
            assert asked == {1: [(800, 64), (101, 512), (700, 64), (100, 512)]}


def test_pairs_of_rows_with_more_neighbours_than_a_gpu_returns_are_whole(
    gpus: Gpus, units: Units, both: Both
) -> None:
    gpus(2)
    rows = units(2500, 12)
    rows[100:2300] = rows[7]
    ours, reference = both(FaissGpuDense(device="all"), rows)
    expected = reference.pairs_above(0.9, 2290)
    assert len(expected) > 10 * 2190
    np.testing.assert_array_equal(ours.pairs_above(0.9, 2290), expected)


def test_the_rows_are_divided_among_the_gpus(gpus: Gpus, units: Units) -> None:
    asked = gpus(3).GpuIndexFlatIP.asked
    ours = RankedVectors(FaissGpuDense(device=[2, 0]))
    for row in units(10, 4):
        ours.add(row[None])
        ours.search(row, 1)
    asked.clear()
    ours.search(row, 10)
    assert asked == {0: [(1, 5)], 2: [(1, 5)]}


def test_the_indexes_of_a_process_share_the_working_memory_of_a_gpu(
    gpus: Gpus, units: Units, both: Both
) -> None:
    faiss = gpus(2)
    rows = units(300, 16)
    devices: list[Any] = [0, 1, [0, 1], "all", 0, 0]
    indexes = [both(FaissGpuDense(device=device), rows)[0] for device in devices]
    with ThreadPoolExecutor(8) as pool:  # what plays a GPU fails if two threads use it at once
        found = list(pool.map(lambda at: indexes[at % 6].search(rows[7], 1), range(200)))
    assert found == [[(7, 1.0)]] * 200
    assert faiss.StandardGpuResources.made == 2


@pytest.mark.parametrize("device", [2, "first", [], [1, 1]])
def test_a_gpu_that_is_not_there_is_refused_with_those_that_are(gpus: Gpus, device: Any) -> None:
    gpus(2)
    with pytest.raises(ValueError, match=r"choose all, or one or more numbers.*faiss finds 0, 1"):
        FaissGpuDense(device=device)


def test_without_a_gpu_the_error_names_the_other_index(gpus: Gpus) -> None:
    gpus(0)
    with pytest.raises(ValueError, match="use index=faiss_cpu"):
        FaissGpuDense(device=0)


@pytest.mark.extra
def test_faiss_gpu_has_the_interface_of_what_plays_it(gpus: Gpus) -> None:
    faiss: Any = pytest.importorskip("faiss", reason="faiss is not installed")
    if not hasattr(faiss, "GpuIndexFlatIP"):
        pytest.skip("this is the faiss of the processor")
    played = gpus(1)
    ours, theirs = played.GpuIndexFlatIP, faiss.GpuIndexFlatIP
    lacking = {name for name in vars(played) if name[:2] != "__" and not hasattr(faiss, name)}
    lacking |= {name for name in vars(ours) if name[:1] != "_" and not hasattr(theirs, name)}
    assert lacking == {"asked"}
    assert {"x", "k", "params"} <= set(inspect.signature(theirs.search).parameters)
    faiss.GpuIndexFlatConfig().device = 1
    wanted = set(inspect.signature(played.pairwise_distance_gpu).parameters) - {"resources"}
    assert wanted <= set(inspect.signature(faiss.pairwise_distance_gpu).parameters)
