"""The comparison with HippoRAG 2's package, at a size at which no time means anything."""

import numpy as np
import pytest
from measure import hipporag2_ours, passage_workload
from measure.hipporag2_measurement import Asked, Measurement
from measure.hipporag2_overhead import PYTHON, Size, _growth, _their_python, lines

SMALL = Size(40, 1, add=True, index_goal=10.0)


@pytest.fixture(scope="module")
def took():
    return hipporag2_ours.main(Asked(SMALL.passages, 5, SMALL.add))


def test_ours_tells_what_everything_took(took, tmp_path):
    assert (len(took.queries), len(took.best)) == (5, 5)
    assert all(len(set(best)) == 10 for best in took.best)
    assert took.added
    took.write(tmp_path / "took.json")
    assert Measurement.read(tmp_path / "took.json") == took


def test_the_lines_tell_how_far_the_rankings_agree(took):
    found = list(lines(SMALL, [took], [took]))
    assert [line.name.removeprefix("HippoRAG 2, ").split(" (")[0] for line in found] == [
        "index",
        "peak memory",
        "a query by itself",
        "a query of 64 at once",
        "add a passage",
    ]
    assert [line.goal.bound for line in found] == [10, 3, 3, 12, 50]
    assert [found[at].ratio for at in (0, 1, 2, 4)] == [1, 1, 1, 1]
    assert "the same first 3 for 5 of 5 questions" in found[0].note


def test_without_the_package_the_lines_tell_how_to_get_it(took, monkeypatch):
    monkeypatch.delenv(PYTHON, raising=False)
    assert _their_python() is None
    for line in lines(SMALL, [took], []):
        assert line.peer is None
        assert line.holds is None
        assert "make hipporag2-package" in line.note


def test_a_passage_has_42_words_and_six_triples_of_its_entities():
    text = passage_workload.passage(3, 40)
    assert len(text.split()) == 43  # the passage's number and how many there are count as two
    triples = passage_workload.triples_of(text)
    assert len(triples) == 6
    assert triples == passage_workload.triples_of(text)
    with pytest.raises(ValueError, match="is no passage of this workload"):
        passage_workload.triples_of("something else")


def test_twins_are_alike_and_others_are_not():
    names = ["item 8", "twin of item 8", "item 9"]
    vectors = passage_workload.vectors_of(names, "document")
    likeness = vectors @ vectors.T
    assert likeness[0, 1] == pytest.approx(0.894, abs=1e-4)
    assert abs(likeness[0, 2]) < 0.3
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(3), abs=1e-5)


def test_what_all_sizes_have_grows_and_what_small_ones_have_alone_does_not(took):
    small, large = Size(40, 1, add=True, index_goal=None), Size(90, 1, add=False, index_goal=None)
    grown = list(
        _growth([small, large], [list(lines(item, [took], [])) for item in (small, large)])
    )
    assert [item.sizes for item in grown] == [(40, 90)] * 4
    assert "HippoRAG 2: add a passage" not in [item.name for item in grown]
