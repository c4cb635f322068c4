"""Ways to find candidates are compared at the same recall."""

import numpy as np
import pytest
from measure.approximate_peers import WAYS, compare, measure
from measure.workload import unit_vectors

pytestmark = pytest.mark.extra


def test_each_way_is_beside_ours_and_both_find_the_nearest():
    pytest.importorskip("faiss", reason="faiss is not installed")
    rng = np.random.default_rng(0)
    lines = list(compare(unit_vectors(1500, 32, rng), unit_vectors(8, 32, rng)))
    assert len(lines) == len(WAYS)
    for line, way in zip(lines, WAYS, strict=True):
        assert line.against.startswith(way.name)
        assert line.peer is not None and line.peer.n == line.ours.n == 4
        assert float(line.name.split("recall@10 ")[1].rstrip(")")) >= 0.95
        theirs = float(line.against.split("recall@10 ")[1].split(",")[0])
        assert theirs >= 0.9


def test_without_data_the_line_says_what_is_needed(monkeypatch):
    monkeypatch.delenv("REMEM_DATA", raising=False)
    [line] = measure(quick=True)
    assert "REMEM_DATA" in line.note
