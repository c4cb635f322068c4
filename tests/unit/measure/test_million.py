"""The benchmark of a million runs at any size, saved and opened again; without faiss it says so."""

from importlib.util import find_spec

import numpy as np
import pytest
from measure import million
from measure.line import Growth, Line


def lines_of(*sizes):
    found = list(million.compare(sizes, dimension=16, repeats=3, appended=2))
    return [item for item in found if isinstance(item, Line)], found


@pytest.mark.extra
def test_everything_is_measured_recalled_and_grows():
    pytest.importorskip("faiss", reason="faiss is not installed")
    lines, found = lines_of(1200, 2000)
    names = " ".join(line.name for line in lines)
    for what in ("reopen, memory-mapped", "lexical_retrieve", "append, durable", "exact search"):
        assert what in names
    recalls = [line for line in lines if "recall" in line.name]
    assert len(recalls) == 9
    assert all(line.ours.median >= 0.9 for line in recalls)
    growths = [item for item in found if isinstance(item, Growth)]
    assert growths
    assert all(np.isfinite(growth.exponent) for growth in growths)


@pytest.mark.skipif(find_spec("faiss") is not None, reason="faiss is installed")
def test_without_faiss_the_line_says_how_to_get_it():
    [line], _ = lines_of(100, 200)
    assert line.peer is None
    assert "pip install" in line.note
