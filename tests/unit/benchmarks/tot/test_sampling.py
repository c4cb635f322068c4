"""Which questions are proper, in cases that the generator tests' second solver cannot decide."""

import numpy as np
import pytest

from remem.benchmarks.tot.facts import TemporalFact
from remem.benchmarks.tot.sampling import draw_question, wordings


def held(*holders):
    """Facts on who was the R1 of E9."""
    return [TemporalFact(who, "R1", "E9", start, end) for who, start, end in holders]


def draw(question_type, facts, which=""):
    wording = next(w for w in wordings()[question_type] if w.which == which)
    return draw_question(question_type, wording, facts, np.random.default_rng(0))


def test_the_only_one_before_is_a_proper_neighbour():
    facts = held(("E1", 1950, 1954), ("E2", 1955, 1960))
    asked = "Which entity was the R1 of E9 immediately {} {}?"
    assert draw("before_after", facts, "before") == (asked.format("before", "E2"), "E1")
    assert draw("before_after", facts, "after") == (asked.format("after", "E1"), "E2")


@pytest.mark.parametrize("which", ["before", "after"])
@pytest.mark.parametrize(
    "facts",
    [
        held(("E1", 1950, 1955), ("E2", 1955, 1960)),  # they touch: strictly before it is nobody
        held(("E1", 1950, 1956), ("E2", 1955, 1960)),  # they overlap
        held(("E1", 1950, 1960), ("E2", 1952, 1955)),  # one contains the other
        held(("E1", 1950, 1952), ("E1", 1954, 1956)),  # the anchor is the only one, twice
        held(("E1", 1950, 1950), ("E2", 1950, 1950)),  # the same year
    ],
)
def test_a_neighbour_that_depends_on_the_reading_is_not_asked_for(facts, which):
    assert draw("before_after", facts, which) is None


def test_neighbours_that_start_and_end_in_different_orders_are_not_asked_for():
    facts = held(("E1", 1950, 1958), ("E2", 1952, 1956), ("E3", 1960, 1961), ("E3", 1970, 1971))
    assert draw("before_after", facts, "before") is None


@pytest.mark.parametrize("which", ["first", "last"])
def test_first_and_last_must_agree_by_start_and_by_end(which):
    assert draw("first_last", held(("E1", 1950, 1960), ("E2", 1952, 1955)), which) is None
    assert draw("first_last", held(("E1", 1950, 1951), ("E1", 1953, 1955)), which) is None
    _, label = draw("first_last", held(("E1", 1950, 1956), ("E2", 1952, 1958)), which)
    assert label == {"first": "E1", "last": "E2"}[which]


def test_a_timeline_has_no_tie():
    assert draw("timeline", held(("E1", 1950, 1955), ("E2", 1951, 1955)), "end") is None


def test_an_unknown_question_type_is_refused():
    wording = wordings()["timeline"][0]
    with pytest.raises(ValueError, match="'riddle' is not one of"):
        draw_question("riddle", wording, [], np.random.default_rng(0))
