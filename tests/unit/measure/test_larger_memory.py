"""The constants of docs/larger_memory.md are counted, and the engine finds what numpy finds."""

from importlib.util import find_spec

import pytest
from measure import larger_memory
from measure.larger_memory import measure_bytes, measure_engine


def test_every_byte_of_an_item_is_told_by_what_it_is_for():
    found = {line.name.partition(",")[0]: line.ours.median for line in measure_bytes(200)}
    assert found["vector of a gist"] == found["vector of a fact"] == 4 * 384
    # a scope is five whole numbers of eight bytes, an episode's number four, an end eight
    assert found["text"] > 5 * 8 + 4 + 8
    assert found["synonymy edge"] >= 16  # two numbers of eight bytes
    assert 0 < found["context edge"] < 16


def test_without_the_engine_the_line_says_what_to_install(monkeypatch):
    monkeypatch.setattr(larger_memory, "find_spec", lambda name: None)
    (line,) = measure_engine(100)
    assert line.peer is None and line.note == "pip install 'remem[milvus]'"


@pytest.mark.extra
@pytest.mark.skipif(find_spec("milvus_lite") is None, reason="milvus-lite is not installed")
def test_the_engine_is_timed_under_every_mask(monkeypatch):
    monkeypatch.setattr(larger_memory, "REPEATS", 1)
    sent, *searches = measure_engine(1200)
    assert sent.ours.median > 0
    assert len(searches) == 5
    assert all(line.ratio is not None for line in searches)
