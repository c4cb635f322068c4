"""The comparison with HippoRAG 2's package, at a size at which no time means anything."""

import numpy as np
import pytest
from measure import hipporag2_ours, passage_workload, session_stubs
from measure.hipporag2_measurement import HippoRagMeasurement, MeasuredQuestion
from measure.hipporag2_overhead import PYTHON, _growth, _their_python, lines
from measure.hipporag2_workloads import Goals, dialogues, generated

SMALL = generated(40, goals=Goals(index=10, memory=3, singly=3, batched=12, added=50))


@pytest.fixture(scope="module")
def took():
    return hipporag2_ours.main(SMALL.asked)


def test_ours_tells_what_everything_took(took, tmp_path):
    assert (len(took.queries), len(took.best)) == (64, 64)
    assert all(len(set(best)) == 10 for best in took.best)
    assert len(took.added) == 3
    SMALL.asked.write(tmp_path / "asked.json")
    assert MeasuredQuestion.read(tmp_path / "asked.json").corpora[0].questions[1] == "question 1"
    took.write(tmp_path / "took.json")
    assert HippoRagMeasurement.read(tmp_path / "took.json") == took


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
    assert "the same first 3 for 64 of 64 questions" in found[0].note


def test_without_the_package_the_lines_tell_how_to_get_it(took, monkeypatch):
    monkeypatch.delenv(PYTHON, raising=False)
    assert _their_python() is None
    for line in lines(SMALL, [took], []):
        assert line.peer is None
        assert line.holds is None
        assert "make env NAME=hipporag2" in line.note


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


def test_what_each_size_has_grows(took):
    measured = {40: list(lines(SMALL, [took], [])), 90: list(lines(SMALL, [took], []))}
    grown = list(_growth(measured))
    assert [item.sizes for item in grown] == [(40, 90)] * 5
    assert grown[-1].name == "HippoRAG 2: add a passage"


def test_each_conversation_is_a_memory_and_all_are_measured_together(monkeypatch):
    monkeypatch.delenv("REMEM_DATA", raising=False)
    two = dialogues(2)
    assert two.passages == 38
    assert "2 conversations, 38 sessions" in two.what
    questions = sum(len(corpus.questions) for corpus in two.asked.corpora)
    took = hipporag2_ours.main(two.asked)
    assert (len(took.queries), len(took.best), took.added) == (questions, questions, ())
    assert len(took.batched) == 6
    assert {place for best in took.best for place in best} <= {*range(19)}
    assert len(list(lines(two, [took], [took]))) == 4


def test_measurements_of_corpora_are_added_up_except_for_the_peak():
    one = HippoRagMeasurement(1.0, (0.1,), (0.2,), (), 50.0, ((3, 4),))
    other = HippoRagMeasurement(2.0, (0.3, 0.4), (0.5,), (0.6,), 40.0, ((5, 6), (7, 8)))
    expected = ((3, 4), (5, 6), (7, 8))
    assert HippoRagMeasurement.of([one, other]) == HippoRagMeasurement(
        3.0, (0.1, 0.3, 0.4), (0.2, 0.5), (0.6,), 50.0, expected
    )


def test_the_longer_words_of_a_message_are_triples_without_its_date_and_speaker():
    text = "[8 May] Ann: We painted seven boats on Monday, near Porto harbour\nBob: so do I"
    assert session_stubs.triples_of(text) == [
        ("painted", "seven", "boats"),
        ("monday", "near", "porto"),
    ]


def test_texts_with_the_same_words_are_alike_and_never_the_same():
    vectors = session_stubs.vectors_of(["red boat", "a red boat", "Oslo rain"], "document")
    likeness = vectors @ vectors.T
    assert 0.7 < likeness[0, 1] < 0.99
    assert abs(likeness[0, 2]) < 0.3
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(3), abs=1e-5)
